// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <type_traits>

#include "BlockMask.hpp"
#include "HalfTile.cuh"
#include "Tile.cuh"
#include "bcsr/BcsrView.hpp"
#include "condensed/cuda/Schedule.hpp"
#include "epilogue/Epilogue.cuh"
#include "ptx/AsyncCopy.cuh"
#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// The arguments of the kernels for rows of blocks.
///
/// `product` has the caller's X and values, for sums that are computed entry by entry. Tensor cores multiply `x` and
/// `values`. These have the kernel's type of operands, and their rows can be copied 16 bytes at a time.
template <class Scalar, class Operand>
struct BcsrArguments {
  BcsrPattern A;
  CondensedSchedule schedule;
  Product<Scalar, Scalar> product;
  // Not derived from WindowArguments: its member order makes nvcc 13.0 allocate registers differently.
  const Operand* values = nullptr;
  const Operand* x = nullptr;
  unsigned x_row_bytes = 0;            // bytes from one row of x to the next
  Ordinal x_columns = 0;               // number of columns of x, with padding
  bool y_vectors = false;              // whether rows of Y can be written 16 bytes at a time
  unsigned slabs = 0;                  // number of slabs that the columns of the product are cut into
  Scalar* partials = nullptr;          // sums of the pieces of windows
  std::ptrdiff_t partials_stride = 0;  // elements from one row of partials to the next
};

/// A warp that multiplies blocks of a window by a slab of columns of X (SMaT, Algorithm 1).
///
/// The warp has a ring of stages in shared memory of its own. It copies blocks, and the rows of X that they need, into
/// the ring while it multiplies earlier blocks. It waits for no other warp.
///
/// With `gathers`, the rows of X have another order (x_rows). Values that are the same for all lanes are read by
/// __shfl_sync, so the compiler knows that they are the same.
template <class Kind, class Policy, bool gathers, class Scalar>
class BcsrAgent {
 public:
  using Tile = std::conditional_t<Kind::half, BcsrHalfTile<Kind, Policy>, BcsrTile<Kind, Policy>>;
  using Operand = typename Kind::Operand;
  using Arguments = BcsrArguments<Scalar, Operand>;
  using Sums = typename Tile::Sums;
  static_assert(std::is_same_v<Scalar, typename Tile::Scalar>);

  /// Bytes of shared memory of a warp.
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
  __device__ __forceinline__ void multiply(const CondensedItem& item, Sums& sums) const {
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
      wait_copies<Policy::stages - 1>();
      __syncwarp();
      typename Tile::Fragments fragments;
      Tile::load(stage, lane_, fragments);
      __syncwarp();
      copy_next(walk, stage);
      Tile::add(fragments, sums);
      stage += Tile::units;
    }
    wait_copies<0>();
  }

  /// The sums of a window that a lane holds (see Epilogue). Sums of columns beyond X are finite, or are computed again.
  struct Fragment : Tile {
    using Sum = Scalar;
    static constexpr int rows = Tile::result_rows, columns = Tile::result_columns, window_rows = Kind::height;
    static constexpr bool is_whole = false, has_rest = false, reads_ahead = false;

    /// Returns a sum of entries, computed in the caller's precision.
    static __device__ __forceinline__ Scalar sum_entries(const Arguments& arguments, const CondensedItem& item, int row,
                                                         int column) {
      const BcsrPattern& A = arguments.A;
      const Product<Scalar, Scalar>& product = arguments.product;
      Scalar sum = 0;
      for (Offset block = item.first_tile; block < item.first_tile + static_cast<Offset>(item.tiles); ++block) {
        const std::size_t first_place = std::size_t(block) * A.block.size() + row * A.block.width;
        const Ordinal first_column = A.block_columns[block] * A.block.width;
        for (std::uint64_t bits = bcsr_row_bits(A, std::size_t(block), row); bits != 0; bits &= bits - 1) {
          const int c = lowest_bit(bits);
          const Ordinal x_row = product.x_rows == nullptr ? first_column + c : product.x_rows[first_column + c];
          sum += product.values[first_place + c] * product.x(x_row, column);
        }
      }
      return sum;
    }
  };

  /// Writes the sums of an item to Y. The sums of a piece of a window are written to its slot of the workspace.
  __device__ __forceinline__ void finish(const CondensedItem& item, const Sums& sums) const {
    Epilogue<Fragment, Arguments>(arguments_, lane_, first_column_).finish(item, sums);
  }

 private:
  // Visits the blocks of an item, and says what to copy of each: nothing after the last block.
  //
  // The warp reads columns and masks of 32 blocks at a time, one per lane, usually long before it needs them. It reads
  // x_rows one block ahead.
  class BlockWalk {
   public:
    __device__ __forceinline__ BlockWalk(const Arguments& arguments, const CondensedItem& item, int lane)
        : arguments_(arguments), count_(item.tiles), lane_(lane), first_block_(item.first_tile) {
      values_ = reinterpret_cast<const uint4*>(arguments.values) + std::size_t(first_block_) * Tile::a_units + lane;
      later_ = load(0);
      take_later();
    }

    /// Returns the block's first column. All lanes call this and the functions below.
    __device__ __forceinline__ Ordinal first_column() const { return from_owner(now_.column) * Kind::width; }
    /// Returns a word in which bit r is set if the block needs its row r of X.
    __device__ __forceinline__ unsigned wanted_rows() const { return from_owner(now_.rows); }
    /// Whether the block needs unit lane + 32 i of its values.
    __device__ __forceinline__ bool wants_unit(int i) const { return (from_owner(now_.units[i]) >> lane_ & 1u) != 0; }
    /// Returns the lane's first unit of values.
    __device__ __forceinline__ const uint4* values() const { return values_; }
    /// Returns the row of X that is the block's row r, in lane r < Kind::width. Valid with x_rows only.
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
#pragma unroll
        for (int i = 0; !Policy::skips_values && i < unit_words; ++i) now_.units[i] = ~0u;
      }
      later_ = load(index_ + 32);
      if constexpr (gathers) row_ = load_row();
    }

    // Loads an element of x_rows for the lane. After the last block it may be any element.
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

  // Starts to copy the next block, if there is one, and commits the group of copies.
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
    // Rows of X are copied through the L1 cache, so neighbouring warps find them there.
    copy_rows(walk, wanted & whole_units_, to,
              [](uint4* place, const std::byte* from) { copy_async_cached<16>(place, from); });
    if (has_part_) {
      const int bytes = part_bytes_;
      copy_rows(walk, bytes > 0 ? wanted : 0, to,
                [bytes](uint4* place, const std::byte* from) { copy_async_cached_filled(place, from, bytes); });
    }
    walk.advance();
    commit_copies();
  }

  // Copies rows of X. Rows without an entry in the block, and columns beyond X, keep their old content. That content is
  // multiplied by zero, or the result is not used. If it is infinite, the sum is computed again.
  template <class Copy>
  __device__ __forceinline__ void copy_rows(const BlockWalk& walk, unsigned wanted, uint4* to, const Copy& copy) const {
    const std::byte* from = gathers ? nullptr : row_of_x(walk.first_column());
    for_each_copy([&](int r, int i, int unit) {
      if constexpr (gathers) from = row_of_x(__shfl_sync(0xffffffffu, walk.row(), r));
      if ((wanted >> i & 1u) != 0) copy(to + unit, from);
      if constexpr (!gathers) from += std::size_t(copied_rows) * arguments_.x_row_bytes;
    });
  }

  // Number of rows of X that a warp copies at once, in 512 bytes.
  static constexpr int copied_rows = 32 / Tile::row_units;
  static_assert(Tile::row_units <= 32 && Kind::width % copied_rows == 0);

  // Calls visit(row of the block for this lane, row for lane 0, place in the stage).
  template <class Visit>
  __device__ __forceinline__ void for_each_copy(const Visit& visit) const {
    const int first = lane_ / Tile::row_units, unit = lane_ % Tile::row_units;
#pragma unroll
    for (int r = 0; r < Kind::width; r += copied_rows) visit(first + r, r, Tile::x_place(first + r, unit));
  }

  __device__ __forceinline__ const std::byte* row_of_x(Ordinal row) const {
    return x_ + std::size_t(static_cast<unsigned>(row)) * arguments_.x_row_bytes;
  }

  // Fills the rows with zeros, because elements that are not copied must be finite.
  __device__ __forceinline__ void clear_rows() const {
#pragma unroll
    for (int stage = 0; stage < Policy::stages; ++stage) {
      for_each_copy([&](int, int, int unit) { ring_[stage * Tile::units + unit] = uint4{0, 0, 0, 0}; });
    }
  }

  // Copies a unit of values. A unit without an entry is not read; zeros are written.
  static __device__ __forceinline__ void copy_unit(uint4* to, const uint4* from, bool is_wanted) {
    if constexpr (Policy::skips_values) {
      copy_async_16(to, from, is_wanted);
    } else {
      if (is_wanted) copy_async_16(to, from);
    }
  }

  const Arguments& arguments_;
  uint4* ring_;
  int lane_;
  int first_column_;      // first column of the slab
  const std::byte* x_;    // the lane's part of row 0 of X; without `gathers`, of the lane's first row of a block
  unsigned whole_units_;  // all bits are set if no column that the lane copies is beyond X
  int part_bytes_;        // bytes of the lane's columns that X has, if it has some but not all of them
  bool has_part_;         // whether some lane has a part
};

}  // namespace Tessera::Impl::Cuda
