// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <string>
#include <tessera/Half.hpp>
#include <tessera/common/Bits.hpp>

#include "condensed/cuda/DenseTiles.hpp"
#include "launch/Launch.cuh"
#include "launch/Operands.hpp"

namespace Tessera::Impl::Cuda {
namespace {

constexpr int block_threads = 256;

__device__ std::size_t warp_of_grid() { return (std::size_t(blockIdx.x) * block_threads + threadIdx.x) / 32; }
__device__ std::size_t warps_of_grid() { return std::size_t(gridDim.x) * block_threads / 32; }

// Expands blocks of 64 elements. A warp expands one block at a time, each thread two adjacent elements.
template <class Scalar, class Element>
__global__ void expand_tiles_kernel(CondensedPattern A, std::size_t blocks, const Scalar* compact, Element* dense,
                                    const std::uint32_t* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  const int element = 2 * (static_cast<int>(threadIdx.x) % 32);
  for (std::size_t block = warp_of_grid(); block < blocks; block += warps_of_grid()) {
    const std::size_t tile = block / A.strips;
    const std::uint64_t mask = A.tile_masks[block];
    std::size_t place = std::size_t(A.tile_offsets[tile]) + popcount(mask & low_bits(element));
    for (std::size_t above = tile * A.strips; above < block; ++above) place += popcount(A.tile_masks[above]);
    for (int i = 0; i < 2; ++i) {
      const bool entry = (mask >> (element + i) & 1u) != 0;
      const Scalar value = entry ? compact[place++] : Scalar(0);
      dense[block * CondensedPattern::block_size + element + i] = static_cast<Element>(value);
    }
  }
}

}  // namespace

/// Expands tiles to blocks of any type.
template <class Scalar, class Element>
static void expand(Stream stream, const CondensedPattern& A, std::size_t tiles, const Scalar* compact, Element* blocks,
                   const std::uint32_t* wanted) {
  const std::size_t count = tiles * A.strips;
  if (count == 0) return;
  launch("expand_tiles_kernel", expand_tiles_kernel<Scalar, Element>, few_blocks_for(count * 32, block_threads),
         block_threads, 0, stream, A, count, compact, blocks, wanted);
}

template <class Scalar>
void expand_tiles(Stream stream, const CondensedPattern& A, std::size_t tiles, const Scalar* compact, Scalar* dense,
                  const std::uint32_t* wanted) {
  expand(stream, A, tiles, compact, dense, wanted);
}

template <class Scalar>
void expand_rounded_tiles(Stream stream, Precision precision, const CondensedPattern& A, std::size_t tiles,
                          const Scalar* compact, std::uint16_t* rounded, const std::uint32_t* wanted) {
  if (precision == Precision::Fp16) return expand(stream, A, tiles, compact, reinterpret_cast<Half*>(rounded), wanted);
  if (precision == Precision::Bf16)
    return expand(stream, A, tiles, compact, reinterpret_cast<BFloat16*>(rounded), wanted);
  throw std::invalid_argument("expand_rounded_tiles: " + std::string(to_string(precision)) + " is not of 16 bits");
}

#define TESSERA_DENSE_TILES(Scalar)                                                                          \
  template void expand_tiles(Stream, const CondensedPattern&, std::size_t, const Scalar*, Scalar*,           \
                             const std::uint32_t*);                                                          \
  template void expand_rounded_tiles(Stream, Precision, const CondensedPattern&, std::size_t, const Scalar*, \
                                     std::uint16_t*, const std::uint32_t*);
TESSERA_DENSE_TILES(float)
TESSERA_DENSE_TILES(double)

}  // namespace Tessera::Impl::Cuda
