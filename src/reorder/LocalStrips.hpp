// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/parallel/Array.hpp>

#include "LocalGroups.hpp"

namespace Tessera::Impl {

/// Orders the rows of each group with a team. Sums and maxima are of integers, hence independent of the order of lanes.
template <class Exec>
struct LocalStrips {
  /// The scratch memory of a team.
  struct Scratch {
    LocalGroup group;
    std::uint32_t common[local_group_rows];       // number of columns that each row shares with the strip
    std::uint32_t touched;                        // number of rows that share columns with the strip
    std::uint8_t touched_rows[local_group_rows];  // these rows, in any order
    bool is_placed[local_group_rows];
    std::uint8_t order[local_group_rows];
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

  /// Returns the first row of a strip. s.common still describes the previous strip.
  template <class Member>
  KOKKOS_FUNCTION Ordinal seed(const Member& team, Ordinal rows, std::uint32_t strip_columns, const Scratch& s) const {
    std::uint32_t best = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, rows),
        [&](Ordinal r, std::uint32_t& most) {
          const std::uint32_t offered = worth(s, r, strip_columns, true);
          if (offered > most) most = offered;
        },
        Kokkos::Max<std::uint32_t>(best));
    return local_group_rows - static_cast<Ordinal>(best & 0x1ffu);
  }

  /// Returns the row that is most similar to the strip, or -1 if no row shares a column with it.
  template <class Member>
  KOKKOS_FUNCTION Ordinal most_similar(const Member& team, std::uint32_t strip_columns, const Scratch& s) const {
    std::uint32_t best = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, s.touched),
        [&](std::uint32_t i, std::uint32_t& most) {
          const std::uint32_t offered = worth(s, s.touched_rows[i], strip_columns, false);
          if (offered > most) most = offered;
        },
        Kokkos::Max<std::uint32_t>(best));
    return best == 0 ? -1 : local_group_rows - static_cast<Ordinal>(best & 0x1ffu);
  }

  /// Clears the counts of the previous strip.
  template <class Member>
  KOKKOS_FUNCTION void clear(const Member& team, Scratch& s) const {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, s.touched),
                         [&](std::uint32_t i) { s.common[s.touched_rows[i]] = 0; });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] { s.touched = 0; });
    team.team_barrier();
  }

  /// Puts row r in a place of the strip. For each column of the row that is new in the strip, increments the counts of
  /// all rows that have the column. Returns the number of new columns.
  template <class Member>
  KOKKOS_FUNCTION std::uint32_t place(const Member& team, Ordinal group, Ordinal strip, Ordinal r, Ordinal place,
                                      Scratch& s) const {
    const std::uint32_t* const places = groups.places_of(group) + s.group.begins[r];
    const std::uint8_t* const lists = groups.lists_of(group);
    GroupColumn* const columns = groups.columns_of(group);
    std::uint32_t fresh = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, s.group.length(r)),
        [&](std::uint32_t k, std::uint32_t& sum) {
          GroupColumn& column = columns[places[k]];
          const std::uint32_t rows = column.rows;
          std::uint32_t is_new = 0;
          Kokkos::single(
              Kokkos::PerThread(team),
              [&](std::uint32_t& result) {
                result = column.strip != static_cast<std::uint32_t>(strip);
                if (result != 0) column.strip = static_cast<std::uint32_t>(strip);  // avoids writes to most cache lines
              },
              is_new);
          if (is_new == 0) return;
          ++sum;
          const std::uint8_t* const list = lists + (rows >> 16);
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, rows & 0xffffu), [&](std::uint32_t i) {
            const std::uint8_t row = list[i];
            if (count_up<Exec>(&s.common[row]) == 0) s.touched_rows[count_up<Exec>(&s.touched)] = row;
          });
        },
        fresh);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      s.order[place] = static_cast<std::uint8_t>(r);
      s.is_placed[r] = true;
    });
    team.team_barrier();
    return fresh;
  }

  /// Grows all strips. Returns the sum of their numbers of distinct columns.
  template <class Member>
  KOKKOS_FUNCTION std::uint32_t grow(const Member& team, Ordinal group, Scratch& s) const {
    const Ordinal rows = groups.rows_of(group);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, rows), [&](Ordinal r) {
      s.common[r] = 0;
      s.is_placed[r] = false;
    });
    Kokkos::single(Kokkos::PerTeam(team), [&] { s.touched = 0; });
    team.team_barrier();
    std::uint32_t all = 0, of_strip = 0;
    for (Ordinal at = 0; at < rows; ++at) {
      const bool begins = at % local_strip_rows == 0;
      Ordinal r = begins ? -1 : most_similar(team, of_strip, s);
      if (r < 0) r = seed(team, rows, of_strip, s);
      if (begins) {
        clear(team, s);
        of_strip = 0;
      }
      const std::uint32_t fresh = place(team, group, at / local_strip_rows, r, at, s);
      of_strip += fresh;
      all += fresh;
    }
    return all;
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
