// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Teams.hpp>

#include "BrpColumns.hpp"
#include "brp/Brp.hpp"

/// Places entries in groups and behind them. On hosts, one thread walks the columns of a window. On devices, all
/// entries find their places independently.
namespace Tessera::Impl {

/// Returns a policy of one team for each window, for work on its columns or on the entries of its rows. On devices, a
/// team has a thread for each row, but 32 to 256 lanes.
template <class Exec>
Teams<Exec> brp_teams(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros) {
  const int lanes = A.rows == 0 ? 1 : lanes_for(static_cast<double>(nonzeros) / A.rows);
  return teams(exec, window_count(A.rows, 16), 16 * sizeof(Offset) + 64, {std::clamp(16 * lanes, 32, 256), lanes});
}

/// Fills in the arrays of groups, the columns of residual entries, and the sources of the values of both.
template <class Memory>
struct PlaceBrpEntries {
  CsrPattern<Offset> A;
  BrpCut cut;
  Array<Offset*, Memory> residuals;  ///< the first residual entry of each row
  BrpPattern p;                      ///< the view of `out`
  Brp<Memory> out;
  Array<Offset*, Memory> slots;

  /// \param k     [in] an entry of A, in row r of the window
  /// \param place [in] its place
  KOKKOS_FUNCTION void place_in_group(Ordinal window, int r, Offset k, Offset column, Offset place) const {
    const Offset local_column = place / Offset(p.f);
    if (place % Offset(p.f) == 0) out.group_columns(local_column) = cut.columns[column];
    if (place % p.group_entries() == 0) out.group_windows(place / p.group_entries()) = window;
    out.local_ids(place) = static_cast<std::uint8_t>(brp_local_id(r, static_cast<int>(local_column % 8)));
    slots(place) = k;
  }

  KOKKOS_FUNCTION void place_residual(Offset place, Offset k, Offset column) const {
    out.residual_columns(place) = cut.columns[column];
    slots(p.grouped_entries() + place) = k;
  }

  /// Places the entries of a window in the order of columns, with one thread.
  KOKKOS_FUNCTION void place_window(Ordinal window) const {
    const Offset end = cut.end(window, 8 * p.g);
    Offset entry[16] = {};     // the next entry of each row in A
    Offset residual[16] = {};  // the next residual entry of each row
    for (int r = 0; r < 16 && window * 16 < A.rows - r; ++r) {
      entry[r] = A.row_offsets[window * 16 + r];
      residual[r] = residuals(window * 16 + r);
    }
    Offset place = p.window_groups[window] * p.group_entries();
    for (Offset column = cut.offsets[window]; column < cut.offsets[window + 1]; ++column) {
      int left = cut.grouped(column, end);
      for (std::uint64_t rows = cut.rows[column]; rows != 0; rows &= rows - 1, --left) {
        const int r = lowest_bit(rows);
        if (left > 0) {
          place_in_group(window, r, entry[r]++, column, place++);
        } else {
          place_residual(residual[r]++, entry[r]++, column);
        }
      }
    }
  }

  /// Places the entries of a window in any order, with a team. Uses of_entries.
  template <class Member>
  KOKKOS_FUNCTION void place_window(const Member& team, Ordinal window) const {
    const Ordinal first = window * 16, left = A.rows - first;
    const Offset end = cut.end(window, 8 * p.g), before = cut.before(cut.offsets[window]);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, left < 16 ? left : 16), [&](int r) {
      const Offset begin = A.row_offsets[first + r];
      Kokkos::parallel_scan(
          // On CUDA, scans of ranges that do not begin at 0 are wrong if lanes have different numbers of steps.
          Kokkos::ThreadVectorRange(team, A.row_offsets[first + r + 1] - begin),
          [&](Offset i, Offset& residuals_before, bool final) {
            const Offset k = begin + i, column = cut.of_entries[k];
            const int above = popcount(cut.rows[column] & low_bits(r));  // entries of the column above row r
            if (above >= cut.grouped(column, end)) {
              if (final) place_residual(residuals(first + r) + residuals_before, k, column);
              ++residuals_before;
            } else if (final) {
              const Offset in_window = (cut.before(column) - before) * Offset(p.f) + Offset(above);
              place_in_group(window, r, k, column, p.window_groups[window] * p.group_entries() + in_window);
            }
          });
    });
  }
};

/// Places the entries of each window with a team.
template <class Exec>
struct PlaceBrpWithTeams {
  PlaceBrpEntries<typename Exec::memory_space> place;

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team) const {
    place.place_window(team, team.league_rank());
  }
};

template <class Exec>
static void place_brp_entries(const Exec& exec, std::size_t nonzeros,
                              const PlaceBrpEntries<typename Exec::memory_space>& place) {
  if (place.A.rows == 0) return;
  if constexpr (is_host_space<Exec>) {
    Kokkos::parallel_for(
        "Tessera::build_brp", WindowPolicy<Exec>(exec, 0, place.p.windows()),
        KOKKOS_LAMBDA(Ordinal window) { place.place_window(window); });
  } else {
    Kokkos::parallel_for("Tessera::build_brp", brp_teams(exec, place.A, nonzeros), PlaceBrpWithTeams<Exec>{place});
  }
}

}  // namespace Tessera::Impl
