// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/common/Bits.hpp>
#include <tessera/parallel/WindowMerge.hpp>

#include "Validate.hpp"
#include "brp/Brp.hpp"

/// The invariants of block-row partitions.
namespace Tessera::Impl {

constexpr int brp_most_f = 16;  // upper bound on f: entries of a column in a window
constexpr int brp_most_g = 64;  // upper bound on g: shared memory may hold a group of 64 KiB of doubles

enum BrpFault : int {
  brp_window,
  brp_column,
  brp_id,
  brp_row_beyond,
  brp_order,
  brp_residual_row,
  brp_residual_row_empty,
  brp_residual_column,
  brp_residual_order,
  brp_both_parts,
  brp_skipped,
  brp_group_left
};

inline std::string describe_brp(int fault) {
  static constexpr const char* texts[] = {
      "group_windows is not the window of its groups in window_groups",             // brp_window
      "group_columns holds a column outside the matrix",                            // brp_column
      "local_ids holds a column other than that of its place, or a row beyond 15",  // brp_id
      "local_ids holds a row beyond the last of the matrix",                        // brp_row_beyond
      "the entries of the groups do not ascend strictly by column, then row",       // brp_order
      "residual_rows does not ascend strictly within the rows of the window",       // brp_residual_row
      "residual_rows lists a row without residual entries",                         // brp_residual_row_empty
      "residual_columns holds a column outside the matrix",                         // brp_residual_column
      "residual_columns does not ascend strictly within a row",                     // brp_residual_order
      "a residual entry is in a group too, or an entry after it in its column is",  // brp_both_parts
      "f residual entries have one column, and later columns are in groups",        // brp_skipped
      "the residual entries would make another group",                              // brp_group_left
  };
  return texts[fault];
}

/// Checks the groups of a window whose offsets are valid.
KOKKOS_INLINE_FUNCTION void check_brp_groups(const BrpPattern& A, Ordinal window, FirstFault& found) {
  const Offset first = A.window_groups[window], last = A.window_groups[window + 1];
  for (Offset group = first; group < last; ++group) found.check(A.group_windows[group] == window, brp_window);
  Ordinal previous_column = -1;
  int previous_row = -1;
  for (Offset place = first * A.group_entries(); place < last * A.group_entries(); ++place) {
    const Offset local_column = place / static_cast<Offset>(A.f);
    const Ordinal column = A.group_columns[local_column];
    const int id = A.local_ids[place], row = brp_local_row(id);
    found.check(column >= 0 && column < A.columns, brp_column);
    found.check(row < 16 && static_cast<Offset>(id % 8) == local_column % 8, brp_id);
    found.check(window * 16 < A.rows - row, brp_row_beyond);
    found.check(column > previous_column || (column == previous_column && row > previous_row), brp_order);
    previous_column = column;
    previous_row = row;
  }
}

/// Returns the residual rows of a window as a matrix of 16 rows. Its row offsets are written to `offsets`.
KOKKOS_INLINE_FUNCTION CsrPattern<Offset> brp_residual_window(const BrpPattern& A, Ordinal window,
                                                              Offset (&offsets)[17]) {
  Offset listed = A.window_residuals[window];
  for (int r = 0; r < 16; ++r) {
    offsets[r] = A.residual_offsets[listed];
    const bool has_any = listed < A.window_residuals[window + 1] && A.residual_rows[listed] == window * 16 + r;
    if (has_any) ++listed;
    offsets[r + 1] = A.residual_offsets[listed];
  }
  return {16, A.columns, offsets, A.residual_columns};
}

/// Checks the residual rows of a window whose offsets are valid.
KOKKOS_INLINE_FUNCTION void check_brp_residual(const BrpPattern& A, Ordinal window, FirstFault& found) {
  Ordinal previous_row = window * 16 - 1;
  for (Offset listed = A.window_residuals[window]; listed < A.window_residuals[window + 1]; ++listed) {
    const Ordinal row = A.residual_rows[listed];
    found.check(row > previous_row && row < A.rows && row / 16 == window, brp_residual_row);
    previous_row = row;
    found.check(A.residual_offsets[listed] < A.residual_offsets[listed + 1], brp_residual_row_empty);
    Ordinal previous_column = -1;
    for (Offset k = A.residual_offsets[listed]; k < A.residual_offsets[listed + 1]; ++k) {
      const Ordinal column = A.residual_columns[k];
      found.check(column >= 0 && column < A.columns, brp_residual_column);
      found.check(column > previous_column, brp_residual_order);
      previous_column = column;
    }
  }
}

/// Checks that exactly the entries that fit in no group are residual, given that both parts are in order.
KOKKOS_INLINE_FUNCTION void check_brp_split(const BrpPattern& A, Ordinal window, FirstFault& found) {
  Offset offsets[17];
  const Offset width = A.group_entries() / static_cast<Offset>(A.f);
  Offset grouped = A.window_groups[window] * width;  // the first local column after the residual column
  const Offset grouped_end = A.window_groups[window + 1] * width;
  Offset left_columns = 0;
  merge_window<16>(brp_residual_window(A, window, offsets), 0, [&](Ordinal column, unsigned rows) {
    int last_row = -1;  // the last row that has this column in a group
    for (; grouped < grouped_end && A.group_columns[grouped] <= column; ++grouped) {
      const Offset last_place = (grouped + 1) * static_cast<Offset>(A.f) - 1;
      if (A.group_columns[grouped] == column) last_row = brp_local_row(A.local_ids[last_place]);
    }
    found.check(lowest_bit(rows) > last_row, brp_both_parts);
    const int whole = popcount(rows) / A.f;
    found.check(whole == 0 || grouped == grouped_end, brp_skipped);
    left_columns += static_cast<Offset>(whole);
  });
  found.check(left_columns < width, brp_group_left);
}

KOKKOS_INLINE_FUNCTION int brp_window_fault(const BrpPattern& A, Ordinal window) {
  FirstFault found;
  check_brp_groups(A, window, found);
  check_brp_residual(A, window, found);
  if (found.fault == no_fault) check_brp_split(A, window, found);
  return found.fault;
}

/// Checks the sizes of the arrays.
template <class Memory>
std::string brp_extent_fault(const Brp<Memory>& A) {
  const auto windows = static_cast<std::size_t>(window_count(A.rows, 16));
  if (A.f < 1 || A.f > brp_most_f) return "f is not in 1 ... 16";
  if (A.g < 1 || A.g > brp_most_g) return "g is not in 1 ... 64";
  const std::size_t local_columns = A.groups() * static_cast<std::size_t>(8 * A.g);
  const std::size_t grouped = local_columns * static_cast<std::size_t>(A.f);
  if (A.window_groups.extent(0) != windows + 1) return "window_groups does not have ceil(rows / 16) + 1 elements";
  if (A.window_residuals.extent(0) != windows + 1) return "window_residuals does not have ceil(rows / 16) + 1 elements";
  if (A.group_columns.extent(0) != local_columns) return "group_columns does not have 8 g elements a group";
  if (A.local_ids.extent(0) != grouped) return "local_ids does not have 8 f g elements a group";
  if (A.residual_offsets.extent(0) != A.residual_rows.extent(0) + 1) {
    return "residual_offsets does not have an element more than residual_rows";
  }
  if (A.residual_columns.extent(0) + grouped != A.nonzeros) {
    return "residual_columns does not have an element for each nonzero that is in no group";
  }
  return {};
}

template <class ExecutionSpace>
std::string brp_fault(const ExecutionSpace& exec, const Brp<typename ExecutionSpace::memory_space>& A) {
  const auto windows = static_cast<std::size_t>(window_count(A.rows, 16));
  const std::size_t residual_rows = A.residual_rows.extent(0);
  const BrpPattern in = A.view();
  return first_of(
      [&] { return brp_extent_fault(A); },
      [&] { return offsets_fault(exec, "window", in.window_groups, windows, A.groups(), "window_groups", "groups"); },
      [&] {
        return offsets_fault(exec, "window", in.window_residuals, windows, residual_rows, "window_residuals",
                             "residual rows");
      },
      [&] {
        return offsets_fault(exec, "residual row", in.residual_offsets, residual_rows, A.residual_columns.extent(0),
                             "residual_offsets", "residual entries");
      },
      [&] { return first_window_fault<brp_window_fault>(exec, windows, in, describe_brp); });
}

}  // namespace Tessera::Impl
