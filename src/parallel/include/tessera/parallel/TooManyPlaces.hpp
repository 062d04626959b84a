// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/FormatTooLarge.hpp>

namespace Tessera::Impl {

/// Upper bound on the entries of a block of rows, which a plan stores with offsets of type int. It also bounds the
/// places: the elements of an array of values, which exceed the entries if a format stores zeros. Kernels increase an
/// offset by at most a few thousand, hence the distance to the largest int.
inline constexpr std::size_t most_entries_of_block = (std::size_t(1) << 31) - (std::size_t(1) << 16);

/// Thrown if the format of some rows has more places than offsets can count. It may fit for fewer rows.
class TooManyPlaces : public FormatTooLarge {
 public:
  /// \param what  [in] the things of which there are too many
  /// \param found [in] their number
  /// \param most  [in] upper bound on their number
  TooManyPlaces(const std::string& what, std::size_t found, std::size_t most);

  /// The number of parts, at least 2, to cut the rows into. If all parts need the same number of places, each fits.
  std::size_t parts() const { return parts_; }

 private:
  std::size_t parts_;
};

/// Upper bound on the places of a format that this thread builds.
std::size_t most_places();

/// \throws TooManyPlaces if a format needs more than `most` of something
void check_places(const std::string& what, std::size_t found, std::size_t most = most_places());

}  // namespace Tessera::Impl
