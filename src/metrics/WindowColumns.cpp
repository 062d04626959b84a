// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <tessera/metrics/WindowColumns.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Batches.hpp>
#include <tessera/parallel/ColumnTable.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/Teams.hpp>
#include <vector>

namespace Tessera::Impl {

constexpr int levels = 5;  // window heights: 8, 16, ... rows
constexpr Ordinal lowest = 8, tallest = 128;
constexpr int tile_width = 8;
constexpr int windows_of_tallest = 2 * tallest / lowest - 1;  // number of windows of all levels in a tallest window

/// Returns the index of the first window of a level, among all windows in a tallest window.
KOKKOS_INLINE_FUNCTION int first_of_level(int level) {
  return windows_of_tallest + 1 - ((windows_of_tallest + 1) >> level);
}

/// The sum and the maximum over the windows of each level.
struct LevelSums {
  std::size_t columns[levels] = {};
  std::size_t tiles[levels] = {};
  std::size_t most[levels] = {};

  KOKKOS_INLINE_FUNCTION LevelSums& operator+=(const LevelSums& other) {
    for (int level = 0; level < levels; ++level) {
      columns[level] += other.columns[level];
      tiles[level] += other.tiles[level];
      if (most[level] < other.most[level]) most[level] = other.most[level];
    }
    return *this;
  }
};

/// Counts the distinct columns of the windows of all levels. One team counts each tallest window. A hash table holds
/// the columns of the window, and for each column the set of rows found to have it so far. An entry is the first of its
/// column in the windows that have no row in that set.
template <class Exec, class Offset>
struct CountLevels {
  using Memory = typename Exec::memory_space;
  static constexpr int words = tallest / 64;

  CsrPattern<Offset> A;
  unsigned one_in;                         // one in this number of columns is counted, a power of two
  Ordinal first_window;                    // first window of the batch, whose table is the first
  Array<Ordinal*, Memory> columns;         // tables
  Array<std::uint64_t*, Memory> row_sets;  // `words` words for each place

  KOKKOS_FUNCTION Ordinal first_row(Ordinal window) const {
    return window <= (A.rows - 1) / tallest ? window * tallest : A.rows;
  }

  /// Returns the number of places of a table: one and a half per entry, and one more.
  KOKKOS_FUNCTION std::size_t table(Ordinal window) const {
    const auto entries = std::size_t(A.row_offsets[first_row(window)] - A.row_offsets[first_row(first_window)]);
    return entries + entries / 2 + std::size_t(window - first_window);
  }

  /// Whether a hash picks this column.
  KOKKOS_FUNCTION bool is_counted(Ordinal column) const {
    return (static_cast<std::uint32_t>(column) * 0x9E3779B9u >> 16 & (one_in - 1)) == 0;
  }

  /// \param begin [in] first place of the table of the window of row r, which has `size` places
  KOKKOS_FUNCTION void count_entry(std::size_t begin, std::size_t size, Ordinal r, Ordinal column,
                                   std::uint32_t* found) const {
    const TablePlace entered = enter_column<Exec>(&columns(begin), size, column);
    if (entered.is_new) add_to<Exec>(&found[windows_of_tallest - 1], 1u);
    std::uint64_t* const set = &row_sets(words * (begin + entered.place) + r / 64);
    const std::uint64_t before = add_bits<Exec>(set, std::uint64_t(1) << r % 64);
    for (int level = 0; level < levels - 1; ++level) {
      const Ordinal height = lowest << level;
      const std::uint64_t rows = ~std::uint64_t(0) >> (64 - height) << (r % 64 / height * height);
      if ((before & rows) != 0) return;
      add_to<Exec>(&found[first_of_level(level) + r / height], 1u);
    }
  }

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team, LevelSums& sums) const {
    const Ordinal window = first_window + team.league_rank(), start = first_row(window);
    const int counts = windows_of_tallest;
    auto* const found = team_array<std::uint32_t>(team, counts);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, counts), [&](int i) { found[i] = 0; });
    const std::size_t begin = table(window), size = table(window + 1) - begin;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size), [&](std::size_t place) {
      columns(begin + place) = -1;
      for (int w = 0; w < words; ++w) row_sets(words * (begin + place) + w) = 0;
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first_row(window + 1) - start), [&](Ordinal r) {
      const Offset first = A.row_offsets[start + r];
      const auto entries = static_cast<std::size_t>(A.row_offsets[start + r + 1] - first);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, entries), [&](std::size_t k) {
        const Ordinal column = A.column_indices[std::size_t(first) + k];
        if (is_counted(column)) count_entry(begin, size, r, column, found);
      });
    });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      for (int level = 0; level < levels; ++level) {
        for (int i = first_of_level(level); i < first_of_level(level + 1); ++i) {
          const std::size_t distinct = std::size_t(found[i]) * one_in;
          sums.columns[level] += distinct;
          sums.tiles[level] += (distinct + tile_width - 1) / tile_width;
          if (sums.most[level] < distinct) sums.most[level] = distinct;
        }
      }
    });
  }
};

/// Returns the number of entries before each tallest window, and of all. If all windows are one batch, the numbers
/// between the first and the last are not computed.
template <class ExecutionSpace, class Offset>
std::vector<std::size_t> entries_before_windows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                std::size_t nonzeros, std::size_t windows, std::size_t batch) {
  if (nonzeros <= batch) {
    std::vector<std::size_t> before(windows + 1, nonzeros);
    before.front() = 0;
    return before;
  }
  const auto before = allocate<Array<std::size_t*, typename ExecutionSpace::memory_space>>(
      exec, "Tessera::entries_before_windows", windows + 1);
  Kokkos::parallel_for(
      "Tessera::entries_before_windows", IndexPolicy<ExecutionSpace>(exec, 0, windows + 1),
      KOKKOS_LAMBDA(std::size_t window) {
        const std::size_t row = window * std::size_t(tallest), rows = std::size_t(A.rows);
        before(window) = static_cast<std::size_t>(A.row_offsets[row < rows ? row : rows]);
      });
  return host_copy(exec, before);
}

/// Batches of windows. One batch is counted at a time.
struct WindowBatches {
  std::vector<std::size_t> ends;  // the end of each batch
  std::size_t places = 0;         // upper bound on the places of a batch's tables
};

template <class ExecutionSpace, class Offset>
WindowBatches batches_of_windows(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros) {
  const auto windows = static_cast<std::size_t>(window_count(A.rows, tallest));
  const std::size_t batch = entries_of_batch<ExecutionSpace>(nonzeros, std::size_t(1) << 21);
  const auto before = entries_before_windows(exec, A, nonzeros, windows, batch);
  WindowBatches result;
  for (std::size_t window = 0; window < windows; window = result.ends.back()) {
    result.ends.push_back(end_of_batch(before, window, batch));
    const std::size_t entries = before[result.ends.back()] - before[window];
    result.places = std::max(result.places, entries + entries / 2 + result.ends.back() - window);
  }
  return result;
}

template <class ExecutionSpace, class Offset>
LevelSums count_levels(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros, unsigned one_in) {
  using Memory = typename ExecutionSpace::memory_space;
  LevelSums sums;
  if (nonzeros == 0) return sums;
  const auto windows = static_cast<std::size_t>(window_count(A.rows, tallest));
  const WindowBatches batches = batches_of_windows(exec, A, nonzeros);
  const auto& ends = batches.ends;
  Array<Ordinal*, Memory> columns;
  Array<std::uint64_t*, Memory> row_sets;
  Array<LevelSums*, Memory> results;
  take_at_once<Memory>(exec, "Tessera::window_columns", [&](Arena<Memory>& arena) {
    arena.take(columns, batches.places);
    arena.take(row_sets, tallest / 64 * batches.places);
    arena.take(results, ends.size());
  });
  const int lanes = lanes_for(static_cast<double>(nonzeros) / A.rows);
  const TeamShape shape{nonzeros / windows > 2048 ? 512 : 256, lanes};
  for (std::size_t b = 0; b < ends.size(); ++b) {
    const std::size_t first = b == 0 ? 0 : ends[b - 1];
    Kokkos::parallel_reduce(
        "Tessera::window_columns",
        teams(exec, static_cast<Ordinal>(ends[b] - first), windows_of_tallest * sizeof(std::uint32_t), shape),
        CountLevels<ExecutionSpace, Offset>{A, one_in, static_cast<Ordinal>(first), columns, row_sets},
        Kokkos::subview(results, b));
  }
  for (const LevelSums& of_batch : host_copy(exec, results)) sums += of_batch;
  return sums;
}

template <class ExecutionSpace, class Offset>
std::array<WindowColumns, 5> window_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                            std::size_t nonzeros, unsigned one_in) {
  const Impl::LevelSums sums = Impl::count_levels(exec, A, nonzeros, one_in);
  std::array<WindowColumns, 5> result;
  for (std::size_t level = 0; level < result.size(); ++level) {
    WindowColumns& windows = result[level];
    windows.window_rows = Impl::lowest << level;
    windows.columns = sums.columns[level];
    windows.tiles = sums.tiles[level];
    windows.most_columns = sums.most[level];
    if (windows.columns > 0) windows.reuse = static_cast<double>(nonzeros) / static_cast<double>(windows.columns);
  }
  return result;
}

#define TESSERA_INSTANTIATE(Exec, Offset) \
  template std::array<WindowColumns, 5> window_columns(const Exec&, const CsrPattern<Offset>&, std::size_t, unsigned);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_USER_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
