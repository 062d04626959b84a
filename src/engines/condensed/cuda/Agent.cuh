// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <type_traits>

#include "Arguments.hpp"
#include "epilogue/Epilogue.cuh"
#include "fragments/Layout.hpp"
#include "fragments/TileProduct.cuh"
#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// A warp that multiplies tiles of a window by a slab of columns of X.
///
/// access is the number of columns of X and Y that a lane reads or writes at once (CondensedOperands). It is 1 if
/// addresses are not aligned for wider access.
///
/// For a tile column without a matrix column, lanes read row 0 of X and multiply it by zeros. Row 0 exists if there is
/// a tile.
template <class Kind, class Policy, int access, class MatrixScalar, class Scalar>
class CondensedAgent {
 public:
  using Arguments = CondensedArguments<MatrixScalar, Scalar>;
  using Operands = CondensedOperands<Kind::precision, Scalar, Policy::columns, Policy::reads>;
  using Element = typename Operands::Element;
  using Sum = typename Operands::Sum;
  using Factor = sum_of_t<Scalar>;
  using Layout = typename Operands::Elements;
  using Sums = Sum[Kind::strips][Operands::products][4];

  static constexpr bool compact = Kind::values == TileValues::Compact, rounded = Kind::values == TileValues::Rounded;
  static_assert(!rounded || (Operands::half && Kind::strips == 1));

  /// A lane's part of a tile: parts of two rows of X, in the order of reading, and two elements of each strip's block.
  struct alignas(16) Tile {
    Element x[2][Layout::lane_columns];
    std::conditional_t<rounded, std::uint32_t, MatrixScalar[2]> a[Kind::strips];
  };

  __device__ __forceinline__ CondensedAgent(const Arguments& arguments, int slab, int lane)
      : arguments_(arguments), lane_(lane), first_column_(slab * Policy::columns) {
    // A lane whose columns are beyond the last of X reads the last columns of X instead. Its results are not used.
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
      // Prevents the assembler from moving loads behind the instructions that wait for the tile.
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
      const auto right = right_operand(tile, s);
#pragma unroll
      for (int m = 0; m < Operands::products; ++m) {
        if constexpr (Operands::half) {
          TileProduct::add(sums[s][m], TileProduct::left(x[0][m], x[1][m]), right);
        } else {
          Scalar left[4];
          Layout::left_operand(x, m, left);
          TileProduct::add(sums[s][m], TileProduct::operand(left), right);
        }
      }
    }
  }

  /// Returns the lane's elements of a strip's block as an operand.
  static __device__ __forceinline__ auto right_operand(const Tile& tile, int s) {
    if constexpr (rounded) {
      return tile.a[s];
    } else {
      const Sum a[2] = {Sum(tile.a[s][0]), Sum(tile.a[s][1])};
      return TileProduct<Kind::precision>::operand(a);
    }
  }

  /// The sums of a window that a lane holds (see Epilogue).
  struct Fragment {
    using Sum = typename Operands::Sum;
    static constexpr int rows = 2 * Kind::strips, columns = Operands::lane_columns, vector = Operands::y_access(access);
    static constexpr int window_rows = CondensedPattern::strip_rows * Kind::strips;
    static constexpr bool is_whole = true, has_rest = false, reads_ahead = false;
    static __device__ __forceinline__ int row(int lane, int p) {
      return p / 2 * CondensedPattern::strip_rows + Layout::result_row(lane, p % 2);
    }
    static __device__ __forceinline__ int column(int lane, int q) { return Operands::column(lane, q); }
    template <class AnySums>
    static __device__ __forceinline__ auto& at(AnySums& sums, int p, int q) {
      return sums[p / 2][q / 2][Layout::result(q, p % 2)];
    }
    static __device__ __forceinline__ Factor sum_entries(const Arguments& arguments, const CondensedItem& item, int row,
                                                         int column) {
      using Pattern = CondensedPattern;
      const Pattern& A = arguments.A;
      const int strip = row / Pattern::strip_rows, r = row % Pattern::strip_rows;
      Factor sum = 0;
      for (Offset tile = item.first_tile; tile < item.first_tile + static_cast<Offset>(item.tiles); ++tile) {
        const std::uint64_t* masks = A.tile_masks + std::size_t(tile) * Kind::strips;
        std::size_t place = std::size_t(A.tile_offsets[tile]) + popcount(masks[strip] & low_bits(8 * r));
        for (int s = 0; s < strip; ++s) place += popcount(masks[s]);
        const std::size_t dense_row = (std::size_t(tile) * Kind::strips + strip) * Pattern::block_size + 8 * r;
        for (unsigned bits = row_of_mask(masks[strip], r); bits != 0; bits &= bits - 1, ++place) {
          const int c = lowest_bit(bits);
          const MatrixScalar a = arguments.product.values[compact || rounded ? place : dense_row + c];
          sum += Factor(a) *
                 Factor(arguments.product.x(A.tile_columns[std::size_t(tile) * Pattern::tile_width + c], column));
        }
      }
      return sum;
    }
  };

  /// Writes the sums of an item to Y. The sums of a piece of a window are written to its slot of the workspace.
  __device__ __forceinline__ void finish(const CondensedItem& item, const Sums& sums) const {
    Epilogue<Fragment, Arguments, Policy::y_caching>(arguments_, lane_, first_column_).finish(item, sums);
  }

 protected:
  static constexpr int x_access = Operands::x_access(access);

  // A lane reads its share of a row of X in contiguous parts, and each part in pieces (see FragmentLayout).
  static constexpr int parts = Layout::lane_columns / x_access;
  static constexpr int part_pieces = x_access == 1 ? 1 : Layout::pieces / parts;
  __device__ __forceinline__ int swizzle() const { return x_access == 1 ? 0 : Layout::first_piece(lane_); }

  // The data that a lane needs before it can read the rows of X and the values of a tile.
  struct TileIndex {
    int2 columns;
    std::uint64_t masks[Kind::strips];  // masks and first_value are for compact values
    Offset first_value;
  };

  __device__ __forceinline__ TileIndex load_index(Offset tile) const {
    const CondensedPattern& A = arguments_.A;
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
    } else if constexpr (rounded) {
      const std::uint16_t* block = arguments_.rounded_values + std::size_t(t) * CondensedPattern::block_size;
      tile.a[0] = __ldcs(reinterpret_cast<const std::uint32_t*>(block + Layout::first_element(lane_)));
    } else {
#pragma unroll
      for (int s = 0; s < Kind::strips; ++s) {
        const std::size_t block = std::size_t(t) * Kind::strips + s;
        const MatrixScalar* place = arguments_.product.values + block * CondensedPattern::block_size;
        load_once<2>(place + Layout::first_element(lane_), tile.a[s]);
      }
    }
    return tile;
  }

  __device__ __forceinline__ void load_row(Ordinal column, Element (&x)[Layout::lane_columns]) const {
    // One multiplication of 32 bits by 32 bits. A 64-bit stride would cost four instructions.
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

  const Arguments& arguments_;
  int lane_;
  int first_column_;       // the first column of the slab
  const std::byte* x_;     // address of the first elements that the lane reads in row 0 of X
  int from_first_[parts];  // distance in bytes from the part that the lane reads first to each part
};

}  // namespace Tessera::Impl::Cuda
