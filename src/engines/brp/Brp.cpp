// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "brp/Brp.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tessera/common/Bits.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <utility>
#include <vector>

#include "BrpFault.hpp"
#include "InstantiateFormat.hpp"
#include "SortedKeys.hpp"
#include "Windows.hpp"

namespace Tessera::Impl {

/// Counts, column by column, the groups and residual entries of a window for one choice of f and g. In a set of rows,
/// bit r stands for row r of the window.
struct BrpWindow {
  int f = 1;                   // entries of a local column
  int width = 8;               // local columns in a group
  std::uint64_t groups = 0;    // full groups
  int open_columns = 0;        // local columns after the last full group
  unsigned open_rows = 0;      // the rows with entries in open columns
  unsigned leftover_rows = 0;  // the rows with entries in no local column

  /// \param rows [in] set of the rows that have an entry in the next column
  KOKKOS_INLINE_FUNCTION void add(unsigned rows) {
    for (int entries = popcount(rows); entries >= f; entries -= f) {
      for (int i = 0; i < f; ++i) {
        open_rows |= rows & (~rows + 1);
        rows &= rows - 1;
      }
      if (++open_columns < width) continue;
      ++groups;
      open_columns = 0;
      open_rows = 0;
    }
    leftover_rows |= rows;
  }

  KOKKOS_INLINE_FUNCTION unsigned residual_rows() const { return open_rows | leftover_rows; }
};

/// Candidates for f and g, and the bytes that a product moves with each.
struct BrpCandidates {
  static constexpr int most = 9;
  int count = 0;
  int f[most] = {};
  int g[most] = {};
};
struct BrpBytes {
  std::uint64_t of[BrpCandidates::most] = {};

  KOKKOS_INLINE_FUNCTION void operator+=(const BrpBytes& other) {
    for (int i = 0; i < BrpCandidates::most; ++i) of[i] += other.of[i];
  }
};

/// \throws std::invalid_argument if there is no candidate
inline BrpCandidates brp_candidates(const FormatParameters& parameters, std::size_t value_bytes) {
  const int f = parameters.brp_nonzeros_per_column, g = parameters.brp_tiles_per_group;
  const auto asked = "Tessera: brp_nonzeros_per_column (f) is " + std::to_string(f) +
                     " and brp_tiles_per_group (g) is " + std::to_string(g);
  if (f < 0 || f > brp_most_f || g < 0 || g > brp_most_g) {
    throw std::invalid_argument(asked + "; expected f from 0 to " + std::to_string(brp_most_f) + " and g from 0 to " +
                                std::to_string(brp_most_g) + ", 0 for automatic");
  }
  const auto choices = [](int given) { return given > 0 ? std::vector<int>{given} : std::vector<int>{1, 2, 4}; };
  // 8 f g values fill whole lines of 128 bytes if f g is a multiple of this.
  const std::size_t factor = 16 / std::gcd(std::size_t(16), value_bytes);
  BrpCandidates result;
  for (const int each_f : choices(f)) {
    for (const int each_g : choices(g)) {
      if (static_cast<std::size_t>(each_f * each_g) % factor != 0) continue;
      result.f[result.count] = each_f;
      result.g[result.count++] = each_g;
    }
  }
  if (result.count > 0) return result;
  throw std::invalid_argument(asked + ", which does not align groups to 128 bytes with values of " +
                              std::to_string(value_bytes) + " bytes; expected f and g whose product is a multiple of " +
                              std::to_string(factor) + (f == 0 || g == 0 ? ", with 1, 2 or 4 where 0 is given" : ""));
}

/// Returns the bytes that a product moves for a window, with each candidate: see choose_brp_parameters().
KOKKOS_INLINE_FUNCTION BrpBytes brp_traffic(const CsrPattern<Offset>& A, Ordinal window,
                                            const BrpCandidates& candidates, std::uint64_t vector_row) {
  BrpWindow counted[BrpCandidates::most];
  for (int i = 0; i < candidates.count; ++i) {
    counted[i].f = candidates.f[i];
    counted[i].width = 8 * candidates.g[i];
  }
  std::uint64_t entries = 0;
  merge_window<16>(A, window * 16, [&](Ordinal, unsigned rows) {
    entries += static_cast<std::uint64_t>(popcount(rows));
    for (int i = 0; i < candidates.count; ++i) counted[i].add(rows);
  });
  BrpBytes bytes;
  for (int i = 0; i < candidates.count; ++i) {
    const auto local_columns = counted[i].groups * static_cast<std::uint64_t>(counted[i].width);
    const auto grouped = local_columns * static_cast<std::uint64_t>(counted[i].f);
    const auto residual_rows = static_cast<std::uint64_t>(popcount(counted[i].residual_rows()));
    bytes.of[i] = counted[i].groups * 4 + local_columns * (4 + vector_row) + grouped +
                  (entries - grouped) * (4 + vector_row) + residual_rows * (4 + sizeof(Offset) + 2 * vector_row);
  }
  return bytes;
}

/// Calls grouped(column, row within the window, number) or residual(column, row within the window) for every entry of a
/// window, in ascending order of columns, then rows. `number` counts the grouped entries.
///
/// \param grouped_entries [in] number of grouped entries of the window
template <class Grouped, class Residual>
KOKKOS_INLINE_FUNCTION void split_window(const CsrPattern<Offset>& A, Ordinal window, int f, Offset grouped_entries,
                                         const Grouped& grouped, const Residual& residual) {
  Offset number = 0;
  merge_window<16>(A, window * 16, [&](Ordinal column, unsigned rows) {
    const auto whole = static_cast<Offset>(popcount(rows) / f * f);  // number of entries in local columns
    const Offset room = grouped_entries - number;
    const Offset end = number + (whole < room ? whole : room);
    for (; rows != 0; rows &= rows - 1) {
      if (number < end) {
        grouped(column, lowest_bit(rows), number++);
      } else {
        residual(column, lowest_bit(rows));
      }
    }
  });
}

/// Counts the groups and residual rows of each window: fills window_groups and window_residuals.
template <class ExecutionSpace, class Memory>
void count_brp_windows(const ExecutionSpace& exec, const CsrPattern<Offset>& A, Brp<Memory>& p) {
  const Ordinal windows = window_count(A.rows, 16);
  take_at_once<Memory>(exec, "Tessera::Brp::windows", [&](Arena<Memory>& arena) {
    arena.take(p.window_groups, windows + std::size_t(1));
    arena.take_behind(p.window_residuals, windows + std::size_t(1));
  });
  const auto out = p;
  Kokkos::parallel_for(
      "Tessera::count_brp_windows", WindowPolicy<ExecutionSpace>(exec, 0, windows), KOKKOS_LAMBDA(Ordinal window) {
        BrpWindow counted;
        counted.f = out.f;
        counted.width = 8 * out.g;
        merge_window<16>(A, window * 16, [&](Ordinal, unsigned rows) { counted.add(rows); });
        out.window_groups(window + 1) = static_cast<Offset>(counted.groups);
        out.window_residuals(window + 1) = static_cast<Offset>(popcount(counted.residual_rows()));
      });
  counts_to_offsets(exec, p.window_groups);
  counts_to_offsets(exec, p.window_residuals);
}

/// Lists the rows with residual entries: fills residual_rows and residual_offsets.
template <class ExecutionSpace, class Memory>
void list_brp_residual_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A, const Brp<Memory>& p) {
  const auto out = p;
  const BrpPattern in = p.view();
  Kokkos::parallel_for(
      "Tessera::list_brp_residual_rows", WindowPolicy<ExecutionSpace>(exec, 0, in.windows()),
      KOKKOS_LAMBDA(Ordinal window) {
        Offset entries[16] = {};
        const Offset groups = in.window_groups[window + 1] - in.window_groups[window];
        split_window(
            A, window, in.f, groups * in.group_entries(), [](Ordinal, int, Offset) {},
            [&](Ordinal, int r) { ++entries[r]; });
        Offset listed = in.window_residuals[window];
        for (int r = 0; r < 16; ++r) {
          if (entries[r] == 0) continue;
          out.residual_rows(listed) = window * 16 + r;
          out.residual_offsets(++listed) = entries[r];
        }
      });
  counts_to_offsets(exec, p.residual_offsets);
}

/// Fills in the groups of a window, the columns of its residual entries, and the sources of the values of both.
///
/// \param p [in] the view of `out`
template <class Partition, class Slots>
KOKKOS_INLINE_FUNCTION void fill_brp(const CsrPattern<Offset>& A, Ordinal window, const BrpPattern& p,
                                     const Partition& out, const Slots& slots) {
  const Offset first_group = p.window_groups[window], end_group = p.window_groups[window + 1];
  for (Offset group = first_group; group < end_group; ++group) out.group_windows(group) = window;
  Offset entry[16] = {};     // the next entry of each row in A
  Offset residual[16] = {};  // the next residual entry of each row
  for (int r = 0; r < 16 && window * 16 < A.rows - r; ++r) entry[r] = A.row_offsets[window * 16 + r];
  for (Offset listed = p.window_residuals[window]; listed < p.window_residuals[window + 1]; ++listed) {
    residual[p.residual_rows[listed] % 16] = p.residual_offsets[listed];
  }
  const Offset first = first_group * p.group_entries();
  split_window(
      A, window, p.f, end_group * p.group_entries() - first,
      [&](Ordinal column, int r, Offset number) {
        const Offset local_column = (first + number) / static_cast<Offset>(p.f);
        out.group_columns(local_column) = column;
        out.local_ids(first + number) = static_cast<std::uint8_t>(brp_local_id(r, static_cast<int>(local_column % 8)));
        slots(first + number) = entry[r]++;
      },
      [&](Ordinal column, int r) {
        out.residual_columns(residual[r]) = column;
        slots(p.grouped_entries() + residual[r]++) = entry[r]++;
      });
}

template <class ExecutionSpace>
BrpParameters choose_brp_parameters(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                    const FormatParameters& parameters, std::size_t value_bytes) {
  const Impl::BrpCandidates candidates = Impl::brp_candidates(parameters, value_bytes);
  if (candidates.count == 1) return {candidates.f[0], candidates.g[0]};
  const std::uint64_t vector_row = 128 * value_bytes;
  Impl::BrpBytes bytes;
  Kokkos::parallel_reduce(
      "Tessera::choose_brp_parameters", Impl::WindowPolicy<ExecutionSpace>(exec, 0, window_count(A.rows, 16)),
      KOKKOS_LAMBDA(Ordinal window, Impl::BrpBytes & sum) {
        sum += Impl::brp_traffic(A, window, candidates, vector_row);
      },
      bytes);
  exec.fence("Tessera::choose_brp_parameters");
  int best = 0;
  for (int i = 1; i < candidates.count; ++i) best = bytes.of[i] < bytes.of[best] ? i : best;
  return {candidates.f[best], candidates.g[best]};
}

template <class ExecutionSpace>
BuiltBrp<typename ExecutionSpace::memory_space> build_brp(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                          std::size_t nonzeros, const FormatParameters& parameters,
                                                          std::size_t value_bytes) {
  using Memory = typename ExecutionSpace::memory_space;
  const BrpParameters chosen = choose_brp_parameters(exec, A, parameters, value_bytes);
  Brp<Memory> p{A.rows, A.columns, nonzeros, chosen.f, chosen.g, {}, {}, {}, {}, {}, {}, {}, {}};
  Impl::count_brp_windows(exec, A, p);
  const auto last_window = window_count(A.rows, 16);
  const auto groups = static_cast<std::size_t>(Impl::read_element(exec, p.window_groups.data() + last_window));
  const auto residual_rows =
      static_cast<std::size_t>(Impl::read_element(exec, p.window_residuals.data() + last_window));
  const std::size_t local_columns = groups * static_cast<std::size_t>(8 * p.g);
  const std::size_t grouped = local_columns * static_cast<std::size_t>(p.f);
  Impl::take_at_once<Memory>(exec, "Tessera::Brp::groups", [&](Impl::Arena<Memory>& arena) {
    arena.take(p.group_columns, local_columns);  // kernels read two at once
    arena.take_behind(p.group_windows, groups);
    arena.take_behind(p.residual_rows, residual_rows);
    arena.take_behind(p.residual_offsets, residual_rows + 1);
    arena.take_behind(p.residual_columns, nonzeros - grouped);
    arena.take_behind(p.local_ids, grouped);
  });
  Impl::list_brp_residual_rows(exec, A, p);
  ValueMap<Memory> values;
  values.slots = Impl::allocate<decltype(values.slots)>(exec, "Tessera::slots", nonzeros);
  const auto filled = p;
  const BrpPattern in = p.view();
  const auto slots = values.slots;
  Kokkos::parallel_for(
      "Tessera::build_brp", Impl::WindowPolicy<ExecutionSpace>(exec, 0, last_window),
      KOKKOS_LAMBDA(Ordinal window) { Impl::fill_brp(A, window, in, filled, slots); });
  return {p, values};
}

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const Brp<typename ExecutionSpace::memory_space>& A) {
  const BrpPattern in = A.view();
  Impl::KeyedSlots<ExecutionSpace, Offset> entries(exec, A.nonzeros);
  const Impl::EntryKeys set_key(entries, A.columns);
  Kokkos::parallel_for(
      "Tessera::brp_to_csr", Impl::WindowPolicy<ExecutionSpace>(exec, 0, in.windows()), KOKKOS_LAMBDA(Ordinal window) {
        for_each_entry_of_window(in, window,
                                 [&](int r, Ordinal column, Offset place) { set_key(place, window * 16 + r, column); });
      });
  return Impl::csr_of_entries(exec, A.rows, A.columns, std::move(entries));
}

template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const Brp<typename ExecutionSpace::memory_space>& A) {
  return Impl::of_format("BRP", Impl::brp_fault(exec, A));
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                                      \
  template BrpParameters choose_brp_parameters(const Exec&, const CsrPattern<Offset>&, const FormatParameters&, \
                                               std::size_t);                                                    \
  template BuiltBrp<Exec::memory_space> build_brp(const Exec&, const CsrPattern<Offset>&, std::size_t,          \
                                                  const FormatParameters&, std::size_t);                        \
  TESSERA_INSTANTIATE_FORMAT(Brp, Exec)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
