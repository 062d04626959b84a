// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../epilogue/Arithmetic.cuh"
#include "../epilogue/NonFinite.cuh"
#include "../fragments/Vectors.cuh"
#include "../ptx/AsyncCopy.cuh"
#include "Arguments.hpp"
#include "BlockMask.hpp"
#include "EntrySum.cuh"
#include "HalfTile.cuh"
#include "Tile.cuh"

namespace Tessera::Cuda {

/// A warp that multiplies blocks of a window with a slab of columns of X (SMaT, Algorithm 1).
///
/// It has a ring of stages in shared memory, to itself: blocks and the rows of X that they touch are copied there while
/// it multiplies those before them. Nobody else waits for it, or makes it wait.
///
/// gathers: X has its rows in another order (x_rows). Numbers that are the same for all lanes come from __shfl_sync, so
/// that the compiler knows.
template <class Kind, class Policy, bool gathers, class Offset, class Scalar>
class BcsrAgent {
 public:
  using Tile = std::conditional_t<Kind::half, BcsrHalfTile<Kind, Policy>, BcsrTile<Kind, Policy>>;
  using Operand = typename Kind::Operand;
  using Arguments = BcsrArguments<Offset, Scalar, Operand>;
  using Sums = typename Tile::Sums;
  static_assert(std::is_same_v<Scalar, typename Tile::Scalar>);

  /// Of a warp.
  static constexpr int shared_bytes = Policy::stages * Tile::units * 16;

  __device__ __forceinline__ BcsrAgent(const Arguments& arguments, uint4* ring, unsigned slab, int lane)
      : arguments_(arguments), ring_(ring), lane_(lane), first_column_(static_cast<int>(slab) * Policy::columns) {
    const int first = first_column_ + lane % Tile::row_units * Tile::unit_operands, left = arguments.x_columns - first;
    x_ = reinterpret_cast<const std::byte*>(arguments.x + (left > 0 ? first : 0));
    if constexpr (!gathers) x_ += std::size_t(lane / Tile::row_units) * arguments.x_row_bytes;
    whole_units_ = left >= Tile::unit_operands ? ~0u : 0;
    part_bytes_ = left > 0 && left < Tile::unit_operands ? left * static_cast<int>(sizeof(Operand)) : 0;
    has_part_ = first_column_ + Policy::columns > arguments.x_columns && arguments.x_columns % Tile::unit_operands != 0;
  }

  /// Adds the products of all blocks of an item.
  __device__ __forceinline__ void multiply(const CondensedItem<Offset>& item, Sums& sums) const {
    if (item.tiles == 0) return;
    clear_rows();
    __syncwarp();
    BlockWalk walk(arguments_, item, lane_);
    uint4 *stage = ring_, *const end = ring_ + Policy::stages * Tile::units;
#pragma unroll 1
    for (; stage != end; stage += Tile::units) copy_next(walk, stage);
#pragma unroll 1
    for (int block = 0; block < item.tiles; ++block) {
      stage = stage == end ? ring_ : stage;
      if constexpr (Policy::asynchronous) wait_copies<Policy::stages - 1>();
      __syncwarp();
      if constexpr (Policy::tensor_cores) {
        typename Tile::Fragments fragments;
        Tile::load(stage, lane_, fragments);
        __syncwarp();
        copy_next(walk, stage);
        Tile::add(fragments, sums);
      } else {
        add_on_cuda_cores(stage, sums);
        __syncwarp();
        copy_next(walk, stage);
      }
      stage += Tile::units;
    }
    if constexpr (Policy::asynchronous) wait_copies<0>();
  }

  /// Writes the sums of an item: to Y or, of a piece of a window, to its slot of the workspace.
  __device__ __forceinline__ void finish(const CondensedItem<Offset>& item, const Sums& sums) const {
    Scalar zeros = 0;  // NaN as soon as a sum is not finite
    for_each_result([&](int p, int q) { zeros += Scalar(0) * Tile::at(sums, p, q); });
    if (some_are_nonfinite(zeros)) {
      SumsInMemory memory;
      for_each_result([&](int p, int q) { memory.sums[p][q] = Tile::at(sums, p, q); });
      finish_nonfinite(arguments_, item, lane_, first_column_, memory);
    } else if (item.slot == CondensedItem<Offset>::direct) {
      store(item.window, sums);
    } else {
      store_partial(item.slot, sums);
    }
  }

 private:
  // The blocks of an item one after the other, and what must be copied of each: nothing beyond the last one.
  //
  // Columns and masks are read 32 blocks at a time, most of them long before they are wanted, a block a lane; rows that
  // X has elsewhere (x_rows) one block ahead.
  class BlockWalk {
   public:
    __device__ __forceinline__ BlockWalk(const Arguments& arguments, const CondensedItem<Offset>& item, int lane)
        : arguments_(arguments), count_(item.tiles), lane_(lane), first_block_(item.first_tile) {
      values_ = reinterpret_cast<const uint4*>(arguments.values) + std::size_t(first_block_) * Tile::a_units + lane;
      later_ = load(0);
      take_later();
    }

    /// By all lanes, as what follows.
    __device__ __forceinline__ Ordinal first_column() const { return from_owner(now_.column) * Kind::width; }
    /// Bit r: the block's row r of X is wanted.
    __device__ __forceinline__ unsigned wanted_rows() const { return from_owner(now_.rows); }
    /// Whether the block's unit lane + 32 i of values is wanted.
    __device__ __forceinline__ bool wants_unit(int i) const { return (from_owner(now_.units[i]) >> lane_ & 1u) != 0; }
    /// The lane's first unit of values.
    __device__ __forceinline__ const uint4* values() const { return values_; }
    /// Where x_rows is given: the row of X that is the block's row r, for lane r < Kind::width.
    __device__ __forceinline__ Ordinal row() const { return row_; }

    __device__ __forceinline__ void advance() {
      values_ += Tile::a_units;
      if (++index_ % 32 == 0) {
        take_later();
      } else if constexpr (gathers) {
        row_ = load_row();
      }
    }

   private:
    using Mask = BlockMask<Kind::height, Kind::width>;
    static constexpr int unit_words = (Tile::a_units + 31) / 32;
    struct Loaded {
      Ordinal column;
      Mask mask;
    };
    struct Wanted {
      Ordinal column;
      unsigned rows;
      std::uint32_t units[unit_words];
    };

    __device__ __forceinline__ Loaded load(int first) const {
      Loaded loaded = {};
      if (first + lane_ >= count_) return loaded;
      const std::size_t block = std::size_t(first_block_) + static_cast<unsigned>(first + lane_);
      loaded.column = __ldcs(arguments_.A.block_columns + block);
#pragma unroll
      for (int w = 0; w < Mask::words; ++w) {
        loaded.mask.at[w] = __ldcs(arguments_.A.block_masks + block * Mask::words + w);
      }
      return loaded;
    }

    __device__ __forceinline__ void take_later() {
      now_.column = later_.column;
      now_.rows = later_.mask.columns();
      later_.mask.template units<Tile::unit_operands>(now_.units);
      if (index_ + lane_ < count_) {
        const Ordinal left = arguments_.A.columns - later_.column * Kind::width;
        if constexpr (!Policy::skips_rows) now_.rows = (1u << min(left, Kind::width)) - 1;
#pragma unroll
        for (int i = 0; !Policy::skips_values && i < unit_words; ++i) now_.units[i] = ~0u;
      }
      later_ = load(index_ + 32);
      if constexpr (gathers) row_ = load_row();
    }

    // Of no block, after the last one, it is any.
    __device__ __forceinline__ Ordinal load_row() const {
      const Ordinal column = first_column() + lane_ % Kind::width;
      return __ldg(arguments_.product.x_rows + min(column, arguments_.A.columns - 1));
    }

    template <class T>
    __device__ __forceinline__ T from_owner(T value) const {
      return __shfl_sync(0xffffffffu, value, index_ % 32);
    }

    const Arguments& arguments_;
    int count_, lane_, index_ = 0;
    Offset first_block_;
    const uint4* values_;
    Wanted now_;
    Loaded later_;
    Ordinal row_ = 0;
  };

  // Begins to copy the next block, if there is one, and ends a group of copies.
  __device__ __forceinline__ void copy_next(BlockWalk& walk, uint4* to) const {
#pragma unroll
    for (int i = 0; i < (Tile::a_units + 31) / 32; ++i) {
      const int unit = lane_ + 32 * i;
      const bool is_wanted = walk.wants_unit(i);
      if (Tile::a_units % 32 == 0 || unit < Tile::a_units) {
        copy_unit(to + Tile::a_place(unit), walk.values() + 32 * i, is_wanted);
      }
    }
    const unsigned wanted = walk.wanted_rows() >> (lane_ / Tile::row_units);
    copy_rows(walk, wanted & whole_units_, to, [](uint4* place, const std::byte* from) { copy(place, from); });
    if (has_part_) {
      const int bytes = part_bytes_;
      copy_rows(walk, bytes > 0 ? wanted : 0, to,
                [bytes](uint4* place, const std::byte* from) { copy_filled(place, from, bytes); });
    }
    walk.advance();
    if constexpr (Policy::asynchronous) commit_copies();
  }

  // Rows that the block has no entry for, and columns that X does not have, stay what they were: some number, which is
  // multiplied by zero or not wanted. (It may be an infinity from a block before; then the sum is computed anew.)
  template <class Copy>
  __device__ __forceinline__ void copy_rows(const BlockWalk& walk, unsigned wanted, uint4* to, const Copy& copy) const {
    const std::byte* from = gathers ? nullptr : row_of_x(walk.first_column());
    for_each_copy([&](int r, int i, int unit) {
      if constexpr (gathers) from = row_of_x(__shfl_sync(0xffffffffu, walk.row(), r));
      if ((wanted >> i & 1u) != 0) copy(to + unit, from);
      if constexpr (!gathers) from += std::size_t(copied_rows) * arguments_.x_row_bytes;
    });
  }

  // A warp copies 512 bytes at once: some rows of X, or part of one.
  static constexpr int copied_rows = 32 / Tile::row_units;
  static_assert(Tile::row_units <= 32 && Kind::width % copied_rows == 0);

  // visit(row of the block's, the same of lane 0, place in the stage).
  template <class Visit>
  __device__ __forceinline__ void for_each_copy(const Visit& visit) const {
    const int first = lane_ / Tile::row_units, unit = lane_ % Tile::row_units;
#pragma unroll
    for (int r = 0; r < Kind::width; r += copied_rows) visit(first + r, r, Tile::x_place(first + r, unit));
  }

  __device__ __forceinline__ const std::byte* row_of_x(Ordinal row) const {
    return x_ + std::size_t(static_cast<unsigned>(row)) * arguments_.x_row_bytes;
  }

  // Zeros at first, so that what is not copied is a number.
  __device__ __forceinline__ void clear_rows() const {
#pragma unroll
    for (int stage = 0; stage < Policy::stages; ++stage) {
      for_each_copy([&](int, int, int unit) { ring_[stage * Tile::units + unit] = uint4{0, 0, 0, 0}; });
    }
  }

  // Units of values without an entry become zeros, and are not read.
  static __device__ __forceinline__ void copy_unit(uint4* to, const uint4* from, bool is_wanted) {
    if constexpr (!Policy::asynchronous) {
      *to = is_wanted ? __ldcs(from) : uint4{0, 0, 0, 0};
    } else if constexpr (Policy::skips_values) {
      copy_async_16(to, from, is_wanted);
    } else {
      if (is_wanted) copy_async_16(to, from);
    }
  }
  static __device__ __forceinline__ void copy(uint4* to, const std::byte* from) {
    if constexpr (!Policy::asynchronous) {
      *to = __ldg(reinterpret_cast<const uint4*>(from));
    } else if constexpr (Policy::cached_rows) {
      copy_async_cached<16>(to, from);
    } else {
      copy_async_16(to, from);
    }
  }
  static __device__ __forceinline__ void copy_filled(uint4* to, const std::byte* from, int valid) {
    if constexpr (!Policy::asynchronous) {
      constexpr int operands = Tile::unit_operands, size = static_cast<int>(sizeof(Operand));
      alignas(16) Operand values[operands];
#pragma unroll
      for (int i = 0; i < operands; ++i) {
        values[i] = i * size < valid ? __ldg(reinterpret_cast<const Operand*>(from) + i) : Operand(0);
      }
      *to = *reinterpret_cast<const uint4*>(values);
    } else if constexpr (Policy::cached_rows) {
      copy_async_cached_filled(to, from, valid);
    } else {
      copy_async_16_filled(to, from, valid);
    }
  }

  __device__ __forceinline__ void add_on_cuda_cores(const uint4* stage, Sums& sums) const {
#pragma unroll 1
    for (int k = 0; k < Kind::width; ++k) {
      for_each_result([&](int p, int q) {
        Scalar& sum = Tile::at(sums, p, q);
        const Scalar a = Tile::a_element(stage, Tile::row(lane_, p), k);
        sum = fused(a, Scalar(Tile::x_element(stage, k, Tile::column(lane_, q))), sum);
      });
    }
  }

  /// Y = alpha sums + beta Y for the rows of a window.
  __device__ __forceinline__ void store(Ordinal window, const Sums& sums) const {
    const Product<Scalar, Scalar>& product = arguments_.product;
#pragma unroll
    for (int p = 0; p < Tile::result_rows; ++p) {
      const Ordinal row = window * Kind::height + Tile::row(lane_, p);
      if (row >= arguments_.A.rows) continue;
      const Ordinal y_row = product.y_rows == nullptr ? row : product.y_rows[row];
      for_each_vector([&](int q, int column, int count) {
        Scalar* y = &product.y(y_row, column);
        const std::ptrdiff_t stride = product.y.column_stride;
        alignas(16) Scalar values[Tile::vector] = {};
        const bool whole = arguments_.y_vectors && count == Tile::vector;
        if (product.beta != Scalar(0)) {
          if (whole) {
            load_once<Tile::vector>(y, values);
          } else {
#pragma unroll
            for (int i = 0; i < Tile::vector; ++i) {
              if (i < count) values[i] = y[i * stride];
            }
          }
        }
#pragma unroll
        for (int i = 0; i < Tile::vector; ++i) {
          values[i] =
              scaled_and_added(product.alpha, Tile::at(sums, p, q + i), product.beta, [&] { return values[i]; });
        }
        if (whole) return store_once<Tile::vector>(y, values);
#pragma unroll
        for (int i = 0; i < Tile::vector; ++i) {
          if (i < count) y[i * stride] = values[i];
        }
      });
    }
  }

  /// The sums of a piece of a window, to its slot of the workspace, whose rows are padded to vectors.
  __device__ __forceinline__ void store_partial(int slot, const Sums& sums) const {
#pragma unroll
    for (int p = 0; p < Tile::result_rows; ++p) {
      const std::size_t row = std::size_t(slot) * Kind::height + Tile::row(lane_, p);
      Scalar* partial = arguments_.partials + row * arguments_.partials_stride;
      for_each_vector([&](int q, int column, int) {
        alignas(16) Scalar values[Tile::vector];
#pragma unroll
        for (int i = 0; i < Tile::vector; ++i) values[i] = Tile::at(sums, p, q + i);
        *reinterpret_cast<vector_of_t<Scalar, Tile::vector>*>(partial + column) =
            *reinterpret_cast<const vector_of_t<Scalar, Tile::vector>*>(values);
      });
    }
  }

  // A copy of the sums that is indexed by run-time numbers, which registers are not.
  struct SumsInMemory {
    Scalar sums[Tile::result_rows][Tile::result_columns];
  };

  // Writes sums, those that are not finite as sum_entries computes them. Not inlined, and without a result: hardly any
  // product comes here, and the registers are wanted elsewhere.
  static __device__ __noinline__ void finish_nonfinite(const Arguments& arguments, const CondensedItem<Offset>& item,
                                                       int lane, int first_column, SumsInMemory& memory) {
    const Product<Scalar, Scalar>& product = arguments.product;
#pragma unroll 1
    for (int index = 0; index < Tile::result_rows * Tile::result_columns; ++index) {
      const int p = index / Tile::result_columns, q = index % Tile::result_columns;
      const int column = first_column + Tile::column(lane, q), r = Tile::row(lane, p);
      const Ordinal row = item.window * Kind::height + r;
      if (column >= product.y.columns || row >= arguments.A.rows) continue;
      Scalar sum = memory.sums[p][q];
      if (!isfinite(sum)) sum = sum_entries(arguments, item.first_tile, item.tiles, r, column);
      if (item.slot == CondensedItem<Offset>::direct) {
        Scalar& y = product.y(product.y_rows == nullptr ? row : product.y_rows[row], column);
        y = scaled_and_added(product.alpha, sum, product.beta, [&] { return y; });
      } else {
        arguments.partials[(std::size_t(item.slot) * Kind::height + r) * arguments.partials_stride + column] = sum;
      }
    }
  }

  // visit(q, column of Y, how many of the vector's Y has): the lane's vectors, but those that Y has nothing of.
  template <class Visit>
  __device__ __forceinline__ void for_each_vector(const Visit& visit) const {
#pragma unroll
    for (int q = 0; q < Tile::result_columns; q += Tile::vector) {
      const int column = first_column_ + Tile::column(lane_, q);
      const int count = min(arguments_.product.y.columns - column, Tile::vector);
      if (count > 0) visit(q, column, count);
    }
  }

  template <class Visit>
  static __device__ __forceinline__ void for_each_result(const Visit& visit) {
#pragma unroll
    for (int p = 0; p < Tile::result_rows; ++p) {
#pragma unroll
      for (int q = 0; q < Tile::result_columns; ++q) visit(p, q);
    }
  }

  const Arguments& arguments_;
  uint4* ring_;
  int lane_;
  int first_column_;    // of the slab
  const std::byte* x_;  // what the lane copies of row 0; unless it gathers, of the first row that it copies of a block
  unsigned whole_units_;  // all bits, if X has all columns that the lane copies
  int part_bytes_;        // if it has some of them: how many bytes
  bool has_part_;         // a lane has some
};

}  // namespace Tessera::Cuda
