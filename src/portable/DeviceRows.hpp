// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/parallel/Teams.hpp>

#include "DeviceSpmm.hpp"

/// The product of compressed rows on a device of any vendor.
namespace Tessera::Impl {

/// Whether adjacent elements of Y are in a column.
template <class Scalar>
bool is_column_major(const Multivector<Scalar>& y) {
  return y.columns > 1 && y.row_stride < y.column_stride;
}

/// How teams of DeviceRows share the work. A team computes some columns of some rows. It has team_lanes lanes, which
/// the threads of a device are, one each, and which the single thread of a team on a host computes one by one.
struct DeviceRowsShape {
  static constexpr int team_lanes = 256;
  int parts = 1;    ///< parts of a row, each with a lane for each column: part p has every parts-th entry, from p on
  int columns = 1;  ///< columns of a team
  int rows = 1;     ///< rows of a team
  int longest = 0;  ///< rows with more entries are summed one after another by the whole team
  int long_parts = 32;  ///< parts of such a row

  /// Returns the number of sums in the scratch memory of a team.
  TESSERA_FUNCTION int sums() const {
    const int of_parts = parts * rows * row_stride();
    return of_parts > team_lanes ? of_parts : static_cast<int>(team_lanes);
  }
  /// Returns the bytes of scratch memory of a team.
  template <class Scalar>
  std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(sums()) * sizeof(Scalar) + static_cast<std::size_t>(1 + rows) * sizeof(int) +
           2 * alignof(std::max_align_t);
  }
  /// Returns the distance of rows of sums in scratch memory. It is odd, so that rows begin in different banks.
  TESSERA_FUNCTION int row_stride() const { return columns | 1; }
};

/// Chooses a shape. A row has more parts if rows are long, above all if there are few of them. Parts and long rows
/// depend on the matrix alone, and so do the bits of a column among others. A single column has parts of its own: with
/// several lanes for a row, adjacent lanes read adjacent entries.
///
/// \param columns       [in] columns of X
/// \param is_alone      [in] whether a single column may have an order of summation of its own
/// \param column_major  [in] whether rows of Y are adjacent in memory: more rows of a column are then written together
inline DeviceRowsShape device_rows_shape(Ordinal rows, std::size_t nonzeros, Ordinal columns, bool is_alone,
                                         bool column_major) {
  constexpr double entries_of_lane = 8, entries_of_wide_lane = 32, many_lanes = 1 << 16;
  constexpr int most_parts = 32, long_rounds = 128;
  const double length = static_cast<double>(nonzeros) / std::max(rows, 1);
  DeviceRowsShape shape;
  const auto wants_more = [&] {
    if (length < 2 * shape.parts * entries_of_lane) return false;
    return is_alone || length >= 2 * shape.parts * entries_of_wide_lane || double(rows) * shape.parts < many_lanes;
  };
  while (shape.parts < most_parts && wants_more()) shape.parts *= 2;
  shape.longest = long_rounds * shape.parts;
  if (is_alone) shape.long_parts = DeviceRowsShape::team_lanes;
  const int most_columns = std::min(column_major ? 16 : 32, DeviceRowsShape::team_lanes / shape.parts);
  shape.columns = std::clamp<int>(columns, 1, most_columns);
  shape.rows = DeviceRowsShape::team_lanes / (shape.parts * shape.columns);
  return shape;
}

/// The kernel: computes Y = alpha A X + beta Y for compressed rows.
template <class ExecutionSpace, class MatrixScalar, class VectorScalar>
class DeviceRows {
 public:
  using Team = typename Teams<ExecutionSpace>::member_type;

  DeviceRows(const CsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, DeviceRowsShape shape)
      : A_(A),
        product_(product),
        shape_(shape),
        column_major_(is_column_major(product.y)),
        writes_at_once_(shape.parts == 1 && !column_major_),
        slabs_(window_count(product.y.columns, shape.columns)),
        blocks_(std::int64_t(window_count(A.rows, shape.rows)) * slabs_) {}

  /// \param most_teams [in] upper bound on the teams of a launch; teams multiply several blocks if there are more. HIP
  ///                        and SYCL launch fewer than 2^32 and 2^31 threads.
  void run(const ExecutionSpace& exec, std::int64_t most_teams = 1 << 22) const {
    const auto count = static_cast<Ordinal>(std::min(blocks_, most_teams));
    if (count == 0) return;
    Kokkos::parallel_for(CsrPattern<Offset>::label,
                         teams(exec, count, shape_.template scratch_bytes<VectorScalar>(), {lanes, 1}), *this);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Memory memory{team_array<VectorScalar>(team, shape_.sums()), team_array<int>(team, 1 + shape_.rows)};
    for (std::int64_t block = team.league_rank(); block < blocks_; block += team.league_size())
      multiply(
          team,
          {static_cast<Ordinal>(block / slabs_) * shape_.rows, static_cast<Ordinal>(block % slabs_) * shape_.columns},
          memory);
  }

 private:
  static constexpr int lanes = DeviceRowsShape::team_lanes;
  /// The first row and column of a team.
  struct Block {
    Ordinal row, column;
  };
  /// The memory of a team.
  struct Memory {
    VectorScalar* sums;
    int* long_rows;  // their number, then each, counted from the team's first row
  };

  KOKKOS_FUNCTION void multiply(const Team& team, Block block, const Memory& memory) const {
    team.team_barrier();  // after the last block
    Kokkos::single(Kokkos::PerTeam(team), [&] { memory.long_rows[0] = 0; });
    team.team_barrier();
    for_each_lane(team, lanes, [&](int lane) { sum_part(block, lane, memory); });
    team.team_barrier();
    if (!writes_at_once_) {
      for_each_lane(team, shape_.rows * shape_.columns, [&](int lane) { add_parts(block, lane, memory); });
      team.team_barrier();
    }
    for (int i = 0; i < memory.long_rows[0]; ++i) sum_long_row(team, block, memory.long_rows[1 + i], memory);
  }

  template <class Body>
  KOKKOS_FUNCTION static void for_each_lane(const Team& team, int count, const Body& body) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), body);
  }

  KOKKOS_FUNCTION Offset length(Ordinal row) const { return A_.row_offsets[row + 1] - A_.row_offsets[row]; }
  KOKKOS_FUNCTION bool has_column(Block block, int column) const {
    return column < shape_.columns && block.column + column < product_.y.columns;
  }
  KOKKOS_FUNCTION VectorScalar& sum_at(const Memory& memory, int part, int row, int column) const {
    return memory.sums[(part * shape_.rows + row) * shape_.row_stride() + column];
  }

  /// Adds the entries of a part of a row for a column. Adjacent lanes have adjacent columns, then parts, then rows.
  KOKKOS_FUNCTION void sum_part(Block block, int lane, const Memory& memory) const {
    const int column = lane % shape_.columns, part = lane / shape_.columns % shape_.parts;
    const int number = lane / (shape_.columns * shape_.parts);
    const Ordinal row = block.row + number;
    if (number >= shape_.rows || row >= A_.rows) return;
    if (length(row) > shape_.longest) {
      if (column == 0 && part == 0) memory.long_rows[1 + count_up<ExecutionSpace>(memory.long_rows)] = number;
      return;
    }
    if (!has_column(block, column)) return;
    const VectorScalar sum = sum_of(row, part, shape_.parts, block.column + column);
    if (writes_at_once_) {
      store_sum(product_, row, block.column + column, sum);
    } else {
      sum_at(memory, part, number, column) = sum;
    }
  }

  /// Adds the parts of a row for a column. Lanes that are adjacent write adjacent elements of Y.
  KOKKOS_FUNCTION void add_parts(Block block, int lane, const Memory& memory) const {
    const int number = column_major_ ? lane % shape_.rows : lane / shape_.columns;
    const int column = column_major_ ? lane / shape_.rows : lane % shape_.columns;
    const Ordinal row = block.row + number;
    if (row >= A_.rows || !has_column(block, column) || length(row) > shape_.longest) return;
    VectorScalar sum = sum_at(memory, 0, number, column);
    for (int part = 1; part < shape_.parts; ++part) sum += sum_at(memory, part, number, column);
    store_sum(product_, row, block.column + column, sum);
  }

  /// Adds the entries of a long row: its parts with all lanes, for a few columns at a time, then pairs of parts.
  KOKKOS_FUNCTION void sum_long_row(const Team& team, Block block, int number, const Memory& memory) const {
    const Ordinal row = block.row + number;
    const int parts = shape_.long_parts, width = lanes / parts;
    for (int first = 0; has_column(block, first); first += width) {
      for_each_lane(team, lanes, [&](int lane) {
        const int column = first + lane % width;
        memory.sums[lane] =
            has_column(block, column) ? sum_of(row, lane / width, parts, block.column + column) : VectorScalar(0);
      });
      for (int half = parts / 2; half > 0; half /= 2) {
        team.team_barrier();
        for_each_lane(team, half * width, [&](int lane) { memory.sums[lane] += memory.sums[lane + half * width]; });
      }
      team.team_barrier();
      for_each_lane(team, width, [&](int lane) {
        if (has_column(block, first + lane)) store_sum(product_, row, block.column + first + lane, memory.sums[lane]);
      });
      team.team_barrier();
    }
  }

  /// Returns the sum of every parts-th entry of a row times X, in order. Some rows of X are fetched at the same time.
  KOKKOS_FUNCTION VectorScalar sum_of(Ordinal row, int part, int parts, Ordinal column) const {
    constexpr int unroll = 4;
    const Offset end = A_.row_offsets[row + 1];
    Offset k = A_.row_offsets[row] + part;
    VectorScalar sum(0);
    for (; k < end - (unroll - 1) * parts; k += unroll * parts) {
      VectorScalar x[unroll];
      for (int u = 0; u < unroll; ++u) x[u] = product_.x(row_of_x(k + u * parts), column);
      for (int u = 0; u < unroll; ++u) sum += value_of_entry(product_, k + u * parts) * x[u];
    }
    for (; k < end; k += parts) sum += value_of_entry(product_, k) * product_.x(row_of_x(k), column);
    return sum;
  }
  KOKKOS_FUNCTION Ordinal row_of_x(Offset k) const { return place_of(product_.x_rows, A_.column_indices[k]); }

  CsrPattern<Offset> A_;
  Product<MatrixScalar, VectorScalar> product_;
  DeviceRowsShape shape_;
  bool column_major_, writes_at_once_;
  Ordinal slabs_;  // slabs of columns
  std::int64_t blocks_;
};

/// Multiplies compressed rows on a device.
template <class ExecutionSpace, class MatrixScalar, class VectorScalar>
void multiply_on_device(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                        const Product<MatrixScalar, VectorScalar>& product) {
  const auto& y = product.y;
  const bool is_alone = y.columns == 1 && !product.same_bits_alone;
  const auto shape = device_rows_shape(A.rows, nonzeros, y.columns, is_alone, is_column_major(y));
  DeviceRows<ExecutionSpace, MatrixScalar, VectorScalar>(A, product, shape).run(exec);
}

}  // namespace Tessera::Impl
