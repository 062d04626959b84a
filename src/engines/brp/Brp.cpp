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

#include "BrpColumns.hpp"
#include "BrpEntries.hpp"
#include "BrpFault.hpp"
#include "InstantiateFormat.hpp"
#include "SortedKeys.hpp"
#include "Windows.hpp"

namespace Tessera::Impl {

/// Candidates for f and g, and the bytes that a product moves with each.
struct BrpCandidates {
  static constexpr int most = 9;
  int count = 0;
  int f[most] = {};
  int g[most] = {};
};
struct BrpBytes {
  std::uint64_t of[BrpCandidates::most] = {};

  KOKKOS_INLINE_FUNCTION BrpBytes& operator+=(const BrpBytes& other) {
    for (int i = 0; i < BrpCandidates::most; ++i) of[i] += other.of[i];
    return *this;
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

/// Sets of rows of a window, one for each candidate.
struct BrpRowSets {
  unsigned of[BrpCandidates::most] = {};

  friend KOKKOS_INLINE_FUNCTION BrpRowSets operator|(BrpRowSets a, const BrpRowSets& b) {
    for (int i = 0; i < BrpCandidates::most; ++i) a.of[i] |= b.of[i];
    return a;
  }
};

}  // namespace Tessera::Impl

namespace Kokkos {
/// The neutral element of unions, for parallel_reduce().
template <>
struct reduction_identity<Tessera::Impl::BrpRowSets> {
  KOKKOS_FORCEINLINE_FUNCTION static Tessera::Impl::BrpRowSets bor() { return {}; }
};
}  // namespace Kokkos

namespace Tessera::Impl {

/// Adds the bytes that a product moves for the windows of a team, with each candidate: see choose_brp_parameters().
template <class Exec>
struct BrpTraffic {
  using Member = typename Teams<Exec>::member_type;

  CsrPattern<Offset> A;
  BrpCuts<typename Exec::memory_space> cuts;
  BrpCandidates candidates;
  std::uint64_t vector_row;  // bytes of a row of X or Y
  Ordinal team_windows;      // windows of a team

  KOKKOS_FUNCTION void operator()(const Member& team, BrpBytes& bytes) const {
    const Ordinal first = team.league_rank() * team_windows, left = window_count(A.rows, 16) - first;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, left < team_windows ? left : team_windows),
                         [&](Ordinal window) { add_window(team, first + window, bytes); });
  }

  KOKKOS_FUNCTION void add_window(const Member& team, Ordinal window, BrpBytes& bytes) const {
    const BrpRowSets residual_rows = rows_with_residual(team, window);
    const Ordinal first = window * 16, last = A.rows - first < 16 ? A.rows : first + 16;
    const auto entries = static_cast<std::uint64_t>(A.row_offsets[last] - A.row_offsets[first]);
    Kokkos::single(Kokkos::PerThread(team), [&] {
      for (int i = 0; i < candidates.count; ++i) {
        const BrpCut& cut = cuts.of[cuts.index(candidates.f[i])];
        const auto width = static_cast<std::uint64_t>(8 * candidates.g[i]);
        const auto groups = static_cast<std::uint64_t>(cut.groups(window, 8 * candidates.g[i]));
        const auto grouped = groups * width * static_cast<std::uint64_t>(cut.f);
        const auto listed = static_cast<std::uint64_t>(popcount(residual_rows.of[i]));
        bytes.of[i] += groups * (4 + width * (4 + vector_row)) + grouped + (entries - grouped) * (4 + vector_row) +
                       listed * (4 + sizeof(Offset) + 2 * vector_row);
      }
    });
  }

  KOKKOS_FUNCTION BrpRowSets rows_with_residual(const Member& team, Ordinal window) const {
    Offset ends[BrpCandidates::most];
    for (int i = 0; i < candidates.count; ++i)
      ends[i] = cuts.of[cuts.index(candidates.f[i])].end(window, 8 * candidates.g[i]);
    BrpRowSets found;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, cuts.of[0].offsets[window], cuts.of[0].offsets[window + 1]),
        [&](Offset column, BrpRowSets& sets) {
          for (int i = 0; i < candidates.count; ++i)
            sets.of[i] |= cuts.of[cuts.index(candidates.f[i])].residual_rows(column, ends[i]);
        },
        Kokkos::BOr<BrpRowSets>(found));
    return found;
  }
};

/// Counts the groups and residual rows of each window, and the residual entries of each row.
template <class Exec>
struct CountBrpWindows {
  using Memory = typename Exec::memory_space;

  BrpCut cut;
  Brp<Memory> out;                   // window_groups and window_residuals get counts
  Array<Offset*, Memory> residuals;  // gets the number of residual entries of each row

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team) const {
    const Ordinal window = team.league_rank(), first = window * 16, left = out.rows - first;
    const Offset end = cut.end(window, 8 * out.g);
    auto* const counts = team_array<Offset>(team, 16);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 16), [&](int r) { counts[r] = 0; });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, cut.offsets[window], cut.offsets[window + 1]),
                         [&](Offset column) {
                           for (unsigned rows = cut.residual_rows(column, end); rows != 0; rows &= rows - 1)
                             add_to<Exec>(&counts[lowest_bit(rows)], Offset(1));
                         });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, left < 16 ? left : 16),
                         [&](int r) { residuals(first + r) = counts[r]; });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      Offset rows = 0;
      for (int r = 0; r < 16; ++r) rows += counts[r] == 0 ? 0 : 1;
      out.window_groups(window + 1) = cut.groups(window, 8 * out.g);
      out.window_residuals(window + 1) = rows;
    });
  }
};

/// Lists the rows with residual entries: fills residual_rows and residual_offsets.
///
/// \param residuals [in,out] the number of residual entries of each row, then the first of them
template <class ExecutionSpace, class Memory>
static void list_brp_residual_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                   const Array<Offset*, Memory>& residuals, const Brp<Memory>& p) {
  const auto out = p;
  const Ordinal windows = window_count(p.rows, 16);
  const Offset group_entries = p.view().group_entries(), entries_of_all = static_cast<Offset>(p.nonzeros);
  Kokkos::parallel_for(
      "Tessera::list_brp_residual_rows", IndexPolicy<ExecutionSpace>(exec, 0, windows + std::size_t(1)),
      KOKKOS_LAMBDA(std::size_t i) {
        const auto window = static_cast<Ordinal>(i);
        const bool is_end = window == windows;
        const Ordinal first = is_end ? out.rows : window * 16, left = out.rows - first;
        Offset listed = out.window_residuals(window);
        // What comes before the window is grouped or residual.
        Offset entry = (is_end ? entries_of_all : A.row_offsets[first]) - out.window_groups(window) * group_entries;
        for (Ordinal row = first; row < first + (left < 16 ? left : 16); ++row) {
          const Offset entries = residuals(row);
          residuals(row) = entry;
          if (entries == 0) continue;
          out.residual_rows(listed) = row;
          out.residual_offsets(listed++) = entry;
          entry += entries;
        }
        if (is_end) out.residual_offsets(listed) = entry;
      });
}

/// Cuts columns for the f of all candidates.
template <class Exec>
BrpCuts<typename Exec::memory_space> cut_for(const Exec& exec, const BrpColumns<typename Exec::memory_space>& columns,
                                             const BrpCandidates& candidates) {
  const int f = candidates.f[0];
  return f == candidates.f[candidates.count - 1] ? cut_columns(exec, columns, {f})
                                                 : cut_columns(exec, columns, {1, 2, 4});
}

/// Returns the choice of choose_brp_parameters() among the candidates.
template <class Exec>
BrpParameters cheapest_brp(const Exec& exec, const CsrPattern<Offset>& A,
                           const BrpCuts<typename Exec::memory_space>& cuts, const BrpCandidates& candidates,
                           std::size_t value_bytes) {
  if (candidates.count == 1 || A.rows == 0) return {candidates.f[0], candidates.g[0]};
  const Ordinal windows = window_count(A.rows, 16), team_windows = pieces_of_summing_team(windows, 8);
  BrpBytes bytes;
  Kokkos::parallel_reduce("Tessera::choose_brp_parameters", teams(exec, window_count(windows, team_windows)),
                          BrpTraffic<Exec>{A, cuts, candidates, 128 * std::uint64_t(value_bytes), team_windows}, bytes);
  exec.fence("Tessera::choose_brp_parameters");
  int best = 0;
  for (int i = 1; i < candidates.count; ++i) best = bytes.of[i] < bytes.of[best] ? i : best;
  return {candidates.f[best], candidates.g[best]};
}

/// Counts the groups and residual rows of each window: fills window_groups and window_residuals. Returns the number of
/// residual entries of each row.
template <class Exec, class Memory>
Array<Offset*, Memory> count_brp_windows(const Exec& exec, const CsrPattern<Offset>& A, const BrpCut& cut,
                                         Brp<Memory>& p) {
  const std::size_t windows = window_count(A.rows, 16);
  take_at_once<Memory>(exec, "Tessera::Brp::windows", [&](Arena<Memory>& arena) {
    arena.take(p.window_groups, windows + 1);
    arena.take_behind(p.window_residuals, windows + 1);
  });
  const auto residuals =
      allocate<Array<Offset*, Memory>>(exec, "Tessera::Brp::residuals", static_cast<std::size_t>(A.rows));
  if (windows > 0) {
    Kokkos::parallel_for("Tessera::count_brp_windows", brp_teams(exec, A, p.nonzeros),
                         CountBrpWindows<Exec>{cut, p, residuals});
  }
  counts_to_offsets(exec, p.window_groups);
  counts_to_offsets(exec, p.window_residuals);
  return residuals;
}

template <class ExecutionSpace>
BrpParameters choose_brp_parameters(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                                    const FormatParameters& parameters, std::size_t value_bytes) {
  const Impl::BrpCandidates candidates = Impl::brp_candidates(parameters, value_bytes);
  if (candidates.count == 1) return {candidates.f[0], candidates.g[0]};
  const auto columns = Impl::brp_columns(exec, A, nonzeros, false);
  return Impl::cheapest_brp(exec, A, Impl::cut_for(exec, columns, candidates), candidates, value_bytes);
}

template <class ExecutionSpace>
BuiltBrp<typename ExecutionSpace::memory_space> build_brp(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                          std::size_t nonzeros, const FormatParameters& parameters,
                                                          std::size_t value_bytes) {
  using Memory = typename ExecutionSpace::memory_space;
  const Impl::BrpCandidates candidates = Impl::brp_candidates(parameters, value_bytes);
  const auto columns = Impl::brp_columns(exec, A, nonzeros, !Impl::is_host_space<ExecutionSpace>);
  auto cuts = Impl::cut_for(exec, columns, candidates);
  const BrpParameters chosen = Impl::cheapest_brp(exec, A, cuts, candidates, value_bytes);
  const Impl::BrpCut cut = cuts.keep(chosen.f);
  Brp<Memory> p{A.rows, A.columns, nonzeros, chosen.f, chosen.g, {}, {}, {}, {}, {}, {}, {}, {}};
  const auto residuals = Impl::count_brp_windows(exec, A, cut, p);
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
  ValueMap<Memory> values;
  values.slots = Impl::allocate<decltype(values.slots)>(exec, "Tessera::slots", nonzeros);
  Impl::list_brp_residual_rows(exec, A, residuals, p);
  const Impl::PlaceBrpEntries<Memory> place{A, cut, residuals, p.view(), p, values.slots};
  Impl::place_brp_entries(exec, nonzeros, place);
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

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                             \
  template BrpParameters choose_brp_parameters(const Exec&, const CsrPattern<Offset>&, std::size_t,    \
                                               const FormatParameters&, std::size_t);                  \
  template BuiltBrp<Exec::memory_space> build_brp(const Exec&, const CsrPattern<Offset>&, std::size_t, \
                                                  const FormatParameters&, std::size_t);               \
  TESSERA_INSTANTIATE_FORMAT(Brp, Exec)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
