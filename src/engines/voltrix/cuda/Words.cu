// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/Launch.cuh"
#include "launch/Operands.hpp"
#include "voltrix/cuda/Words.hpp"

namespace Tessera::Impl::Cuda {
namespace {

constexpr int block_threads = 256;

// Makes the words, one per thread.
__global__ void make_bmat_words_kernel(BmatPattern A, std::size_t words, std::uint32_t* tile_words) {
  const std::size_t word = std::size_t(blockIdx.x) * block_threads + threadIdx.x;
  if (word < words) tile_words[word] = bmat_word(A.tile_masks + word / 4 * 2, static_cast<int>(word % 4));
}

// Reorders the values. A warp reorders one tile at a time, each thread one bit of each of the tile's four words.
template <class Scalar>
__global__ void order_by_bmat_words_kernel(BmatPattern A, std::size_t tiles, const Scalar* values, Scalar* ordered,
                                           const std::uint32_t* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  const std::size_t step = std::size_t(gridDim.x) * block_threads / 32;
  const int bit = static_cast<int>(threadIdx.x) % 32;
  for (std::size_t tile = (std::size_t(blockIdx.x) * block_threads + threadIdx.x) / 32; tile < tiles; tile += step) {
    const std::uint64_t* const masks = A.tile_masks + 2 * tile;
    std::size_t place = std::size_t(A.tile_offsets[tile]);  // place of the word's first value
    const Scalar* const from = values + place;
    for (int w = 0; w < 4; ++w) {
      const std::uint32_t word = bmat_word(masks, w);
      if ((word >> bit & 1u) != 0)
        ordered[place + popcount(word & low_bits(bit))] = from[place_of_bmat_bit(masks, w, bit)];
      place += popcount(word);
    }
  }
}

}  // namespace

void make_bmat_words(Stream stream, const BmatPattern& A, std::size_t tiles, std::uint32_t* tile_words) {
  if (tiles == 0) return;
  launch("make_bmat_words_kernel", make_bmat_words_kernel, blocks_for(4 * tiles, block_threads), block_threads, 0,
         stream, A, 4 * tiles, tile_words);
}

template <class Scalar>
void order_by_bmat_words(Stream stream, const BmatPattern& A, std::size_t tiles, const Scalar* values, Scalar* ordered,
                         const std::uint32_t* wanted) {
  if (tiles == 0) return;
  launch("order_by_bmat_words_kernel", order_by_bmat_words_kernel<Scalar>, few_blocks_for(tiles * 32, block_threads),
         block_threads, 0, stream, A, tiles, values, ordered, wanted);
}

template void order_by_bmat_words(Stream, const BmatPattern&, std::size_t, const float*, float*, const std::uint32_t*);
template void order_by_bmat_words(Stream, const BmatPattern&, std::size_t, const double*, double*,
                                  const std::uint32_t*);

}  // namespace Tessera::Impl::Cuda
