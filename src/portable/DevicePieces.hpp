// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <tessera/parallel/Teams.hpp>

#include "RowItems.hpp"

/// The second step of products with long rows on a device.
namespace Tessera::Impl {

/// Computes long rows of Y from the sums of their pieces. Lines of lanes share the pieces of a row: line l adds every
/// lines-th piece, from l on; then the sums of the lines are added in order.
template <class ExecutionSpace, class Pattern, class MatrixScalar, class VectorScalar>
class DevicePieces {
 public:
  using Items = RowItems<Pattern, MatrixScalar, VectorScalar>;
  using Team = typename Teams<ExecutionSpace>::member_type;

  explicit DevicePieces(const Items& items) : items_(items), lines_(lines_of(items.schedule)) {
    columns_ = std::min(items.product.y.columns, team_lanes / lines_);
    rows_ = team_lanes / (columns_ * lines_);
    slabs_ = window_count(items.product.y.columns, columns_);
  }

  void run(const ExecutionSpace& exec) const {
    const auto count = std::int64_t(window_count(items_.schedule.long_rows, rows_)) * slabs_;
    if (count == 0) return;
    constexpr std::size_t bytes = team_lanes * sizeof(VectorScalar) + 2 * alignof(std::max_align_t);
    Kokkos::parallel_for(
        "Tessera::add_pieces",
        teams(exec, static_cast<Ordinal>(std::min<std::int64_t>(count, most_teams)), bytes, {team_lanes, 1}), *this);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const sums = team_array<VectorScalar>(team, team_lanes);
    const std::int64_t count = std::int64_t(window_count(items_.schedule.long_rows, rows_)) * slabs_;
    for (std::int64_t block = team.league_rank(); block < count; block += team.league_size()) {
      const auto row = static_cast<Ordinal>(block / slabs_) * rows_;
      const auto column = static_cast<Ordinal>(block % slabs_) * columns_;
      team.team_barrier();  // after the last block
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, team_lanes),
                           [&](int lane) { sums[lane] = sum_of_line(row, column, lane); });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows_ * columns_),
                           [&](int i) { add_lines(row, column, i, sums); });
    }
  }

 private:
  static constexpr int team_lanes = 256;
  static constexpr std::int64_t most_teams = 1 << 22;  // as for DeviceRows

  /// Returns more lines if rows have more pieces, or one row has very many. The number depends on the schedule alone.
  static int lines_of(const RowSchedule& schedule) {
    constexpr int most_lines = 128, usual_pieces = 8, most_pieces = 64;  // of a line
    int lines = 1;
    const auto wants_more = [&] {
      return schedule.pieces > std::int64_t(usual_pieces) * lines * schedule.long_rows ||
             schedule.most_pieces > most_pieces * lines;
    };
    while (lines < most_lines && wants_more()) lines *= 2;
    return lines;
  }

  KOKKOS_FUNCTION bool is_there(Ordinal row, Ordinal column) const {
    return row < items_.schedule.long_rows && column < items_.product.y.columns;
  }

  KOKKOS_FUNCTION VectorScalar sum_of_line(Ordinal first_row, Ordinal first_column, int lane) const {
    const int line = lane / columns_ % lines_, number = lane / (columns_ * lines_);
    const Ordinal row = first_row + number, column = first_column + lane % columns_;
    VectorScalar sum(0);
    if (number >= rows_ || !is_there(row, column)) return sum;
    const std::ptrdiff_t columns = items_.product.y.columns;
    const Ordinal end = items_.schedule.piece_offsets[row + 1];
    for (Ordinal piece = items_.schedule.piece_offsets[row] + line; piece < end; piece += lines_)
      sum += items_.piece_sums[piece * columns + column];
    return sum;
  }

  KOKKOS_FUNCTION void add_lines(Ordinal first_row, Ordinal first_column, int i, const VectorScalar* sums) const {
    const int number = i / columns_, place = i % columns_;
    const Ordinal row = first_row + number, column = first_column + place;
    if (!is_there(row, column)) return;
    VectorScalar sum = sums[number * lines_ * columns_ + place];
    for (int line = 1; line < lines_; ++line) sum += sums[(number * lines_ + line) * columns_ + place];
    store_sum(items_.product, items_.schedule.rows[row], column, sum);
  }

  Items items_;
  int lines_, columns_, rows_;
  Ordinal slabs_;
};

}  // namespace Tessera::Impl
