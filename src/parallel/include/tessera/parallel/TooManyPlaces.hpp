// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/parallel/FormatTooLarge.hpp>

namespace Tessera::Impl {

/// The most entries of a block of rows that a plan stores with offsets of type int. It is also the most places: the
/// elements of an array of values, which are more than the entries where a format stores zeros. Kernels add up to some
/// thousands to an offset, hence the distance to the greatest int.
inline constexpr std::size_t most_entries_of_block = (std::size_t(1) << 31) - (std::size_t(1) << 16);

/// Thrown if the format of some rows has more places than offsets count. Fewer rows may have it.
class TooManyPlaces : public FormatTooLarge {
 public:
  /// \param what  [in] what there is too much of
  /// \param found [in] how many there are
  /// \param most  [in] how many there may be
  TooManyPlaces(const std::string& what, std::size_t found, std::size_t most);

  /// The number of parts into which the rows are to be cut, at least 2. If all parts need as much, each fits.
  std::size_t parts() const { return parts_; }

 private:
  std::size_t parts_;
};

/// The most places of a format that this thread builds.
std::size_t most_places();

/// \throws TooManyPlaces if a format needs more of something than it may have
void check_places(const std::string& what, std::size_t found, std::size_t most = most_places());

}  // namespace Tessera::Impl
