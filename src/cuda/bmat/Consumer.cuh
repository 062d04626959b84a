// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../epilogue/Arithmetic.cuh"
#include "../epilogue/NonFinite.cuh"
#include "../fragments/MaskDecode.hpp"
#include "../fragments/Vectors.cuh"
#include "Buffers.cuh"
#include "EntrySum.cuh"
#include "LeftTileProduct.cuh"

namespace Tessera::Cuda {

/// A warp that multiplies tiles in shared memory with some columns of X.
///
/// A tile is the left operand of m16n8k8 (ptx/Mma.cuh): lane i's four elements are bit i of the tile's words. Columns
/// of X are in such an order that a lane reads `vector` adjacent ones of a row at once, and writes 2 `vector` of a row
/// of Y: the right operand's column g of the products q = vector v, vector v + 1, ... is 8 vector v + vector g, ... .
template <Precision precision, class Policy, class Offset, class MatrixScalar, class Scalar>
class BmatConsumer {
 public:
  using Arguments = BmatArguments<Offset, MatrixScalar, Scalar>;
  using Buffers = BmatBuffers<MatrixScalar, Scalar, Policy>;

  __device__ __forceinline__ BmatConsumer(const Arguments& arguments, const Buffers& buffers, int consumer, int lane)
      : arguments_(arguments), buffers_(buffers), consumer_(consumer), lane_(lane) {}

  __device__ __forceinline__ void run() const {
    RingPlace<Policy::buffers> place;
    BmatTasks<Policy, Offset> tasks(arguments_.schedule, arguments_.product.x.columns);
    BmatItem<Offset> next_item = {};
    if (tasks.left()) next_item = arguments_.schedule.items[tasks.item()];
    while (tasks.left()) {
      const BmatItem<Offset> item = next_item;
      const int first_column = tasks.first_column() + consumer_ * Policy::warp_columns;
      const bool has_columns = first_column < arguments_.product.x.columns;
      tasks.advance();
      if (tasks.left()) next_item = arguments_.schedule.items[tasks.item()];
      Sums sums = {};
      for (int left = item.tiles; left > 0; left -= Policy::stage_tiles) {
        if constexpr (Policy::waits) mbarrier_wait(buffers_.full(place.buffer), place.parity);
        if (has_columns && Policy::multiplies) multiply_stage(place.buffer, left, sums);
        __syncwarp();
        if (lane_ == 0) mbarrier_arrive(buffers_.empty(place.buffer));
        place.advance();
      }
      if (!has_columns) continue;
      if constexpr (Policy::waits && Policy::loads) recompute_nonfinite(item, first_column, sums);
      store(item, first_column, sums);
    }
  }

 private:
  using Product = LeftTileProduct<precision>;
  using Pattern = BmatPattern<Offset>;
  static constexpr int products = Policy::warp_columns / 8;
  static constexpr int widest = 16 / static_cast<int>(sizeof(Scalar));
  static constexpr int vector = products < widest ? products : widest;
  static constexpr int vectors = products / vector;
  static_assert(products % vector == 0);
  // More are too many registers.
  static constexpr int tiles_at_once = precision == Precision::Tf32x3 ? 2 : Policy::stage_tiles;

  using Sums = Scalar[products][4];  // element 2 p + i: row g + 8 p, column 2 t + i of a product

  // Of the warp's columns, the first of those that a lane reads, or that result i of a lane writes, in vector v.
  static __device__ __forceinline__ int operand_column(int lane, int v) { return vector * (8 * v + lane / 4); }
  static __device__ __forceinline__ int result_column(int lane, int v, int i) {
    return vector * (8 * v + 2 * (lane % 4) + i);
  }
  static __device__ __forceinline__ int result_row(int lane, int p) { return lane / 4 + 8 * p; }

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
    const MatrixScalar* values;
    const std::byte* x;  // the lane's first
  };

  __device__ __forceinline__ void multiply_tile(const Tiles& stage, int t, Sums& sums) const {
    const uint4 words = stage.words[t], places = stage.places[t];
    const Scalar elements[4] = {element(words.x, places.x, stage.values), element(words.y, places.y, stage.values),
                                element(words.z, places.z, stage.values), element(words.w, places.w, stage.values)};
    const auto left = Product::left(elements);
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
      for (int q = 0; q < vector; ++q) Product::add(sums[v * vector + q], left, right[0][q], right[1][q]);
    }
  }

  // The lane's element of an 8x4 block.
  __device__ __forceinline__ Scalar element(std::uint32_t word, std::uint32_t first, const MatrixScalar* values) const {
    unsigned place = first + popcount32(word & ((1u << lane_) - 1));
    if constexpr (!Policy::waits) place %= Buffers::most_values;  // words may be anything then
    return (word >> lane_ & 1u) != 0 ? Scalar(values[place]) : Scalar(0);
  }

  // visit(p, v, i): the lane's vectors of results.
  template <class Visit>
  static __device__ __forceinline__ void for_each_vector(const Visit& visit) {
#pragma unroll
    for (int p = 0; p < 2; ++p) {
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
#pragma unroll
        for (int i = 0; i < 2; ++i) visit(p, v, i);
      }
    }
  }

  // Replaces sums that are not finite by those of the entries alone. Columns that X does not have are anything.
  __device__ __forceinline__ void recompute_nonfinite(const BmatItem<Offset>& item, int first_column,
                                                      Sums& sums) const {
    Scalar zeros = 0;  // NaN as soon as a sum is not finite
    for_each_vector([&](int p, int v, int i) {
      const int column = first_column + result_column(lane_, v, i);
#pragma unroll
      for (int e = 0; e < vector; ++e) {
        if (column + e < arguments_.product.x.columns) zeros += Scalar(0) * sums[v * vector + e][2 * p + i];
      }
    });
    if (!some_are_nonfinite(zeros)) return;
    SumsInMemory memory;
#pragma unroll
    for (int q = 0; q < products; ++q) {
#pragma unroll
      for (int e = 0; e < 4; ++e) memory.sums[q][e] = sums[q][e];
    }
    recompute_in_memory(arguments_, item, first_column, lane_, memory);
#pragma unroll
    for (int q = 0; q < products; ++q) {
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[q][e] = memory.sums[q][e];
    }
  }

  // A copy of the sums that is indexed by run-time numbers, which registers are not.
  struct SumsInMemory {
    Sums sums;
  };

  // Not inlined: hardly any product comes here, and the registers are wanted elsewhere.
  static __device__ __noinline__ void recompute_in_memory(const Arguments& arguments, const BmatItem<Offset>& item,
                                                          int first_column, int lane, SumsInMemory& memory) {
#pragma unroll 1
    for (int index = 0; index < 4 * products; ++index) {
      const int q = index / 4, p = index / 2 % 2, i = index % 2;
      const int column = first_column + result_column(lane, q / vector, i) + q % vector;
      Scalar& sum = memory.sums[q][2 * p + i];
      if (isfinite(sum) || column >= arguments.product.x.columns) continue;
      sum = sum_bmat_entries(arguments, item, result_row(lane, p), column);
    }
  }

  // Where a lane's elements of a row go: to Y, or to the workspace if the item is a piece of a window.
  struct Destination {
    Scalar* data;  // the row; null: there is none
    std::ptrdiff_t stride;
    bool vectors;
    Scalar alpha, beta;
  };

  __device__ __forceinline__ Destination destination(const BmatItem<Offset>& item, int p) const {
    const Tessera::Product<MatrixScalar, Scalar>& product = arguments_.product;
    const int r = result_row(lane_, p);
    const Ordinal row = item.window * Pattern::tile_rows + r;
    if (row >= arguments_.A.rows) return {nullptr, 1, false, Scalar(1), Scalar(0)};
    if (item.slot != BmatItem<Offset>::direct) {
      Scalar* partial =
          arguments_.partials + (std::size_t(item.slot) * Pattern::tile_rows + r) * arguments_.partials_stride;
      return {partial, 1, true, Scalar(1), Scalar(0)};
    }
    const Ordinal y_row = product.y_rows == nullptr ? row : product.y_rows[row];
    return {product.y.data + y_row * product.y.row_stride, product.y.column_stride, arguments_.y_vectors, product.alpha,
            product.beta};
  }

  __device__ __forceinline__ void store(const BmatItem<Offset>& item, int first_column, const Sums& sums) const {
    const Destination to[2] = {destination(item, 0), destination(item, 1)};
    for_each_vector([&](int p, int v, int i) {
      const int column = first_column + result_column(lane_, v, i);
      const int count = min(vector, arguments_.product.x.columns - column);
      if (to[p].data == nullptr || count <= 0) return;
      alignas(16) Scalar result[vector];
#pragma unroll
      for (int e = 0; e < vector; ++e) result[e] = sums[v * vector + e][2 * p + i];
      write(to[p], column, count, result);
    });
  }

  __device__ __forceinline__ void write(const Destination& to, int column, int count, Scalar (&result)[vector]) const {
    alignas(16) Scalar before[vector] = {};
    const bool whole = to.vectors && count == vector;
    if (to.beta != Scalar(0)) {
      if (whole) load_once<vector>(to.data + column, before);
#pragma unroll
      for (int e = 0; e < vector; ++e) {
        if (!whole && e < count) before[e] = to.data[(column + e) * to.stride];
      }
    }
#pragma unroll
    for (int e = 0; e < vector; ++e) {
      result[e] = scaled_and_added(to.alpha, result[e], to.beta, [&] { return before[e]; });
    }
    if (whole) return store_once<vector>(to.data + column, result);
#pragma unroll
    for (int e = 0; e < vector; ++e) {
      if (e < count) to.data[(column + e) * to.stride] = result[e];
    }
  }

  const Arguments& arguments_;
  Buffers buffers_;
  int consumer_, lane_;
};

}  // namespace Tessera::Cuda
