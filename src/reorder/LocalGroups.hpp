// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Array.hpp>
#include <tessera/parallel/ColumnTable.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/reorder/LocalClusters.hpp>

#include "Scramble.hpp"

/// Groups of neighbouring rows, and for each column the list of the rows that have it.
namespace Tessera::Impl {

/// A column of a group. Elements [begin, end) of the group's list are the rows that have the column. The list is empty
/// if only one row has it, because no other row can share it.
struct GroupColumn {
  std::uint32_t begin, end;
  Ordinal strip;  // the last strip that has the column; -1 at first
};

constexpr std::uint32_t lone_column = ~std::uint32_t(0);

/// Number of entries of groups that is enough to keep a device busy.
constexpr std::size_t least_local_batch = std::size_t(1) << 22;

/// A team's data about its group.
struct LocalGroup {
  std::uint32_t begins[local_group_rows + 1];  // first entry of each row, and the end
  std::uint32_t entered[local_group_rows];     // number of entries of each row that are in the table
  std::uint32_t listed;                        // total length of the lists
  std::uint32_t least_columns;                 // lower bound on the sum of distinct columns over strips, in any order

  KOKKOS_FUNCTION std::uint32_t length(Ordinal r) const { return begins[r + 1] - begins[r]; }
};

/// The groups of a batch. Arrays have the size of the chosen entries of all groups.
template <class Exec>
struct LocalGroups {
  using Memory = typename Exec::memory_space;

  CsrPattern<Offset> A;
  Array<int*, Memory> zeros;           // per group: number of zero bits that the hash of a chosen column begins with
  Array<std::size_t*, Memory> before;  // groups + 1 numbers: the number of chosen entries in earlier groups
  Ordinal first_group;
  Array<Ordinal*, Memory> table;         // tables with two places for each entry of a group; -1 if free
  Array<GroupColumn*, Memory> columns;   // one for each place
  Array<std::uint32_t*, Memory> places;  // for each entry, the place of its column in the group's table
  Array<std::uint8_t*, Memory> rows;     // lists of the rows that have a column

  KOKKOS_FUNCTION Ordinal first_row(Ordinal group) const { return group * local_group_rows; }
  KOKKOS_FUNCTION Ordinal rows_of(Ordinal group) const {
    const Ordinal left = A.rows - first_row(group);
    return left < local_group_rows ? left : local_group_rows;
  }
  KOKKOS_FUNCTION std::size_t begin(Ordinal group) const { return before(group) - before(first_group); }
  KOKKOS_FUNCTION std::size_t entries(Ordinal group) const { return before(group + 1) - before(group); }
  KOKKOS_FUNCTION Ordinal* table_of(Ordinal group) const { return table.data() + 2 * begin(group); }
  KOKKOS_FUNCTION GroupColumn* columns_of(Ordinal group) const { return columns.data() + 2 * begin(group); }
  KOKKOS_FUNCTION std::uint32_t* places_of(Ordinal group) const { return places.data() + begin(group); }
  KOKKOS_FUNCTION std::uint8_t* lists_of(Ordinal group) const { return rows.data() + begin(group); }

  /// Returns whether a column is chosen in a group with this number of zeros.
  KOKKOS_FUNCTION static bool is_chosen(Ordinal column, int zeros) {
    return zeros == 0 || scramble(static_cast<std::uint32_t>(column)) >> (32 - zeros) == 0;
  }

  template <class Member>
  KOKKOS_FUNCTION void fill(const Member& team, Ordinal group, LocalGroup& g) const {
    find_rows(team, group, g);
    Ordinal* const keys = table_of(group);
    GroupColumn* const found = columns_of(group);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 2 * entries(group)), [&](std::size_t place) {
      keys[place] = -1;
      found[place] = {0, 0, -1};
    });
    team.team_barrier();
    enter_columns(team, group, g);
    begin_lists(team, group, g);
    list_rows(team, group, g);
  }

 private:
  /// Finds the first entry of each row.
  template <class Member>
  KOKKOS_FUNCTION void find_rows(const Member& team, Ordinal group, LocalGroup& g) const {
    const Ordinal first = first_row(group), count = rows_of(group);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](Ordinal r) {
      const Offset begin = A.row_offsets[first + r], end = A.row_offsets[first + r + 1];
      auto length = static_cast<std::uint32_t>(end - begin);
      if (zeros(group) > 0) {
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, static_cast<std::size_t>(end - begin)),
            [&](std::size_t k, std::uint32_t& sum) {
              sum += is_chosen(A.column_indices[std::size_t(begin) + k], zeros(group));
            },
            length);
      }
      g.begins[r + 1] = length;
      g.entered[r] = 0;
    });
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      g.begins[0] = g.listed = 0;
      for (Ordinal r = 0; r < count; ++r) g.begins[r + 1] += g.begins[r];
    });
  }

  /// Inserts all chosen entries into the table, and counts the rows that have each column.
  template <class Member>
  KOKKOS_FUNCTION void enter_columns(const Member& team, Ordinal group, LocalGroup& g) const {
    const Ordinal first = first_row(group);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows_of(group)), [&](Ordinal r) {
      const auto begin = static_cast<std::size_t>(A.row_offsets[first + r]);
      const std::size_t length = static_cast<std::size_t>(A.row_offsets[first + r + 1]) - begin;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length), [&](std::size_t k) {
        const Ordinal column = A.column_indices[begin + k];
        if (!is_chosen(column, zeros(group))) return;
        const std::size_t place = enter_column<Exec>(table_of(group), 2 * entries(group), column).place;
        count_up<Exec>(&columns_of(group)[place].end);
        places_of(group)[g.begins[r] + count_up<Exec>(&g.entered[r])] = static_cast<std::uint32_t>(place);
      });
    });
    team.team_barrier();
  }

  /// Reserves a list for each column that several rows share. The lists are still empty.
  template <class Member>
  KOKKOS_FUNCTION void begin_lists(const Member& team, Ordinal group, LocalGroup& g) const {
    std::uint32_t least = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, 2 * entries(group)),
        [&](std::size_t place, std::uint32_t& sum) {
          GroupColumn& column = columns_of(group)[place];
          const std::uint32_t owners = column.end;
          sum += (owners + local_strip_rows - 1) / local_strip_rows;
          column.begin = owners > 1 ? count_up<Exec>(&g.listed, owners) : lone_column;
          column.end = column.begin;
        },
        least);
    Kokkos::single(Kokkos::PerTeam(team), [&] { g.least_columns = least; });
    team.team_barrier();
  }

  /// Fills the lists, in any order.
  template <class Member>
  KOKKOS_FUNCTION void list_rows(const Member& team, Ordinal group, const LocalGroup& g) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows_of(group)), [&](Ordinal r) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, g.length(r)), [&](std::uint32_t k) {
        GroupColumn& column = columns_of(group)[places_of(group)[g.begins[r] + k]];
        if (column.begin == lone_column) return;
        lists_of(group)[count_up<Exec>(&column.end)] = static_cast<std::uint8_t>(r);
      });
    });
    team.team_barrier();
  }
};

}  // namespace Tessera::Impl
