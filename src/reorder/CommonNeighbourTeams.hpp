// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CommonNeighbourBlocks.hpp"

namespace Tessera::Impl {

/// Orders the rows of a block with a team. Each lane counts the common columns of one row. At any time, all lanes read
/// the set of the same column.
template <class Exec>
struct CommonNeighbourTeams {
  static constexpr int batch = 256;  // number of columns whose sets are in scratch memory

  /// The scratch memory of a team.
  struct Scratch {
    std::uint64_t sets[batch][words_of_block];
    std::uint32_t sums[common_neighbour_block];  // number of columns that each row shares with the last row
    Ordinal rows[common_neighbour_block];        // -1 for a row that is already in the order
  };

  CommonNeighbourBlocks<Exec> blocks;

  template <class Member>
  KOKKOS_FUNCTION void fill(const Member& team, Ordinal block, Ordinal rows, const Scratch& s) const {
    const auto& A = blocks.A;
    const std::size_t begin = blocks.table(block);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, blocks.table_size(block)),
                         [&](std::size_t place) { blocks.clear(begin + place); });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](Ordinal r) {
      const Offset first = A.row_offsets[s.rows[r]];
      const auto entries = static_cast<std::size_t>(A.row_offsets[s.rows[r] + 1] - first);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, entries),
                           [&](std::size_t k) { blocks.enter(block, r, A.column_indices[std::size_t(first) + k]); });
    });
    team.team_barrier();
  }

  /// Adds to the sum of each row the number of the batch's columns that it has.
  template <class Member>
  KOKKOS_FUNCTION void add_batch(const Member& team, Ordinal block, Ordinal rows, const Ordinal* columns, int count,
                                 Scratch& s) const {
    team.team_barrier();  // the previous batch has been counted
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int i) {
      const std::uint64_t* const sets = blocks.sets_of(block, columns[i]);
      for (int w = 0; w < words_of_block; ++w) s.sets[i][w] = sets[w];
    });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal r) {
      std::uint32_t sum = 0;
      for (int i = 0; i < count; ++i) sum += static_cast<std::uint32_t>(s.sets[i][r / 64] >> r % 64 & 1u);
      s.sums[r] += sum;
    });
  }

  /// Returns the first of the remaining rows that have the most columns in common with `row`.
  template <class Member>
  KOKKOS_FUNCTION Ordinal nearest(const Member& team, Ordinal block, Ordinal rows, Ordinal row, Scratch& s) const {
    const auto& A = blocks.A;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal r) { s.sums[r] = 0; });
    team.team_barrier();
    for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; k += Offset(batch)) {
      const Offset left = A.row_offsets[row + 1] - k;
      add_batch(team, block, rows, A.column_indices + k, left < Offset(batch) ? static_cast<int>(left) : batch, s);
    }
    std::uint64_t best = 0;  // high bits: the sum; low bits: larger for rows nearer to the start of the block
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, rows),
        [&](Ordinal r, std::uint64_t& most) {
          const std::uint64_t offered = (std::uint64_t(s.sums[r]) << 32) + std::uint64_t(common_neighbour_block - r);
          if (s.rows[r] >= 0 && offered > most) most = offered;
        },
        Kokkos::Max<std::uint64_t>(best));
    return common_neighbour_block - static_cast<Ordinal>(best & 0xffffffffu);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal block = blocks.first_block + team.league_rank();
    const Ordinal begin = block * common_neighbour_block, rows = blocks.rows_of(block);
    Scratch& s = *team_array<Scratch>(team, 1);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal r) { s.rows[r] = blocks.order(begin + r); });
    team.team_barrier();
    fill(team, block, rows, s);
    Ordinal current = 0;
    for (Ordinal place = begin;; ++place) {
      const Ordinal row = s.rows[current];
      team.team_barrier();  // all lanes know the row
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        blocks.order(place) = row;
        s.rows[current] = -1;
      });
      if (place == begin + rows - 1) return;
      team.team_barrier();
      current = nearest(team, block, rows, row, s);
    }
  }
};

}  // namespace Tessera::Impl
