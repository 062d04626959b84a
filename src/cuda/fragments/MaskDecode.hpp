// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/Types.hpp>

namespace Tessera::Cuda {

/// How many bits are set.
TESSERA_FUNCTION unsigned popcount32(unsigned bits) {
#if defined(__CUDA_ARCH__)
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

/// A lane's two elements of an 8x8 block, bits 2 lane and 2 lane + 1 of its mask.
struct LaneEntries {
  unsigned before;  ///< entries of the block before the lane's
  unsigned bits;    ///< bit j is set if the lane's element j is an entry; other bits mean nothing
};

/// Works on the half of the mask that has the lane's bits: two counts of 32 bits.
TESSERA_FUNCTION LaneEntries lane_entries(std::uint64_t mask, int lane) {
  constexpr int lanes_of_half = 16;
  const bool upper = lane >= lanes_of_half;
  const int shift = 2 * (lane % lanes_of_half);
  const unsigned low = static_cast<unsigned>(mask), high = static_cast<unsigned>(mask >> 32);
  const unsigned half = upper ? high : low;
  return {popcount32(half & ((1u << shift) - 1)) + (upper ? popcount32(low) : 0), half >> shift};
}

}  // namespace Tessera::Cuda
