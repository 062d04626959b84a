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

/// A column of a group. High half of `rows`: where its rows begin in the group's list; low half: their number. While
/// entries are counted, all of `rows` is their number, and bit w of `strip` says whether window w has the column.
struct alignas(8) GroupColumn {
  std::uint32_t rows;
  std::uint32_t strip;  // the last strip that has the column
};

/// The rows of a column that one row has: none, because no other row can share it. Lists of others begin earlier.
constexpr std::uint32_t lone_column = std::uint32_t(0xffff) << 16;
static_assert(most_group_entries <= std::size_t(1) << 16 && local_group_rows < 1 << 16);

/// The strip of a column that no strip has yet.
constexpr std::uint32_t no_strip = ~std::uint32_t(0);
static_assert(local_group_rows <= 32 * local_strip_rows, "a bit for each window");

/// Number of entries of groups that is enough to keep a device busy.
constexpr std::size_t least_local_batch = std::size_t(1) << 23;

/// A team's data about its group.
struct LocalGroup {
  std::uint32_t begins[local_group_rows + 1];  // first entry of each row, and the end
  std::uint32_t entered[local_group_rows];     // number of entries of each row that are in the table
  std::uint32_t listed;                        // total length of the lists
  std::uint32_t columns;                       // sum of distinct columns over windows of 8 rows, in the present order
  std::uint32_t least_columns;                 // lower bound on this sum, in any order

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

  /// Enters the columns of a group, without the rows that have them.
  template <class Member>
  KOKKOS_FUNCTION void find_columns(const Member& team, Ordinal group, LocalGroup& g) const {
    find_rows(team, group, g);
    Ordinal* const keys = table_of(group);
    GroupColumn* const found = columns_of(group);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 2 * entries(group)), [&](std::size_t place) {
      keys[place] = -1;
      found[place] = {0, 0};
    });
    team.team_barrier();
    enter_columns(team, group, g);
    begin_lists(team, group, g);
  }

  /// Fills the lists of a group's columns, in any order.
  template <class Member>
  KOKKOS_FUNCTION void list_rows(const Member& team, Ordinal group, const LocalGroup& g) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows_of(group)), [&](Ordinal r) {
      const std::uint32_t* const of_row = places_of(group) + g.begins[r];
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, g.length(r)), [&](std::uint32_t k) {
        std::uint32_t& rows_of_column = columns_of(group)[of_row[k]].rows;
        if (rows_of_column == lone_column) return;
        const std::uint32_t before_this = count_up<Exec>(&rows_of_column);
        lists_of(group)[(before_this >> 16) + (before_this & 0xffffu)] = static_cast<std::uint8_t>(r);
      });
    });
    team.team_barrier();
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
      std::uint32_t sum = g.begins[0] = g.listed = 0;
      for (Ordinal r = 1; r <= count; ++r) g.begins[r] = sum += g.begins[r];
    });
  }

  /// Inserts all chosen entries into the table, counts the rows that have each column, and marks its windows.
  template <class Member>
  KOKKOS_FUNCTION void enter_columns(const Member& team, Ordinal group, LocalGroup& g) const {
    const Ordinal first = first_row(group);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows_of(group)), [&](Ordinal r) {
      const auto begin = static_cast<std::size_t>(A.row_offsets[first + r]);
      const std::size_t length = static_cast<std::size_t>(A.row_offsets[first + r + 1]) - begin;
      const std::uint32_t window = std::uint32_t(1) << (r / local_strip_rows);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length), [&](std::size_t k) {
        const Ordinal column = A.column_indices[begin + k];
        const bool has_all = zeros(group) == 0;
        if (!has_all && !is_chosen(column, zeros(group))) return;
        const std::size_t place = enter_column<Exec>(table_of(group), 2 * entries(group), column).place;
        add_to<Exec>(&columns_of(group)[place].rows, std::uint32_t(1));
        add_bits<Exec>(&columns_of(group)[place].strip, window);
        const std::size_t of_row = has_all ? k : count_up<Exec>(&g.entered[r]);
        places_of(group)[g.begins[r] + of_row] = static_cast<std::uint32_t>(place);
      });
    });
    team.team_barrier();
  }

  /// Reserves a list for each column that several rows share. The lists are still empty. Counts columns of windows.
  template <class Member>
  KOKKOS_FUNCTION void begin_lists(const Member& team, Ordinal group, LocalGroup& g) const {
    std::uint64_t sums = 0;  // both at most 2^16; high half: columns, low half: least_columns
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, 2 * entries(group)),
        [&](std::size_t place, std::uint64_t& sum) {
          GroupColumn& column = columns_of(group)[place];
          const std::uint32_t owners = column.rows;
          if (owners == 0) return;
          sum += static_cast<std::uint64_t>(Kokkos::popcount(column.strip)) << 32;
          sum += (owners + local_strip_rows - 1) / local_strip_rows;
          column = {owners > 1 ? count_up<Exec>(&g.listed, owners) << 16 : lone_column, no_strip};
        },
        sums);
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      g.columns = static_cast<std::uint32_t>(sums >> 32);
      g.least_columns = static_cast<std::uint32_t>(sums);
    });
    team.team_barrier();
  }
};

}  // namespace Tessera::Impl
