// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/parallel/Array.hpp>

#include "LocalGroups.hpp"

namespace Tessera::Impl {

/// Orders the rows of each group with a team. Sums and maxima are of integers, hence independent of the order of lanes.
/// Three barriers a row: lanes find the best row, then its new columns, then count the rows that have these.
template <class Exec>
struct LocalStrips {
  static constexpr std::uint32_t chunk_entries = 256;  // entries of a row that lanes read between barriers

  /// The scratch memory of a team.
  struct Scratch {
    LocalGroup group;
    std::uint32_t best;                      // worth of the row that is most similar to the strip; 0 if there is none
    std::uint32_t best_seed;                 // worth of the best row to begin a strip
    std::uint32_t columns;                   // sum of distinct columns over all strips so far
    std::uint32_t touched;                   // sum of touched rows over all strips so far
    std::uint32_t new_rows[chunk_entries];   // GroupColumn::rows of columns that are new in the strip
    std::uint32_t common[local_group_rows];  // columns that each row shares with the strip; anything if it is placed
    std::uint8_t touched_rows[local_group_rows];  // rows that share columns with the strip, in any order
    bool is_placed[local_group_rows];
    std::uint8_t order[local_group_rows];
  };

  /// What a strip begins with: the sums of all earlier strips.
  struct Before {
    std::uint32_t columns, touched;
  };

  LocalGroups<Exec> groups;
  Array<Ordinal*, typename Exec::memory_space> order;

  /// Returns the priority of a row as the next one; 0 if the row is placed. High bits: the number of binary digits of
  /// its length, if length_counts; middle bits: its similarity; low bits: larger for rows nearer to the group's start.
  KOKKOS_FUNCTION static std::uint32_t worth(const Scratch& s, Ordinal r, std::uint32_t strip_columns,
                                             bool length_counts) {
    if (s.is_placed[r]) return 0;
    const std::uint32_t length = s.group.length(r), common = s.common[r];  // both together at most 2^16: common < 2^16
    const std::uint32_t similarity = common == 0 ? 0 : (common << 16) / (strip_columns + length - common);
    const std::uint32_t digits = length_counts ? static_cast<std::uint32_t>(Kokkos::bit_width(length)) : 0;
    return digits << 26 | similarity << 9 | static_cast<std::uint32_t>(local_group_rows - r);
  }

  /// Raises `best` to the largest of `count` worths.
  template <class Member, class WorthOf>
  KOKKOS_FUNCTION void find_best(const Member& team, Ordinal count, const WorthOf& worth_of,
                                 std::uint32_t& best) const {
    const Ordinal threads = is_host_space<Exec> ? 1 : team.team_size(), share = (count + threads - 1) / threads;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, threads), [&](Ordinal t) {
      const Ordinal begin = t * share, end = begin + share < count ? begin + share : count;
      std::uint32_t best_of_thread = 0;
      Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(team, begin, end),
          [&](Ordinal i, std::uint32_t& most) {
            const std::uint32_t offered = worth_of(i);
            if (offered > most) most = offered;
          },
          Kokkos::Max<std::uint32_t>(best_of_thread));
      Kokkos::single(Kokkos::PerThread(team), [&] { raise_to<Exec>(&best, best_of_thread); });
    });
    team.team_barrier();
  }

  /// Returns the next row. If it begins a strip, s.common and `before` still describe the previous strip.
  template <class Member>
  KOKKOS_FUNCTION Ordinal next_row(const Member& team, Ordinal rows, bool begins, std::uint32_t strip_columns,
                                   const Before& before, Scratch& s) const {
    std::uint32_t best = 0;
    if (!begins) {
      const auto worth_of = [&](Ordinal i) { return worth(s, s.touched_rows[i], strip_columns, false); };
      find_best(team, static_cast<Ordinal>(s.touched - before.touched), worth_of, s.best);
      best = s.best;
    }
    if (best == 0) {
      const auto worth_of = [&](Ordinal r) { return worth(s, r, strip_columns, true); };
      find_best(team, rows, worth_of, s.best_seed);
      best = s.best_seed;
    }
    return local_group_rows - static_cast<Ordinal>(best & 0x1ffu);
  }

  /// Lists the columns of entries [begin, end) that are new in the strip.
  template <class Member>
  KOKKOS_FUNCTION void find_new_columns(const Member& team, Ordinal group, std::uint32_t strip, std::uint32_t begin,
                                        std::uint32_t end, std::uint32_t columns_before, Scratch& s) const {
    const std::uint32_t* const places = groups.places_of(group);
    GroupColumn* const columns = groups.columns_of(group);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, end), [&](std::uint32_t k) {
      GroupColumn& column = columns[places[k]];
      const GroupColumn found = column;
      if (found.strip == strip) return;
      column.strip = strip;
      s.new_rows[count_up<Exec>(&s.columns) - columns_before] = found.rows;
    });
    team.team_barrier();
  }

  /// Increments the counts of all rows that have the listed columns. Forgets the best row.
  template <class Member>
  KOKKOS_FUNCTION void count_rows(const Member& team, Ordinal group, std::uint32_t listed, const Before& before,
                                  Scratch& s) const {
    const std::uint8_t* const lists = groups.lists_of(group);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, listed), [&](std::uint32_t i) {
      const std::uint32_t rows = s.new_rows[i];
      const std::uint8_t* const list = lists + (rows >> 16);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, rows & 0xffffu), [&](std::uint32_t j) {
        const std::uint8_t row = list[j];
        if (count_up<Exec>(&s.common[row]) > 0 || s.is_placed[row]) return;
        s.touched_rows[count_up<Exec>(&s.touched) - before.touched] = row;
      });
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] { s.best = s.best_seed = 0; });
    team.team_barrier();
  }

  /// Puts row r in a place. For each column of the row that is new in the strip, increments the counts of all rows that
  /// have the column. `columns` is s.columns, before and after.
  template <class Member>
  KOKKOS_FUNCTION void put(const Member& team, Ordinal group, Ordinal r, Ordinal place, const Before& before,
                           std::uint32_t& columns, Scratch& s) const {
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      s.order[place] = static_cast<std::uint8_t>(r);
      s.is_placed[r] = true;
    });
    const auto strip = static_cast<std::uint32_t>(place / local_strip_rows);
    const std::uint32_t end = s.group.begins[r + 1];
    std::uint32_t begin = s.group.begins[r];
    do {  // also for empty rows, for the sake of barriers
      const std::uint32_t next = end - begin < chunk_entries ? end : begin + chunk_entries;
      find_new_columns(team, group, strip, begin, next, columns, s);
      const std::uint32_t found = s.columns;
      count_rows(team, group, found - columns, before, s);
      columns = found;
      begin = next;
    } while (begin < end);
  }

  /// Grows all strips. Returns the sum of their numbers of distinct columns.
  template <class Member>
  KOKKOS_FUNCTION std::uint32_t grow(const Member& team, Ordinal group, Scratch& s) const {
    const Ordinal rows = groups.rows_of(group);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal r) {
      s.common[r] = 0;
      s.is_placed[r] = false;
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] { s.best = s.best_seed = s.columns = s.touched = 0; });
    team.team_barrier();
    std::uint32_t columns = 0;
    Before before{0, 0};
    for (Ordinal place = 0; place < rows; ++place) {
      const bool begins = place % local_strip_rows == 0;
      const Ordinal r = next_row(team, rows, begins, columns - before.columns, before, s);
      if (begins) {
        const std::uint32_t touched = s.touched;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, touched - before.touched),
                             [&](std::uint32_t i) { s.common[s.touched_rows[i]] = 0; });
        before = {columns, touched};
      }
      put(team, group, r, place, before, columns, s);
    }
    return columns;
  }

  /// Orders a group. Adds 1 to `moved` if its order changes.
  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team, std::size_t& moved) const {
    const Ordinal group = groups.first_group + team.league_rank();
    const Ordinal first = groups.first_row(group), rows = groups.rows_of(group);
    Scratch& s = *team_array<Scratch>(team, 1);
    groups.find_columns(team, group, s.group);
    const std::uint32_t wanted = s.group.columns - s.group.columns / 16;
    // No order has fewer columns than least_columns. For most bands and many graphs, this check is enough.
    bool is_better = s.group.least_columns < wanted;
    if (is_better) {
      groups.list_rows(team, group, s.group);
      is_better = grow(team, group, s) < wanted;
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal place) {
      order(first + place) = first + (is_better ? Ordinal(s.order[place]) : place);
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] { moved += is_better; });
  }
};

}  // namespace Tessera::Impl
