// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/parallel/WindowMerge.hpp>

/// Windows of rows, cut by columns into parts. Threads merge the parts in parallel, because a device has more threads
/// than most matrices have windows.
///
/// In a long window, every 64th entry of each row begins a part. The part ends where the next one begins, in whichever
/// row that is. A part has at most 64 entries of each row, and about 64 in all on average. Short windows, and all
/// windows on hosts, are one part.
namespace Tessera::Impl {

constexpr int part_stride = 64;
constexpr int long_window = 4 * part_stride;

/// Returns the number of parts that begin within the first `entries` entries of a row.
template <class Offset>
KOKKOS_INLINE_FUNCTION Offset parts_begun(Offset entries) {
  return (entries + Offset(part_stride - 1)) / Offset(part_stride);
}

/// A part of a window. Its rank is its index in the window, in the order of columns.
template <int Height>
struct WindowPart {
  Ordinal window;
  Offset rank;
  RowCursors<Height, Offset> rows;
};

/// Returns the first place in [begin, end) whose column is at least `column`. Columns must ascend.
template <class Offset>
KOKKOS_INLINE_FUNCTION Offset lower_bound(const Ordinal* columns, Offset begin, Offset end, Ordinal column) {
  while (begin < end) {
    const Offset middle = begin + (end - begin) / 2;
    if (columns[middle] < column) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Computes the part of a long window that begins at the entry of row `owner` in `column`. If a part of a row above
/// also begins in this column, the part of `owner` is empty and comes after it.
template <int Height>
KOKKOS_INLINE_FUNCTION void cut_part(const Ordinal* columns, Ordinal column, int owner, WindowPart<Height>& part) {
  auto& [cursor, end, limit] = part.rows;
  bool is_empty = false;
  part.rank = 0;
  for (int r = 0; r < Height; ++r) {
    const Offset begin = cursor[r];
    cursor[r] = lower_bound(columns, begin, end[r], column);
    const Offset below = cursor[r] - begin;
    const bool begins = cursor[r] < end[r] && columns[cursor[r]] == column && below % Offset(part_stride) == 0;
    const Offset before = parts_begun(below) + Offset(begins && r < owner);
    is_empty = is_empty || (begins && r < owner);
    part.rank += before;
    const Offset next = (parts_begun(below) + Offset(begins)) * Offset(part_stride);
    if (next < end[r] - begin && columns[begin + next] < limit) limit = columns[begin + next];
  }
  if (is_empty) limit = 0;
}

/// All parts of the windows of a matrix.
template <int Height, class Exec>
struct WindowParts {
  CsrPattern<Offset> A;
  Array<Offset*, typename Exec::memory_space> first;  // first part of each window; empty if each window is one part
  std::size_t count;

  KOKKOS_FUNCTION Offset first_of(Ordinal window) const {
    return first.extent(0) == 0 ? static_cast<Offset>(window) : first(window);
  }

  KOKKOS_FUNCTION WindowPart<Height> operator()(std::size_t number) const {
    WindowPart<Height> part;
    part.window = static_cast<Ordinal>(number);
    part.rank = 0;
    if (first.extent(0) > 0) {
      Ordinal low = 0, high = static_cast<Ordinal>(first.extent(0)) -
                              1;  // finds the last window that begins at or before `number`
      while (high - low > 1) {
        const Ordinal middle = low + (high - low) / 2;
        if (std::size_t(first(middle)) <= number) {
          low = middle;
        } else {
          high = middle;
        }
      }
      part.window = low;
    }
    part.rows = cursors_of_window<Height>(A, part.window * Height);
    if (first_of(part.window + 1) - first_of(part.window) == 1) return part;
    Offset left = static_cast<Offset>(number) - first(part.window);
    Ordinal column = -1;
    int owner = 0;
    for (int r = 0; r < Height; ++r) {
      const Offset parts = parts_begun(part.rows.end[r] - part.rows.cursor[r]);
      if (column < 0 && left < parts) {
        column = A.column_indices[part.rows.cursor[r] + left * Offset(part_stride)];
        owner = r;
      }
      if (column < 0) left -= parts;
    }
    cut_part(A.column_indices, column, owner, part);
    return part;
  }
};

/// \param windows [in] number of windows, each of Height rows
template <int Height, class Exec>
static WindowParts<Height, Exec> parts_of_windows(const Exec& exec, const CsrPattern<Offset>& A, Ordinal windows) {
  WindowParts<Height, Exec> result{A, {}, static_cast<std::size_t>(windows)};
  if (is_host_space<Exec>) return result;
  result.first = allocate<decltype(result.first)>(exec, "Tessera::first_parts", windows + std::size_t(1));
  const auto first = result.first;
  Kokkos::parallel_for(
      "Tessera::parts_of_windows", IndexPolicy<Exec>(exec, 0, windows), KOKKOS_LAMBDA(std::size_t window) {
        const auto rows = cursors_of_window<Height>(A, static_cast<Ordinal>(window) * Height);
        Offset entries = 0, parts = 0;
        for (int r = 0; r < Height; ++r) {
          entries += rows.end[r] - rows.cursor[r];
          parts += parts_begun(rows.end[r] - rows.cursor[r]);
        }
        first(window + 1) = entries > Offset(long_window) ? parts : Offset(1);
      });
  counts_to_offsets(exec, first);
  result.count = static_cast<std::size_t>(read_element(exec, first.data() + windows));
  return result;
}

}  // namespace Tessera::Impl
