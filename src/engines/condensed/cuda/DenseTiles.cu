// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <string>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Half.hpp>

#include "condensed/cuda/DenseTiles.hpp"
#include "launch/Launch.cuh"
#include "launch/Operands.hpp"

namespace Tessera::Cuda {
namespace {

constexpr int block_threads = 256;
constexpr int tile_elements = 128;

__device__ std::size_t warp_of_grid() { return (std::size_t(blockIdx.x) * block_threads + threadIdx.x) / 32; }
__device__ std::size_t warps_of_grid() { return std::size_t(gridDim.x) * block_threads / 32; }

// Each warp expands blocks of 64 elements, each thread two adjacent ones.
template <class Offset, class Scalar, class Element>
__global__ void expand_tiles_kernel(CondensedPattern<Offset> A, std::size_t blocks, const Scalar* compact,
                                    Element* dense, const std::uint32_t* wanted) {
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
      dense[block * CondensedPattern<Offset>::block_size + element + i] = static_cast<Element>(value);
    }
  }
}

// Each thread condenses a tile.
template <class Offset>
__global__ void condense_bmat_kernel(BmatPattern<Offset> A, std::size_t tiles, std::uint64_t* masks, Offset* offsets) {
  const std::size_t tile = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (tile >= tiles) return;
  const std::uint32_t* const words = A.tile_words + tile * A.tile_words_count;
  std::uint64_t strips[2] = {0, 0};
  int entries = 0;
  for (int r = 0; r < A.tile_rows; ++r) {
    // A row has four bits in each of two words.
    const std::uint64_t left = words[bmat_word(r, 0)] >> bmat_bit(r, 0) & 0xfu;
    const std::uint64_t right = words[bmat_word(r, 4)] >> bmat_bit(r, 4) & 0xfu;
    strips[r / 8] |= (left | right << 4) << (8 * (r % 8));
  }
  for (int strip = 0; strip < 2; ++strip) {
    masks[2 * tile + strip] = strips[strip];
    entries += popcount(strips[strip]);
  }
  offsets[tile + 1] = static_cast<Offset>(entries);
}

// Each warp expands tiles, each thread four elements.
template <class Offset, class Scalar>
__global__ void expand_bmat_kernel(BmatPattern<Offset> A, std::size_t tiles, const Offset* tile_offsets,
                                   const Scalar* compact, Scalar* dense, const std::uint32_t* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  for (std::size_t tile = warp_of_grid(); tile < tiles; tile += warps_of_grid()) {
    const std::uint32_t* const words = A.tile_words + tile * A.tile_words_count;
    for (int element = static_cast<int>(threadIdx.x) % 32; element < tile_elements; element += 32) {
      const int r = element / A.tile_width, c = element % A.tile_width;
      const int word = bmat_word(r, c), bit = bmat_bit(r, c);
      auto place = tile_offsets[tile] + static_cast<Offset>(popcount(words[word] & low_bits(bit)));
      for (int before = 0; before < word; ++before) place += static_cast<Offset>(popcount(words[before]));
      const bool is_entry = (words[word] >> bit & 1u) != 0;
      dense[tile * tile_elements + element] = is_entry ? compact[place] : Scalar(0);
    }
  }
}

}  // namespace

/// Expands tiles to blocks of any type.
template <class Offset, class Scalar, class Element>
static void expand(Stream stream, const CondensedPattern<Offset>& A, std::size_t tiles, const Scalar* compact,
                   Element* blocks, const std::uint32_t* wanted) {
  const std::size_t count = tiles * A.strips;
  if (count == 0) return;
  launch("expand_tiles_kernel", expand_tiles_kernel<Offset, Scalar, Element>, few_blocks_for(count * 32, block_threads),
         block_threads, 0, stream, A, count, compact, blocks, wanted);
}

template <class Offset, class Scalar>
void expand_tiles(Stream stream, const CondensedPattern<Offset>& A, std::size_t tiles, const Scalar* compact,
                  Scalar* dense, const std::uint32_t* wanted) {
  expand(stream, A, tiles, compact, dense, wanted);
}

template <class Offset, class Scalar>
void expand_rounded_tiles(Stream stream, Precision precision, const CondensedPattern<Offset>& A, std::size_t tiles,
                          const Scalar* compact, std::uint16_t* rounded, const std::uint32_t* wanted) {
  if (precision == Precision::Fp16) return expand(stream, A, tiles, compact, reinterpret_cast<Half*>(rounded), wanted);
  if (precision == Precision::Bf16)
    return expand(stream, A, tiles, compact, reinterpret_cast<BFloat16*>(rounded), wanted);
  throw std::invalid_argument("expand_rounded_tiles: " + std::string(to_string(precision)) + " is not of 16 bits");
}

template <class Offset>
void condense_bmat(Stream stream, const BmatPattern<Offset>& A, std::size_t tiles, std::uint64_t* tile_masks,
                   Offset* tile_offsets) {
  if (tiles == 0) return;
  launch("condense_bmat_kernel", condense_bmat_kernel<Offset>, blocks_for(tiles, block_threads), block_threads, 0,
         stream, A, tiles, tile_masks, tile_offsets);
}

template <class Offset, class Scalar>
void expand_bmat(Stream stream, const BmatPattern<Offset>& A, std::size_t tiles, const Offset* tile_offsets,
                 const Scalar* compact, Scalar* dense, const std::uint32_t* wanted) {
  if (tiles == 0) return;
  launch("expand_bmat_kernel", expand_bmat_kernel<Offset, Scalar>, few_blocks_for(tiles * 32, block_threads),
         block_threads, 0, stream, A, tiles, tile_offsets, compact, dense, wanted);
}

#define TESSERA_DENSE_TILES(Offset)                                                                                  \
  template void condense_bmat(Stream, const BmatPattern<Offset>&, std::size_t, std::uint64_t*, Offset*);             \
  template void expand_bmat(Stream, const BmatPattern<Offset>&, std::size_t, const Offset*, const float*, float*,    \
                            const std::uint32_t*);                                                                   \
  template void expand_bmat(Stream, const BmatPattern<Offset>&, std::size_t, const Offset*, const double*, double*,  \
                            const std::uint32_t*);                                                                   \
  template void expand_tiles(Stream, const CondensedPattern<Offset>&, std::size_t, const float*, float*,             \
                             const std::uint32_t*);                                                                  \
  template void expand_tiles(Stream, const CondensedPattern<Offset>&, std::size_t, const double*, double*,           \
                             const std::uint32_t*);                                                                  \
  template void expand_rounded_tiles(Stream, Precision, const CondensedPattern<Offset>&, std::size_t, const float*,  \
                                     std::uint16_t*, const std::uint32_t*);                                          \
  template void expand_rounded_tiles(Stream, Precision, const CondensedPattern<Offset>&, std::size_t, const double*, \
                                     std::uint16_t*, const std::uint32_t*);
TESSERA_DENSE_TILES(int)

}  // namespace Tessera::Cuda
