// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <tessera/common/Product.hpp>
#include <tessera/parallel/Teams.hpp>
#include <type_traits>

#include "RowItems.hpp"
#include "Slabs.hpp"

/// The product of compressed rows with several columns on a device of any vendor.
namespace Tessera::Impl {

/// Whether adjacent elements of Y are in a column.
template <class Scalar>
bool is_column_major(const Multivector<Scalar>& y) {
  return y.columns > 1 && y.row_stride < y.column_stride;
}

/// Adjacent elements that are read or written 16 bytes at a time.
template <class Scalar, int size>
struct alignas(size * sizeof(Scalar) < 16 ? size * sizeof(Scalar) : 16) Elements {
  Scalar at[size];
};

/// Whether rows begin at multiples of 16 bytes, and have whole lanes.
template <class Scalar>
bool has_whole_lanes(const Multivector<Scalar>& x) {
  constexpr int size = lane_elements<std::remove_const_t<Scalar>>;
  return x.column_stride == 1 && x.row_stride % size == 0 && x.columns % size == 0 &&
         reinterpret_cast<std::uintptr_t>(x.data) % (size * sizeof(Scalar)) == 0;
}

/// Whether a product stores whole lanes of Y, without reading them.
template <class MatrixScalar, class VectorScalar>
bool overwrites_whole_lanes(const Product<MatrixScalar, VectorScalar>& product) {
  return has_whole_lanes(product.y) && product.beta == VectorScalar(0);
}

/// Divides small numbers by a divisor that the compiler does not know, with a multiplication.
class SmallDivisor {
 public:
  static constexpr int most_dividend = 2047, most_divisor = 256;  ///< upper bounds

  explicit SmallDivisor(int divisor) : divisor_(divisor), inverse_(((1 << bits) + divisor - 1) / divisor) {}

  KOKKOS_FUNCTION int divide(int dividend, int& remainder) const {
    const int quotient = static_cast<int>(static_cast<unsigned>(dividend) * static_cast<unsigned>(inverse_) >> bits);
    remainder = dividend - quotient * divisor_;
    return quotient;
  }
  KOKKOS_FUNCTION int divisor() const { return divisor_; }

 private:
  static constexpr int bits = 20;
  int divisor_, inverse_;
};

/// How teams share the items and columns. A team has team_lanes lanes, which the threads of a device are, one each, and
/// which the single thread of a team on a host computes one by one.
struct DeviceRowsShape {
  static constexpr int team_lanes = 256;
  int lanes = 1;  ///< lanes for the columns of a part of an item
  int parts = 1;  ///< parts of an item
  int items = 1;  ///< items of a team

  /// \param columns [in] columns of Y
  /// \param width   [in] columns of a lane
  /// \param most    [in] upper bound on the lanes for columns
  DeviceRowsShape(Ordinal columns, int width, int most, int parts_) : parts(parts_) {
    lanes = static_cast<int>(std::min<Ordinal>(window_count(columns, width), std::min(most, team_lanes / parts)));
    items = team_lanes / (lanes * parts);
  }
};

/// The kernel: computes Y = alpha A X + beta Y for items: RowItems or BatchItems. Each lane sums a part of an item for
/// `width` columns. If items have several parts, or Y is column-major, the sums are exchanged in scratch memory: then
/// adjacent lanes write adjacent elements of Y. Otherwise lanes wait for no other lane.
///
/// \tparam is_packed whether has_whole_lanes(X); otherwise lanes read X element by element, wherever it is
template <class ExecutionSpace, class Items, int width, bool is_packed>
class DeviceRows {
 public:
  using VectorScalar = typename Items::Vector;
  using Operands = typename Items::Operands;
  /// Teams of a multiprocessor at a time: with more, two complex doubles of a lane have too few registers.
  static constexpr int teams_at_a_time = sizeof(VectorScalar) > 8 && width > 1 ? 4 : 6;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<DeviceRowsShape::team_lanes, teams_at_a_time>,
                                    Kokkos::IndexType<Ordinal>>;
  using Team = typename Policy::member_type;

  DeviceRows(const Items& items, DeviceRowsShape shape)
      : items_(items),
        shape_(shape),
        column_major_(is_column_major(items.any_product().y)),
        writes_at_once_(shape.parts == 1 && (!column_major_ || shape.lanes == 1)),
        writes_elements_(is_packed && overwrites_whole_lanes(items.any_product())),
        lanes_(shape.lanes),
        parts_(shape.parts),
        columns_of_block_(shape.lanes * width),
        items_of_block_(shape.items) {
    slabs_ = static_cast<unsigned>(window_count(items.any_product().y.columns, shape.lanes * width));
    const std::uint64_t blocks = static_cast<std::uint64_t>(window_count(items.count(), shape.items)) * slabs_;
    if (blocks > std::numeric_limits<Ordinal>::max())
      throw std::length_error("a product of rows on a device: Y has more than 2^31 - 1 blocks");
    blocks_ = static_cast<unsigned>(blocks);
  }

  /// \param most_teams [in] upper bound on the teams of a launch; teams multiply several blocks if there are more. HIP
  ///                        and SYCL launch fewer than 2^32 and 2^31 threads.
  void run(const ExecutionSpace& exec, unsigned most_teams = 1 << 22) const {
    const auto count = static_cast<Ordinal>(std::min(blocks_, most_teams));
    if (count == 0) return;
    Policy policy(exec, count, is_host_space<ExecutionSpace> ? 1 : DeviceRowsShape::team_lanes, 1);
    const auto bytes = writes_at_once_ ? 0 : sums() * static_cast<int>(sizeof(VectorScalar)) + most_alignment;
    Kokkos::parallel_for(Items::label, policy.set_scratch_size(0, Kokkos::PerTeam(bytes)), *this);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    VectorScalar* const sums = writes_at_once_ ? nullptr : team_array<VectorScalar>(team, this->sums());
    for (unsigned block = team.league_rank(); block < blocks_; block += team.league_size()) {
      const unsigned number = slabs_ == 1 ? block : block / slabs_;
      const auto item = static_cast<Ordinal>(number) * shape_.items;
      const auto column = static_cast<Ordinal>(block - number * slabs_) * shape_.lanes * width;
      if (!writes_at_once_) team.team_barrier();  // after the last block
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, DeviceRowsShape::team_lanes),
                           [&](int lane) { sum_part(item, column, lane, sums); });
      if (writes_at_once_) continue;
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, shape_.items * shape_.lanes * width),
                           [&](int i) { add_parts(item, column, i, sums); });
    }
  }

 private:
  static constexpr int most_alignment = 2 * alignof(std::max_align_t);
  using Lane = Elements<VectorScalar, width>;

  /// Sums in the scratch memory of a team: those of an item are adjacent. Their number is odd, so that items begin in
  /// different banks.
  KOKKOS_FUNCTION int sums() const { return shape_.parts * shape_.items * row_of_sums(); }
  KOKKOS_FUNCTION int row_of_sums() const { return (shape_.lanes * width) | 1; }

  /// Adjacent lanes have adjacent columns, then parts, then items.
  KOKKOS_FUNCTION void sum_part(Ordinal first_item, Ordinal first_column, int lane, VectorScalar* sums) const {
    int place, part;
    const int number = parts_.divide(lanes_.divide(lane, place), part);
    place *= width;
    const Ordinal item = first_item + number, column = first_column + place;
    EntrySpan span;
    if (number >= shape_.items || !is_there(first_item, number) || column >= columns()) return;
    if (!items_.find(item, span)) return;
    Lane sum = sum_of(items_.product_of(item), {span.begin + part, span.end}, column);
    if (writes_at_once_) return store(item, column, sum);
    VectorScalar* const to = sums + (part * shape_.items + number) * row_of_sums() + place;
    TESSERA_UNROLL
    for (int w = 0; w < width; ++w) to[w] = sum.at[w];
  }

  /// Adds the parts of an item for a column, in order.
  KOKKOS_FUNCTION void add_parts(Ordinal first_item, Ordinal first_column, int i, const VectorScalar* sums) const {
    int number, place;
    if (column_major_) {
      place = items_of_block_.divide(i, number);
    } else {
      number = columns_of_block_.divide(i, place);
    }
    const Ordinal item = first_item + number, column = first_column + place;
    EntrySpan span;
    if (!is_there(first_item, number) || column >= columns() || !items_.find(item, span)) return;
    VectorScalar sum = sums[number * row_of_sums() + place];
    for (int part = 1; part < shape_.parts; ++part) sum += sums[(part * shape_.items + number) * row_of_sums() + place];
    items_.store(item, column, sum);
  }

  KOKKOS_FUNCTION void store(Ordinal item, Ordinal column, Lane& sum) const {
    if (writes_elements_ && !items_.is_piece(item)) {
      const Operands& product = items_.product_of(item);
      TESSERA_UNROLL
      for (int w = 0; w < width; ++w) sum.at[w] = product.alpha * sum.at[w];
      *reinterpret_cast<Lane*>(&product.y(place_of(product.y_rows, items_.row_of(item)), column)) = sum;
    } else {
      TESSERA_UNROLL
      for (int w = 0; w < width; ++w)
        if (column + w < columns()) items_.store(item, column + w, sum.at[w]);
    }
  }

  /// Returns the sums of every parts-th entry times X, in order. Some rows of X are fetched at the same time.
  KOKKOS_FUNCTION Lane sum_of(const Operands& operands, EntrySpan span, Ordinal column) const {
    const int step = shape_.parts;
    Lane sum;
    TESSERA_UNROLL
    for (int w = 0; w < width; ++w) sum.at[w] = VectorScalar(0);
    Offset k = span.begin;
    for (; k < span.end - 3 * step; k += 4 * step) add_entries<4>(operands, k, column, sum);
    if (k < span.end - step) {
      add_entries<2>(operands, k, column, sum);
      k += 2 * step;
    }
    if (k < span.end) add_entries<1>(operands, k, column, sum);
    return sum;
  }
  template <int count>
  KOKKOS_FUNCTION void add_entries(const Operands& operands, Offset first, Ordinal column, Lane& sum) const {
    Lane x[count];
    TESSERA_UNROLL
    for (int u = 0; u < count; ++u) x[u] = load(operands.x, items_.A.column(first + u * shape_.parts), column);
    TESSERA_UNROLL
    for (int u = 0; u < count; ++u) {
      const VectorScalar a = items_.value(operands, first + u * shape_.parts);
      TESSERA_UNROLL
      for (int w = 0; w < width; ++w) sum.at[w] += a * x[u].at[w];
    }
  }

  /// Loads elements of a row of X. Those behind the last column are those of the last column.
  KOKKOS_FUNCTION Lane load(const Multivector<const VectorScalar>& x, Ordinal row, Ordinal column) const {
    if constexpr (is_packed) {
      return *reinterpret_cast<const Lane*>(x.data + row * x.row_stride + column);
    } else {
      Lane lane;
      TESSERA_UNROLL
      for (int w = 0; w < width; ++w) lane.at[w] = x(row, column + w < columns() ? column + w : columns() - 1);
      return lane;
    }
  }

  /// Whether there is such an item. The sum of both numbers may be too large for an Ordinal.
  KOKKOS_FUNCTION bool is_there(Ordinal first_item, int number) const { return number < items_.count() - first_item; }
  KOKKOS_FUNCTION Ordinal columns() const { return items_.any_product().y.columns; }

  Items items_;
  DeviceRowsShape shape_;
  bool column_major_, writes_at_once_, writes_elements_;
  SmallDivisor lanes_, parts_, columns_of_block_, items_of_block_;
  unsigned slabs_, blocks_;  // slabs of columns; blocks of items and columns
};

}  // namespace Tessera::Impl
