// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/common/Bits.hpp>
#include <tessera/cuda/condensed/ExpandTiles.hpp>

#include "../launch/Launch.cuh"
#include "../launch/LaunchCount.hpp"

namespace Tessera::Cuda {
namespace {

// A warp a block of 64, a thread two adjacent elements.
template <class Offset, class Scalar>
__global__ void expand_tiles_kernel(CondensedPattern<Offset> A, std::size_t blocks, const Scalar* compact,
                                    Scalar* dense) {
  const std::size_t thread = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t block = thread / 32, tile = block / A.strips;
  const int element = 2 * static_cast<int>(thread % 32);
  if (block >= blocks) return;
  const std::uint64_t mask = A.tile_masks[block];
  std::size_t place = std::size_t(A.tile_offsets[tile]) + popcount(mask & low_bits(element));
  for (std::size_t above = tile * A.strips; above < block; ++above) place += popcount(A.tile_masks[above]);
  for (int i = 0; i < 2; ++i) {
    const bool entry = (mask >> (element + i) & 1u) != 0;
    dense[block * CondensedPattern<Offset>::block_size + element + i] = entry ? compact[place++] : Scalar(0);
  }
}

}  // namespace

template <class Offset, class Scalar>
void expand_tiles(Stream stream, const CondensedPattern<Offset>& A, std::size_t tiles, const Scalar* compact,
                  Scalar* dense) {
  constexpr int threads = 256;
  const std::size_t blocks = tiles * A.strips;
  if (blocks == 0) return;
  launch("expand_tiles_kernel", expand_tiles_kernel<Offset, Scalar>,
         launch_count((blocks * 32 + threads - 1) / threads), threads, 0, stream, A, blocks, compact, dense);
}

template void expand_tiles(Stream, const CondensedPattern<int>&, std::size_t, const float*, float*);
template void expand_tiles(Stream, const CondensedPattern<int>&, std::size_t, const double*, double*);
template void expand_tiles(Stream, const CondensedPattern<std::size_t>&, std::size_t, const float*, float*);
template void expand_tiles(Stream, const CondensedPattern<std::size_t>&, std::size_t, const double*, double*);

}  // namespace Tessera::Cuda
