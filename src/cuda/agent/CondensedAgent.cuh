// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

#include "CondensedArguments.hpp"
#include "EntrySum.cuh"
#include "FragmentLayout.hpp"
#include "MaskDecode.hpp"
#include "TileProduct.cuh"
#include "Vectors.cuh"

namespace Tessera::Cuda {

/// A warp that multiplies tiles of a window with a slab of columns of X.
///
/// access: how many columns of X and Y are read or written at once; 1 where their addresses are not multiples of more.
///
/// Columns of the slab beyond those of X are not read and not written; a lane holds zeros for them. Tile columns that
/// stand for none read row 0 of X, which exists where there is a tile, and multiply it with zeros.
template <class Kind, class Policy, int access, class Offset, class MatrixScalar, class Scalar>
class CondensedAgent {
 public:
  using Arguments = CondensedArguments<Offset, MatrixScalar, Scalar>;
  using Layout = FragmentLayout<Scalar, Policy::columns>;
  using Sums = Scalar[Kind::strips][Layout::products][4];

  __device__ __forceinline__ CondensedAgent(const Arguments& arguments, int slab, int lane)
      : arguments_(arguments),
        lane_(lane),
        first_column_(slab * Policy::columns + Layout::first_column(lane)),
        columns_left_(arguments.product.x.columns - first_column_),
        x_(arguments.product.x.data + first_column_) {}

  /// Adds the products of tiles first, first + 1, ..., last - 1.
  __device__ __forceinline__ void multiply(Offset first, Offset last, Sums& sums) const {
    if (first == last) return;
    TileIndex index = load_index(first);
    Tile even = {}, odd = {};
    if constexpr (Policy::stages == 1) {
      for (Offset t = first; t < last; ++t) {
        load_tile(t, index, even);
        if (t + 1 < last) index = load_index(t + 1);
        add_products(even, sums);
      }
    } else {
      // Of the next tile and, with three stages, of the one after it.
      TileIndex next[Policy::stages - 1];
#pragma unroll
      for (int i = 0; i < Policy::stages - 1; ++i) {
        if (first + 1 + i < last) next[i] = load_index(first + 1 + i);
      }
      load_tile(first, index, even);
      for (Offset t = first; t < last; t += 2) {
        step(t, last, next[0], even, odd, sums);
        if (t + 1 < last) step(t + 1, last, next[Policy::stages - 2], odd, even, sums);
      }
    }
  }

  /// Replaces sums that are not finite by those of the entries alone (see sum_entries).
  __device__ __forceinline__ void recompute_nonfinite(const CondensedItem<Offset>& item, Sums& sums) const {
    Scalar zeros = 0;  // NaN as soon as a sum is not finite
    for_each_result([&](int s, int p, int q) { zeros += Scalar(0) * sums[s][q / 2][Layout::result(q, p)]; });
    if (zeros == Scalar(0)) return;
    SumsInMemory memory;
    for_each_result([&](int s, int p, int q) { memory.at(s, p, q) = sums[s][q / 2][Layout::result(q, p)]; });
    recompute_in_memory(arguments_, item, lane_, first_column_, memory);
    for_each_result([&](int s, int p, int q) { sums[s][q / 2][Layout::result(q, p)] = memory.at(s, p, q); });
  }

  /// Y = alpha sums + beta Y for the rows of a window.
  __device__ __forceinline__ void store(Ordinal window, const Sums& sums) const {
    const Product<MatrixScalar, Scalar>& product = arguments_.product;
    for_each_row([&](int s, int p) {
      const Ordinal row = window * (CondensedPattern<Offset>::strip_rows * Kind::strips) + window_row(s, p);
      if (row >= arguments_.A.rows) return;
      const Ordinal y_row = product.y_rows == nullptr ? row : product.y_rows[row];
      Scalar* y = product.y.data + y_row * product.y.row_stride;
      for_each_piece([&](int q) {
        alignas(16) Scalar result[access];
        Scalar* to = y + (first_column_ + Layout::column(q)) * (access == 1 ? product.y.column_stride : 1);
        if (product.beta != Scalar(0)) load_once<access>(to, result);
#pragma unroll
        for (int i = 0; i < access; ++i) {
          const Scalar sum = product.alpha * sums[s][(q + i) / 2][Layout::result(q + i, p)];
          result[i] = product.beta != Scalar(0) ? sum + product.beta * result[i] : sum;
        }
        store_once<access>(to, result);
      });
    });
  }

  /// The sums of a piece of a window, to its slot of the workspace.
  __device__ __forceinline__ void store_partial(int slot, const Sums& sums) const {
    for_each_row([&](int s, int p) {
      const std::size_t row =
          std::size_t(slot) * CondensedPattern<Offset>::strip_rows * Kind::strips + window_row(s, p);
      Scalar* partial = arguments_.partials + row * arguments_.partials_stride + first_column_;
      for_each_piece([&](int q) {
        alignas(16) Scalar result[access];
#pragma unroll
        for (int i = 0; i < access; ++i) result[i] = sums[s][(q + i) / 2][Layout::result(q + i, p)];
        *reinterpret_cast<vector_of_t<Scalar, access>*>(partial + Layout::column(q)) =
            *reinterpret_cast<const vector_of_t<Scalar, access>*>(result);
      });
    });
  }

 private:
  static constexpr bool compact = Kind::values == TileValues::Compact;

  // What must be known of a tile before its rows of X and its values can be read.
  struct TileIndex {
    int2 columns;
    std::uint64_t masks[Kind::strips];  // where values are compact
    Offset first_value;
  };

  // A lane's part of a tile: two rows of X and, of each strip, two elements of the block.
  struct alignas(16) Tile {
    Scalar x[2][Layout::lane_columns];
    MatrixScalar a[Kind::strips][2];
  };

  // A copy of the sums that is indexed by run-time numbers, which registers are not.
  struct SumsInMemory {
    Scalar sums[Kind::strips][2][Layout::lane_columns];
    __device__ Scalar& at(int s, int p, int q) { return sums[s][p][q]; }
  };

  // Not inlined: hardly any product comes here, and the registers are wanted elsewhere.
  static __device__ __noinline__ void recompute_in_memory(const Arguments& arguments, const CondensedItem<Offset>& item,
                                                          int lane, int first_column, SumsInMemory& memory) {
#pragma unroll 1
    for (int index = 0; index < Kind::strips * 2 * Layout::lane_columns; ++index) {
      const int q = index % Layout::lane_columns, p = index / Layout::lane_columns % 2;
      const int s = index / Layout::lane_columns / 2;
      const int column = first_column + Layout::column(q);
      if (isfinite(memory.at(s, p, q)) || column >= arguments.product.x.columns) continue;
      memory.at(s, p, q) =
          sum_entries<Kind>(arguments, item.first_tile, item.tiles,
                            s * CondensedPattern<Offset>::strip_rows + Layout::result_row(lane, p), column);
    }
  }

  // Multiplies tile t while tile t + 1 is loaded, whose index is given and becomes that of tile t + stages.
  //
  // NOTE: the barrier is for the assembler, which else moves what waits for tile t before the loads.
  __device__ __forceinline__ void step(Offset t, Offset last, TileIndex& index, const Tile& tile, Tile& next,
                                       Sums& sums) const {
    if (t + 1 < last) load_tile(t + 1, index, next);
    if (t + Policy::stages < last) index = load_index(t + Policy::stages);
    __syncwarp();
    add_products(tile, sums);
  }

  __device__ __forceinline__ TileIndex load_index(Offset tile) const {
    const CondensedPattern<Offset>& A = arguments_.A;
    TileIndex index;
    index.columns =
        __ldcs(reinterpret_cast<const int2*>(A.tile_columns + std::size_t(tile) * A.tile_width) + lane_ % 4);
    if constexpr (compact) {
#pragma unroll
      for (int s = 0; s < Kind::strips; ++s)
        index.masks[s] = __ldcs(A.tile_masks + std::size_t(tile) * Kind::strips + s);
      index.first_value = __ldcs(A.tile_offsets + tile);
    }
    return index;
  }

  __device__ __forceinline__ void load_tile(Offset t, const TileIndex& index, Tile& tile) const {
    load_row(index.columns.x, tile.x[0]);
    load_row(index.columns.y, tile.x[1]);
    if constexpr (compact) {
      load_compact(index, tile);
    } else {
#pragma unroll
      for (int s = 0; s < Kind::strips; ++s) {
        const std::size_t block = std::size_t(t) * Kind::strips + s;
        const MatrixScalar* place = arguments_.product.values + block * CondensedPattern<Offset>::block_size;
        load_once<2>(place + Layout::first_element(lane_), tile.a[s]);
      }
    }
  }

  __device__ __forceinline__ void load_row(Ordinal column, Scalar (&x)[Layout::lane_columns]) const {
    // One multiplication of 32 bits by 32: strides of 64 bits cost four instructions.
    const auto* row =
        reinterpret_cast<const Scalar*>(reinterpret_cast<const std::byte*>(x_) +
                                        std::size_t(static_cast<unsigned>(max(column, 0))) * arguments_.x_row_bytes);
    for_each_piece([&](int q) { load_shared_by_warps<access>(row + Layout::column(q), x + q); });
  }

  __device__ __forceinline__ void load_compact(const TileIndex& index, Tile& tile) const {
    auto first = static_cast<std::make_unsigned_t<Offset>>(index.first_value);
#pragma unroll
    for (int s = 0; s < Kind::strips; ++s) {
      const LaneEntries entries = lane_entries(index.masks[s], lane_);
      const auto place = first + entries.before;
      tile.a[s][0] = (entries.bits & 1u) != 0 ? __ldcs(arguments_.product.values + place) : MatrixScalar(0);
      tile.a[s][1] = (entries.bits & 2u) != 0 ? __ldcs(arguments_.product.values + (place + (entries.bits & 1u)))
                                              : MatrixScalar(0);
      first += popcount(index.masks[s]);
    }
  }

  __device__ __forceinline__ void add_products(const Tile& tile, Sums& sums) const {
#pragma unroll
    for (int s = 0; s < Kind::strips; ++s) {
      const auto right = TileProduct<Kind::precision>::right(Scalar(tile.a[s][0]), Scalar(tile.a[s][1]));
#pragma unroll
      for (int m = 0; m < Layout::products; ++m) {
        Scalar left[4];
        Layout::left_operand(tile.x, m, left);
        TileProduct<Kind::precision>::add(sums[s][m], left, right);
      }
    }
  }

  __device__ __forceinline__ int window_row(int s, int p) const {
    return s * CondensedPattern<Offset>::strip_rows + Layout::result_row(lane_, p);
  }

  // visit(strip, p): the lane's rows of the window.
  template <class Visit>
  static __device__ __forceinline__ void for_each_row(const Visit& visit) {
#pragma unroll
    for (int s = 0; s < Kind::strips; ++s) {
#pragma unroll
      for (int p = 0; p < 2; ++p) visit(s, p);
    }
  }

  // visit(q): the first of each `access` columns of the lane that X has.
  template <class Visit>
  __device__ __forceinline__ void for_each_piece(const Visit& visit) const {
#pragma unroll
    for (int q = 0; q < Layout::lane_columns; q += access) {
      if (Layout::column(q) < columns_left_) visit(q);
    }
  }

  template <class Visit>
  static __device__ __forceinline__ void for_each_result(const Visit& visit) {
    for_each_row([&](int s, int p) {
#pragma unroll
      for (int q = 0; q < Layout::lane_columns; ++q) visit(s, p, q);
    });
  }

  const Arguments& arguments_;
  int lane_;
  int first_column_;  // of the lane, in X
  int columns_left_;  // of X from there on
  const Scalar* x_;   // row 0, the lane's first column
};

}  // namespace Tessera::Cuda
