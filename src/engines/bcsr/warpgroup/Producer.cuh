// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Arguments.cuh"

namespace Tessera::Impl::Cuda {

/// A thread of the warpgroup that copies strips of blocks, and their rows of X, to shared memory.
///
/// Lines are copied in bulk. Rows of X are copied 16 bytes at a time: bulk copies of single rows take 30 to 90 ns each
/// on an H200, one after another.
template <class Policy>
class WarpgroupProducer {
 public:
  using Operand = typename Policy::Operand;
  using Arguments = WarpgroupArguments<Operand>;
  static constexpr int unit_operands = 16 / static_cast<int>(sizeof(Operand));
  static constexpr int row_units = Policy::columns / unit_operands;  // of a slab
  static constexpr int copied_rows = Policy::producers / row_units;  // at once
  static_assert(Policy::producers % row_units == 0 && Policy::strip_columns % copied_rows == 0);

  /// thread: of the warpgroup
  __device__ __forceinline__ WarpgroupProducer(const Arguments& arguments, const WarpgroupBuffers<Policy>& buffers,
                                               int thread)
      : arguments_(arguments), buffers_(buffers), thread_(thread), first_row_(thread / row_units) {}

  __device__ __forceinline__ void run(const CondensedItem& item, int first_column) {
    const int column = first_column + thread_ % row_units * unit_operands;
    x_ = reinterpret_cast<const std::byte*>(arguments_.x + column);
    has_columns_ = column < arguments_.x_columns;
    const BlockStep* const steps = arguments_.steps + item.first_tile;
    BlockStep next = item.tiles > 0 ? steps[0] : BlockStep{};
#pragma unroll 1
    for (int i = 0; i < item.tiles; ++i) {
      const BlockStep step = next;
      if (i + 1 < item.tiles) next = steps[i + 1];
#pragma unroll 1
      for (int strip = 0; strip < Policy::strips; ++strip) {
        mbarrier_wait(buffers_.empty(place_.buffer), place_.parity ^ 1);
        if (thread_ == 0) copy_lines(step, strip);
        copy_rows(step.column * square_side + strip * Policy::strip_columns);
        mbarrier_arrive_after_copies(buffers_.full(place_.buffer));
        place_.advance();
      }
    }
  }

 private:
  __device__ __forceinline__ void copy_lines(const BlockStep& step, int strip) {
    std::uint64_t* const full = buffers_.full(place_.buffer);
    mbarrier_arrive_expect(full, panel_blocks * Policy::parts * Policy::strip_bytes);
#pragma unroll
    for (int b = 0; b < panel_blocks; ++b) {
      const std::size_t place = (std::size_t(step.blocks[b]) * Policy::strips + strip) * Policy::parts;
#pragma unroll
      for (int part = 0; part < Policy::parts; ++part) {
        bulk_copy(buffers_.lines(place_.buffer, b, part), arguments_.lines + (place + part) * Policy::strip_bytes,
                  Policy::strip_bytes, full);
      }
    }
  }

  __device__ __forceinline__ void copy_rows(Ordinal first) {
    Operand* to = buffers_.x(place_.buffer) + first_row_ * Policy::x_stride + thread_ % row_units * unit_operands;
    Ordinal column = first + first_row_;
#pragma unroll 4
    for (int i = 0; i < Policy::strip_columns / copied_rows; ++i) {
      // Rows that X does not have are multiplied by zeros. If they were not finite, sums would be computed again.
      const bool exists = column < arguments_.A.columns;
      if (has_columns_) {
        const Ordinal place = exists ? column : 0;
        const Ordinal row = arguments_.product.x_rows == nullptr ? place : arguments_.product.x_rows[place];
        copy_async_16(to, x_ + std::size_t(static_cast<unsigned>(row)) * arguments_.x_row_bytes, exists);
      }
      column += copied_rows;
      to += copied_rows * Policy::x_stride;
    }
  }

  const Arguments& arguments_;
  WarpgroupBuffers<Policy> buffers_;
  RingPlace<Policy::buffers> place_;
  int thread_, first_row_;
  const std::byte* x_ = nullptr;  // the thread's columns of row 0 of X
  bool has_columns_ = false;
};

}  // namespace Tessera::Impl::Cuda
