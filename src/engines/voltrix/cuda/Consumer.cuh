// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Bits.hpp>

#include "Arguments.cuh"
#include "epilogue/Epilogue.cuh"
#include "fragments/TileProduct.cuh"

namespace Tessera::Impl::Cuda {

/// A warp that multiplies tiles in shared memory by some columns of X.
///
/// A tile is the left operand of m16n8k8 (ptx/Mma.cuh): the four elements of lane i are bit i of the tile's words. The
/// columns of X are permuted: a lane reads `vector` adjacent columns of a row at once, and writes 2 `vector` columns of
/// a row of Y. Column g of the right operands of products q = vector v, vector v + 1, ... is column 8 vector v + vector
/// g, ... of X.
template <Precision precision, class Policy, class Scalar>
class BmatConsumer {
 public:
  using Arguments = BmatArguments<Scalar>;
  using Buffers = BmatBuffers<Scalar, Policy>;

  __device__ __forceinline__ BmatConsumer(const Arguments& arguments, const Buffers& buffers, int consumer, int lane)
      : arguments_(arguments), buffers_(buffers), consumer_(consumer), lane_(lane) {}

  __device__ __forceinline__ void run() const {
    RingPlace<Policy::buffers> place;
    BmatTasks<Policy> tasks(arguments_.schedule, arguments_.product.x.columns);
    BmatItem next_item = {};
    if (tasks.left()) next_item = arguments_.schedule.items[tasks.item()];
    while (tasks.left()) {
      const BmatItem item = next_item;
      const int first_column = tasks.first_column() + consumer_ * Policy::warp_columns;
      const bool has_columns = first_column < arguments_.product.x.columns;
      tasks.advance();
      if (tasks.left()) next_item = arguments_.schedule.items[tasks.item()];
      Sums sums = {};
      for (int left = item.tiles; left > 0; left -= Policy::stage_tiles) {
        mbarrier_wait(buffers_.full(place.buffer), place.parity);
        if (has_columns) multiply_stage(place.buffer, left, sums);
        __syncwarp();  // one lane arrives for all lanes
        if (lane_ < Policy::freeing_lanes) mbarrier_arrive(buffers_.empty(place.buffer));
        place.advance();
      }
      if (has_columns) Epilogue<Fragment, Arguments>(arguments_, lane_, first_column).finish(item, sums);
    }
  }

 private:
  using Product = TileProduct<precision>;
  using Pattern = BmatWords;
  static constexpr int products = Policy::warp_columns / 8;
  static constexpr int widest = 16 / static_cast<int>(sizeof(Scalar));
  static constexpr int vector = products < widest ? products : widest;
  static constexpr int vectors = products / vector;
  static_assert(products % vector == 0);
  // More tiles would need too many registers.
  static constexpr int tiles_at_once = precision == Precision::Tf32x3 ? 2 : Policy::stage_tiles;

  using Sums = Scalar[products][4];  // element 2 p + i is in row g + 8 p and column 2 t + i of a product

  // Returns the first of the warp's columns that a lane reads in vector v.
  static __device__ __forceinline__ int operand_column(int lane, int v) { return vector * (8 * v + lane / 4); }

  // Sums of columns beyond X are computed from arbitrary contents of shared memory (has_rest).
  struct Fragment {
    using Sum = Scalar;
    static constexpr int rows = 2, columns = 2 * products, vector = BmatConsumer::vector;
    static constexpr int window_rows = Pattern::tile_rows;
    static constexpr bool is_whole = false, has_rest = true, reads_ahead = false;
    static __device__ __forceinline__ int row(int lane, int p) { return lane / 4 + 8 * p; }
    static __device__ __forceinline__ int column(int lane, int q) {
      return vector * (8 * (q / (2 * vector)) + 2 * (lane % 4) + q / vector % 2) + q % vector;
    }
    template <class AnySums>
    static __device__ __forceinline__ auto& at(AnySums& sums, int p, int q) {
      return sums[q / (2 * vector) * vector + q % vector][2 * p + q / vector % 2];
    }
    static __device__ __forceinline__ Scalar sum_entries(const Arguments& arguments, const BmatItem& item, int row,
                                                         int column) {
      const BmatWords& A = arguments.A;
      const int first_bit = bmat_bit(row % 8, 0);
      std::size_t place = std::size_t(item.first_value);  // place of the word's first value
      Scalar sum = 0;
      for (Offset tile = item.first_tile; tile < item.first_tile + static_cast<Offset>(item.tiles); ++tile) {
        for (int w = 0; w < A.tile_words_count; ++w) {
          const std::uint32_t word = A.tile_words[std::size_t(tile) * A.tile_words_count + w];
          if (w % 2 == row / 8) {
            std::size_t own = place + popcount(word & low_bits(first_bit));
            const Ordinal* columns = A.tile_columns + std::size_t(tile) * A.tile_width + w / 2 * 4;
            for (unsigned bits = word >> first_bit & 0xfu; bits != 0; bits &= bits - 1, ++own) {
              sum += arguments.product.values[own] * arguments.product.x(columns[lowest_bit(bits)], column);
            }
          }
          place += popcount(word);
        }
      }
      return sum;
    }
  };

  __device__ __forceinline__ void multiply_stage(int buffer, int tiles, Sums& sums) const {
    const Tiles stage = {reinterpret_cast<const uint4*>(buffers_.tile_words(buffer)),
                         reinterpret_cast<const uint4*>(buffers_.word_places(buffer)), buffers_.values(buffer),
                         buffers_.x(buffer) + lane_ % 4 * Buffers::row_stride +
                             (consumer_ * Policy::warp_columns + operand_column(lane_, 0)) * int(sizeof(Scalar))};
    if (tiles >= Policy::stage_tiles) {
#pragma unroll tiles_at_once
      for (int t = 0; t < Policy::stage_tiles; ++t) multiply_tile(stage, t, sums);
    } else {
#pragma unroll 1
      for (int t = 0; t < tiles; ++t) multiply_tile(stage, t, sums);
    }
  }

  struct Tiles {
    const uint4 *words, *places;
    const Scalar* values;
    const std::byte* x;  // the first elements that the lane reads
  };

  __device__ __forceinline__ void multiply_tile(const Tiles& stage, int t, Sums& sums) const {
    const uint4 words = stage.words[t], places = stage.places[t];
    const Scalar elements[4] = {element(words.x, places.x, stage.values), element(words.y, places.y, stage.values),
                                element(words.z, places.z, stage.values), element(words.w, places.w, stage.values)};
    const auto left = Product::operand(elements);
    const std::byte* x = stage.x + t * (Pattern::tile_width * Buffers::row_stride);
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      using Vector = vector_of_t<Scalar, vector>;
      alignas(16) Scalar right[2][vector];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const std::byte* from = x + 4 * i * Buffers::row_stride + 8 * vector * v * static_cast<int>(sizeof(Scalar));
        *reinterpret_cast<Vector*>(right[i]) = *reinterpret_cast<const Vector*>(from);
      }
#pragma unroll
      for (int q = 0; q < vector; ++q) {
        const Scalar pair[2] = {right[0][q], right[1][q]};
        Product::add(sums[v * vector + q], left, Product::operand(pair));
      }
    }
  }

  // Returns the lane's element of an 8x4 block whose mask is `word` and whose first value is at `first`.
  __device__ __forceinline__ Scalar element(std::uint32_t word, std::uint32_t first, const Scalar* values) const {
    const unsigned place = first + popcount32(word & ((1u << lane_) - 1));
    return (word >> lane_ & 1u) != 0 ? values[place] : Scalar(0);
  }

  const Arguments& arguments_;
  Buffers buffers_;
  int consumer_, lane_;
};

}  // namespace Tessera::Impl::Cuda
