// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>

#include "EntryColumns.cuh"
#include "csr/cuda/Schedule.hpp"
#include "epilogue/Epilogue.cuh"
#include "ptx/Load.cuh"
#include "ptx/Memory.cuh"

/// Common parts of the agents of csr_spmm.
namespace Tessera::Impl::Cuda {

/// Arguments of a launch. Its items are pieces of long rows, and rows. Pieces are first because they take longest.
/// Thread block (b, s) computes slab s. All blocks of a slab precede those of the next slab.
///
/// \tparam Pattern_  compressed rows, whose columns are read through EntryColumns
template <class MatrixScalar_, class VectorScalar, class Pattern_>
struct CsrTask {
  using Scalar = sum_of_t<VectorScalar>;  // the type of sums
  using InMemory = VectorScalar;          // the type of X and Y
  using MatrixScalar = MatrixScalar_;
  using Pattern = Pattern_;
  using Columns = EntryColumns<Pattern>;

  Pattern A;
  Product<MatrixScalar, VectorScalar> product;
  CsrSchedule schedule;
  Scalar* partial_sums = nullptr;  // pieces x partial_stride
  Ordinal partial_stride = 0;
  Ordinal pieces = 0;             // pieces of the schedule
  Ordinal rows = 0;               // rows of A
  unsigned piece_blocks = 0;      // number of blocks for pieces only, before those for rows, if blocks sort their rows
  int lane_bits = 5;              // a group has 2^lane_bits lanes, so that no kernel divides
  unsigned rounds = 1;            // number of items of a group, if blocks sort their rows
  int tile_row_bits = 0;          // a block collects 2^tile_row_bits rows (CsrRowTile)
  std::uint32_t x_row_bytes = 0;  // row stride of X with adjacent columns: the address of a row takes one multiply-add

  __device__ int lanes() const { return 1 << lane_bits; }
  __device__ Ordinal slab() const { return static_cast<Ordinal>(blockIdx.y); }
  /// Returns the item of the calling thread's group. The groups of a block compute adjacent items, so rows of X that
  /// these items share stay in the L1 cache.
  __device__ std::int64_t item() const { return std::int64_t(blockIdx.x) * (blockDim.x >> lane_bits) + group(); }
  /// Returns the index of the calling thread's group in the block.
  __device__ int group() const { return static_cast<int>(threadIdx.x >> lane_bits); }
  /// Returns the index of the calling thread in its group.
  __device__ int lane() const { return static_cast<int>(threadIdx.x) & (lanes() - 1); }
  /// Returns the row of X for an entry of A in this column.
  __device__ Ordinal row_of_entry(Ordinal column) const {
    return product.x_rows == nullptr ? column : product.x_rows[column];
  }
  __device__ Scalar value_of_entry(MatrixScalar value) const {
    return Scalar(product.conjugate_values ? conjugate(value) : value);
  }
  /// Returns the address of an element of a row of X; `first` is the address of the same column in row 0.
  __device__ const VectorScalar* row_of_x(Ordinal row, const VectorScalar* first) const {
    return static_cast<const VectorScalar*>(stepped(first, static_cast<std::uint32_t>(row), x_row_bytes));
  }
};

/// Returns the tile of an entry of a row.
__host__ __device__ inline std::uint64_t csr_tile_of(std::uint64_t entry, std::uint64_t row) {
  return (entry + row / 2) / static_cast<std::uint64_t>(csr_tile_span);
}

/// Adjacent entries of a row, and the target of their sum.
struct CsrSpan {
  Offset begin = 0;
  int length = 0;
  Ordinal target = nowhere;  // the row of A that gets the sum of all its entries; or -2 - piece

  static constexpr Ordinal nowhere = -1;
  __device__ bool has_row() const { return target >= 0; }
  __device__ bool has_piece() const { return target < nowhere; }
  __device__ Ordinal piece() const { return -2 - target; }
  static __device__ Ordinal target_of_piece(std::int64_t piece) { return static_cast<Ordinal>(-2 - piece); }
};

/// Returns the span of a row of A. It is empty if the row does not exist or is long: pieces are then items.
template <class Task>
__device__ auto row_span(const Task& task, std::int64_t row) {
  CsrSpan span;
  if (row >= task.rows) return span;
  const auto* const offsets = task.A.row_offsets + row;
  const auto begin = offsets[0], length = offsets[1] - begin;
  if (length > static_cast<decltype(begin)>(task.schedule.size.piece_length)) return span;
  span.begin = begin;
  span.length = static_cast<int>(length);
  span.target = static_cast<Ordinal>(row);
  return span;
}

/// Returns the span of an item, which is a piece or a row.
template <class Task>
__device__ auto item_span(const Task& task, std::int64_t item) {
  if (item >= task.pieces) return row_span(task, item - task.pieces);
  const Offset piece_length = task.schedule.size.piece_length;
  const Ordinal row = task.schedule.piece_rows[item];
  CsrSpan span;
  span.begin = task.A.row_offsets[row] + Offset(task.schedule.piece_numbers[item]) * piece_length;
  const Offset left = task.A.row_offsets[row + 1] - span.begin;
  span.length = static_cast<int>(left < piece_length ? left : piece_length);
  span.target = span.target_of_piece(item);
  return span;
}

/// Writes alpha sum + beta y for adjacent columns of a row of A.
template <bool aligned, class Task>
__device__ void store_row(const Task& task, Ordinal row, Ordinal column,
                          const Vector<typename Task::Scalar, aligned, typename Task::InMemory>& sum) {
  const auto& y = task.product.y;
  const Ordinal y_row = row_of_y(task.product, row);
  store_sums(task.product, y.data + y_row * y.row_stride + column * (aligned ? 1 : y.column_stride), sum);
}

/// Writes a sum to the target of its span.
template <bool aligned, class Task>
__device__ void store_sum(const Task& task, const CsrSpan& span, Ordinal column,
                          const Vector<typename Task::Scalar, aligned, typename Task::InMemory>& sum) {
  if (span.has_piece()) {
    store_vector(task.partial_sums + std::int64_t(span.piece()) * task.partial_stride + column, sum);
  } else if (span.has_row()) {
    store_row<aligned>(task, span.target, column, sum);
  }
}

}  // namespace Tessera::Impl::Cuda
