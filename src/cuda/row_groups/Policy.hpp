// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tessera/common/Types.hpp>

namespace Tessera::Cuda {

/// How lanes multiply row groups. The numbers are in a type, because nvcc 13 does not take a struct of them as a
/// template argument of a kernel.
///
/// lanes      the most lanes that share the columns of X, a power of two; a narrow X has fewer
/// vectors    vectors of 16 bytes of a row of X that a lane holds
/// registers  registers of a thread: for the sums of up to four rows, four rows of X and four values of each row
template <int lanes_, int vectors_, int registers_>
struct RowGroupsPolicy {
  static_assert(std::has_single_bit(unsigned(lanes_)) && lanes_ <= 32);

  static constexpr int lanes = lanes_;
  static constexpr int vectors = vectors_;
  static constexpr int registers = registers_;
  static constexpr int threads = 256;  // of a block
};

/// The most bytes of a row of X that the narrow policy is for.
inline constexpr std::size_t row_groups_narrow_row = 128;
/// The policies that products run with, the best on an H100.
template <class Scalar>
using NarrowRowGroupsPolicy = RowGroupsPolicy<8, 1, sizeof(Scalar) == 4 ? 80 : 96>;
using WideRowGroupsPolicy = RowGroupsPolicy<16, 2, 128>;

/// The number of lanes that share `vectors` vectors of a row of X, as a power of two.
template <class Policy>
int row_groups_lane_bits(Ordinal vectors) {
  const auto lanes = static_cast<unsigned>(window_count(vectors, Policy::vectors));
  return std::countr_zero(std::min(std::bit_ceil(lanes), unsigned(Policy::lanes)));
}

}  // namespace Tessera::Cuda
