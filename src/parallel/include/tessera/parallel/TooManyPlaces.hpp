// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/FormatTooLarge.hpp>

namespace Tessera::Impl {

/// Upper bound on the entries of a block of rows, because a plan stores offsets as int. It is also an upper bound on
/// the places (elements of an array of values), which exceed the entries if a format stores zeros. It is 2^16 below
/// 2^31 because kernels increase an offset by up to a few thousand.
inline constexpr std::size_t most_entries_of_block = (std::size_t(1) << 31) - (std::size_t(1) << 16);

/// Thrown if a format has more places than offsets can count. The format may fit for fewer rows.
class TooManyPlaces : public FormatTooLarge {
 public:
  /// \param what  [in] the things that are too many
  /// \param found [in] the number of these things
  /// \param most  [in] the upper bound on that number
  TooManyPlaces(const std::string& what, std::size_t found, std::size_t most);

  /// Returns the number of parts, at least 2, to cut rows into. If all rows need equally many places, each part fits.
  std::size_t parts() const { return parts_; }

 private:
  std::size_t parts_;
};

/// Returns the upper bound on the places of a format that this thread builds.
std::size_t most_places();

/// \throws TooManyPlaces if the number `found` of the things `what` exceeds `most`
void check_places(const std::string& what, std::size_t found, std::size_t most = most_places());

}  // namespace Tessera::Impl
