// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../epilogue/Arithmetic.cuh"
#include "../epilogue/NonFinite.cuh"
#include "../fragments/MaskDecode.hpp"
#include "../fragments/TileProduct.cuh"
#include "../fragments/Vectors.cuh"
#include "Arguments.hpp"
#include "EntrySum.cuh"
#include "Operands.hpp"

namespace Tessera::Cuda {

/// A warp that multiplies tiles of a window with a slab of columns of X.
///
/// access: how many columns of X and Y are read or written at once, if a lane can (CondensedOperands); 1 where their
/// addresses are not multiples of more.
///
/// Tile columns that stand for none read row 0 of X, which exists where there is a tile, and multiply it with zeros.
template <class Kind, class Policy, int access, class Offset, class MatrixScalar, class Scalar>
class CondensedAgent {
 public:
  using Arguments = CondensedArguments<Offset, MatrixScalar, Scalar>;
  using Operands = CondensedOperands<Kind::precision, Scalar, Policy::columns, Policy::reads>;
  using Element = typename Operands::Element;
  using Sum = typename Operands::Sum;
  using Layout = typename Operands::Elements;
  using Sums = Sum[Kind::strips][Operands::products][4];

  /// A lane's part of a tile: of two rows of X, pieces as they were read, and of each strip two elements of the block.
  struct alignas(16) Tile {
    Element x[2][Layout::lane_columns];
    MatrixScalar a[Kind::strips][2];
  };

  __device__ __forceinline__ CondensedAgent(const Arguments& arguments, int slab, int lane)
      : arguments_(arguments), lane_(lane), first_column_(slab * Policy::columns) {
    // Columns beyond those of X are read as the last ones are: nobody will read what becomes of them.
    const int first_part = swizzle() / part_pieces;
#pragma unroll
    for (int part = 0; part < parts; ++part) {
      const int element =
          first_column_ / Operands::element_columns + Layout::column(lane_, (part ^ first_part) * x_access);
      from_first_[part] = min(element, arguments.x_elements - x_access) * static_cast<int>(sizeof(Element));
    }
    x_ = reinterpret_cast<const std::byte*>(arguments.x) + from_first_[0] +
         swizzle() % part_pieces * Layout::piece * static_cast<int>(sizeof(Element));
#pragma unroll
    for (int part = parts - 1; part >= 0; --part) from_first_[part] -= from_first_[0];
  }

  /// Adds the products of tiles first, first + 1, ..., last - 1.
  __device__ __forceinline__ void multiply(Offset first, Offset last, Sums& sums) const {
    if (first == last) return;
    TileIndex index = load_index(first);
    for (Offset t = first; t < last; ++t) {
      const Tile tile = load_tile(t, index);
      if (t + 1 < last) index = load_index(t + 1);
      // For the assembler, which else moves loads behind what waits for the tile.
      __syncwarp();
      add_products(tile, sums);
    }
  }

  /// Reads the lane's part of two rows of X into a tile.
  __device__ __forceinline__ void load_rows(const int2& columns, Tile& tile) const {
    load_row(columns.x, tile.x[0]);
    load_row(columns.y, tile.x[1]);
  }

  /// Adds the products of one tile.
  __device__ __forceinline__ void add_products(const Tile& tile, Sums& sums) const {
    Element x[2][Layout::lane_columns];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if constexpr (x_access == 1) {
#pragma unroll
        for (int q = 0; q < Layout::lane_columns; ++q) x[i][q] = tile.x[i][q];
      } else {
        Layout::order_pieces(lane_, tile.x[i], x[i]);
      }
    }
    using TileProduct = TileProduct<Kind::precision>;
#pragma unroll
    for (int s = 0; s < Kind::strips; ++s) {
      const auto right = TileProduct::right(Sum(tile.a[s][0]), Sum(tile.a[s][1]));
#pragma unroll
      for (int m = 0; m < Operands::products; ++m) {
        if constexpr (Operands::half) {
          TileProduct::add(sums[s][m], x[0][m], x[1][m], right);
        } else {
          Scalar left[4];
          Layout::left_operand(x, m, left);
          TileProduct::add(sums[s][m], left, right);
        }
      }
    }
  }

  /// Writes the sums of an item: to Y or, of a piece of a window, to its slot of the workspace.
  __device__ __forceinline__ void finish(const CondensedItem<Offset>& item, const Sums& sums) const {
    Sum zeros = 0;  // NaN as soon as a sum is not finite
    for_each_result([&](int s, int p, int q) { zeros += Sum(0) * sums[s][q / 2][Layout::result(q, p)]; });
    if (some_are_nonfinite(zeros)) {
      SumsInMemory memory;
      for_each_result([&](int s, int p, int q) { memory.at(s, p, q) = sums[s][q / 2][Layout::result(q, p)]; });
      finish_nonfinite(arguments_, item, lane_, first_column_, memory);
    } else if (item.slot == CondensedItem<Offset>::direct) {
      store(item.window, sums);
    } else {
      store_partial(item.slot, sums);
    }
  }

 protected:
  /// Y = alpha sums + beta Y for the rows of a window.
  __device__ __forceinline__ void store(Ordinal window, const Sums& sums) const {
    const Product<MatrixScalar, Scalar>& product = arguments_.product;
    for_each_row([&](int s, int p) {
      const Ordinal row = window * (CondensedPattern<Offset>::strip_rows * Kind::strips) + window_row(s, p);
      if (row >= arguments_.A.rows) return;
      const Ordinal y_row = product.y_rows == nullptr ? row : product.y_rows[row];
      Scalar* y = product.y.data + y_row * product.y.row_stride;
      for_each_piece([&](int q) {
        alignas(16) Scalar result[y_access];
        alignas(16) Scalar before[y_access] = {};
        Scalar* to = y + column(q) * (y_access == 1 ? product.y.column_stride : 1);
        if (product.beta != Scalar(0)) load_once<y_access>(to, before);
#pragma unroll
        for (int i = 0; i < y_access; ++i) {
          const Scalar sum = sums[s][(q + i) / 2][Layout::result(q + i, p)];
          result[i] = scaled_and_added(product.alpha, sum, product.beta, [&] { return before[i]; });
        }
        store_y<Policy::y_caching, y_access>(to, result);
      });
    });
  }

  /// The sums of a piece of a window, to its slot of the workspace.
  __device__ __forceinline__ void store_partial(int slot, const Sums& sums) const {
    for_each_row([&](int s, int p) {
      const std::size_t row =
          std::size_t(slot) * CondensedPattern<Offset>::strip_rows * Kind::strips + window_row(s, p);
      Scalar* partial = arguments_.partials + row * arguments_.partials_stride;
      for_each_piece([&](int q) {
        alignas(16) Scalar result[y_access];
#pragma unroll
        for (int i = 0; i < y_access; ++i) result[i] = sums[s][(q + i) / 2][Layout::result(q + i, p)];
        *reinterpret_cast<vector_of_t<Scalar, y_access>*>(partial + column(q)) =
            *reinterpret_cast<const vector_of_t<Scalar, y_access>*>(result);
      });
    });
  }

  static constexpr bool compact = Kind::values == TileValues::Compact;

  static constexpr int x_access = Operands::x_access(access), y_access = Operands::y_access(access);

  // How a lane reads a row of X: in parts whose elements are adjacent, a part in pieces (see FragmentLayout).
  static constexpr int parts = Layout::lane_columns / x_access;
  static constexpr int part_pieces = x_access == 1 ? 1 : Layout::pieces / parts;
  __device__ __forceinline__ int swizzle() const { return x_access == 1 ? 0 : Layout::first_piece(lane_); }

  // Of the lane's column q, the number in X.
  __device__ __forceinline__ int column(int q) const { return first_column_ + Operands::column(lane_, q); }

  // What must be known of a tile before its rows of X and its values can be read.
  struct TileIndex {
    int2 columns;
    std::uint64_t masks[Kind::strips];  // where values are compact
    Offset first_value;
  };

  // A copy of the sums that is indexed by run-time numbers, which registers are not.
  struct SumsInMemory {
    Sum sums[Kind::strips][2][Operands::lane_columns];
    __device__ Sum& at(int s, int p, int q) { return sums[s][p][q]; }
  };

  // Writes sums, those that are not finite as sum_entries computes them. Not inlined, and without a result: hardly any
  // product comes here, and the registers are wanted elsewhere.
  static __device__ __noinline__ void finish_nonfinite(const Arguments& arguments, const CondensedItem<Offset>& item,
                                                       int lane, int first_column, SumsInMemory& memory) {
    constexpr int window_rows = CondensedPattern<Offset>::strip_rows * Kind::strips;
    const Product<MatrixScalar, Scalar>& product = arguments.product;
#pragma unroll 1
    for (int index = 0; index < Kind::strips * 2 * Operands::lane_columns; ++index) {
      const int q = index % Operands::lane_columns, p = index / Operands::lane_columns % 2;
      const int s = index / Operands::lane_columns / 2;
      const int column = first_column + Operands::column(lane, q);
      const int r = s * CondensedPattern<Offset>::strip_rows + Layout::result_row(lane, p);
      const Ordinal row = item.window * window_rows + r;
      if (column >= product.x.columns || row >= arguments.A.rows) continue;
      Scalar sum = memory.at(s, p, q);
      if (!isfinite(sum)) sum = sum_entries<Kind>(arguments, item.first_tile, item.tiles, r, column);
      if (item.slot == CondensedItem<Offset>::direct) {
        Scalar& y = product.y(product.y_rows == nullptr ? row : product.y_rows[row], column);
        y = scaled_and_added(product.alpha, sum, product.beta, [&] { return y; });
      } else {
        arguments.partials[(std::size_t(item.slot) * window_rows + r) * arguments.partials_stride + column] = sum;
      }
    }
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

  __device__ __forceinline__ Tile load_tile(Offset t, const TileIndex& index) const {
    Tile tile;
    load_rows(index.columns, tile);
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
    return tile;
  }

  __device__ __forceinline__ void load_row(Ordinal column, Element (&x)[Layout::lane_columns]) const {
    // One multiplication of 32 bits by 32: strides of 64 bits cost four instructions.
    const std::byte* row = x_ + std::size_t(static_cast<unsigned>(max(column, 0))) * arguments_.x_row_bytes;
#pragma unroll
    for (int j = 0; j < parts * part_pieces; ++j) {
      constexpr int piece_bytes = x_access / part_pieces * static_cast<int>(sizeof(Element));
      const auto part = reinterpret_cast<std::uintptr_t>(row + from_first_[j / part_pieces]);
      const auto* piece = reinterpret_cast<const Element*>(part ^ std::uintptr_t(j % part_pieces * piece_bytes));
      load_x<Policy::x_caching, x_access / part_pieces>(piece, x + j * (x_access / part_pieces));
    }
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

  // visit(q): the first of each `y_access` columns of the lane that X has.
  template <class Visit>
  __device__ __forceinline__ void for_each_piece(const Visit& visit) const {
#pragma unroll
    for (int q = 0; q < Operands::lane_columns; q += y_access) {
      if (column(q) < arguments_.product.x.columns) visit(q);
    }
  }

  template <class Visit>
  static __device__ __forceinline__ void for_each_result(const Visit& visit) {
    for_each_row([&](int s, int p) {
#pragma unroll
      for (int q = 0; q < Operands::lane_columns; ++q) visit(s, p, q);
    });
  }

  const Arguments& arguments_;
  int lane_;
  int first_column_;       // of the slab
  const std::byte* x_;     // row 0 of X, what the lane reads first
  int from_first_[parts];  // bytes from the part that the lane reads first
};

}  // namespace Tessera::Cuda
