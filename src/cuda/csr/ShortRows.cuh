// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "RowTile.cuh"
#include "Task.cuh"

namespace Tessera::Cuda {

/// A group of lanes sums several neighbouring rows side by side, `unroll` entries of each at a time, so that rows of
/// two or three entries keep as many fetches in flight as long ones. Then it takes the rest of rows that are longer
/// than most, one row after another, with as many entries at a time: a row of 60 entries would otherwise wait for 60
/// fetches. Every lane reads every entry: the group's lanes ask for the same address, and the entries of the next rows
/// are in the same cache line.
///
/// X has adjacent columns. With `aligned`, rows of X begin at multiples of 16 bytes, and so do those of Y unless they
/// are `tiled`: then a block collects them (CsrRowTile).
template <class Task, bool aligned, int unroll, bool tiled>
class CsrShortRows {
  using Scalar = typename Task::Scalar;
  using Offset = typename decltype(Task::A)::offset_type;
  using Lane = Vector<Scalar, aligned>;

 public:
  static constexpr int rows = 4;
  static int slab_columns(int lanes) { return lanes * Lane::size; }
  static constexpr int registers = (unroll == 1 ? 80 : 96) + (sizeof(Scalar) > 8 ? 32 : is_complex_v<Scalar> ? 16 : 0);

  __device__ explicit CsrShortRows(const Task& task)
      : task_(task), column_((task.slab() * task.lanes() + task.lane()) * Lane::size) {}

  __device__ void run() {
    if (column_ < task_.product.x.columns) sum_rows();
    if constexpr (tiled) tile().write();
  }

 private:
  __device__ void sum_rows() {
    const std::int64_t first_row = task_.item() * rows;
    int longest = 0;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const auto span = row_span(task_, first_row + r);
      begins_[r] = span.begin;
      lengths_[r] = span.has_row() ? span.length : absent;
      longest = max(longest, lengths_[r]);
      for (Scalar& element : sums_[r].at) element = Scalar(0);
    }
    const int side_by_side = min(longest, entries_side_by_side);
#pragma unroll 1
    for (int step = 0; step < side_by_side; step += unroll) {
      add_entries([step](int slot) { return Entry{slot % rows, step + slot / rows}; });
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll 1
      for (int step = entries_side_by_side; step < lengths_[r]; step += slots) {
        add_entries([r, step](int slot) { return Entry{r, step + slot}; });
      }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      store(static_cast<Ordinal>(first_row) + r, r);
    }
  }

  __device__ CsrRowTile<Task> tile() const {
    const int columns = task_.lanes() * Lane::size;
    return {task_, task_.slab() * columns, columns};
  }

  /// Stores the sums of the group's r-th row, which is `row` of A.
  __device__ void store(Ordinal row, int r) const {
    const bool is_there = lengths_[r] != absent;
    if constexpr (tiled) {
      const int row_of_tile = task_.group() * rows + r;
      if (task_.lane() == 0) tile().set_row(row_of_tile, is_there ? row : CsrSpan<Offset>::nowhere);
      if (is_there) tile().set_sums(row_of_tile, column_, sums_[r]);
    } else if (is_there) {
      store_row<aligned>(task_, row, column_, sums_[r]);
    }
  }

  static constexpr int slots = rows * unroll;     // number of entries that are added at a time
  static constexpr int entries_side_by_side = 8;  // most entries of each row that are: few short rows have more
  static_assert(entries_side_by_side % unroll == 0);

  struct Entry {
    int row;    // number of the row in the group
    int place;  // place in that row
  };

  /// Adds the entries entry_of(slot), as far as their rows have them.
  template <class EntryOf>
  __device__ void add_entries(const EntryOf& entry_of) {
    // NOTE: without initial values, the compiler keeps registers for what the last call left in them.
    Ordinal row_of_x[slots] = {};
    Scalar a[slots] = {};
    Lane x[slots] = {};
    for_each_entry(entry_of, [&](int slot, Entry entry) {
      const Offset place = begins_[entry.row] + static_cast<Offset>(entry.place);
      row_of_x[slot] = task_.row_of_entry(__ldg(task_.A.column_indices + place));
      a[slot] = task_.value_of_entry(load_reused(task_.product.values + place));
    });
    for_each_entry(entry_of, [&](int slot, Entry) {
      x[slot] = load_vector<aligned>(task_.row_of_x(row_of_x[slot], task_.product.x.data + column_));
    });
    for_each_entry(entry_of, [&](int slot, Entry entry) {
      Lane& sum = sums_[entry.row];
#pragma unroll
      for (int e = 0; e < Lane::size; ++e) sum.at[e] = fused(a[slot], x[slot].at[e], sum.at[e]);
    });
  }

  /// Calls visit(slot, entry) for the entries that exist.
  template <class EntryOf, class Visit>
  __device__ void for_each_entry(const EntryOf& entry_of, const Visit& visit) const {
#pragma unroll
    for (int slot = 0; slot < slots; ++slot) {
      const Entry entry = entry_of(slot);
      if (entry.place < lengths_[entry.row]) visit(slot, entry);
    }
  }

  static constexpr int absent = -1;  // the length of a row that does not exist, or that is long

  const Task& task_;
  const Ordinal column_;
  Offset begins_[rows];
  int lengths_[rows];
  Lane sums_[rows];
};

}  // namespace Tessera::Cuda
