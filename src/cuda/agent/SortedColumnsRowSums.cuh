// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../detail/Access.cuh"
#include "../detail/Arithmetic.cuh"
#include "../detail/Launch.cuh"
#include "SortedColumnsArguments.hpp"

namespace Tessera::Cuda {

/// A block of threads that sums slots and writes Y = alpha sums + beta Y: some lanes a row, each a vector of columns,
/// or the whole block a long row.
///
/// aligned: Y is row-major, and read and written 16 bytes at a time; otherwise with any strides, by way of shared
/// memory, so that adjacent threads write adjacent elements.
template <class Policy, bool aligned, class Offset, class MatrixScalar, class Scalar>
class SortedColumnsRowSums {
 public:
  using Arguments = SortedColumnsArguments<Offset, MatrixScalar, Scalar>;
  using Lane = Vector<Scalar, true>;

  static constexpr int chunk_columns = Policy::lanes * Lane::size;
  static constexpr int rows_of_block = Policy::threads / Policy::lanes;
  static constexpr std::size_t shared_bytes = std::size_t(chunk_columns) * (rows_of_block + 1) * sizeof(Scalar);

  __device__ SortedColumnsRowSums(const Arguments& arguments, unsigned chunk)
      : arguments_(arguments),
        tile_(reinterpret_cast<Scalar*>(dynamic_memory())),
        team_(static_cast<int>(threadIdx.x) / Policy::lanes),
        lane_column_(static_cast<int>(threadIdx.x) % Policy::lanes * Lane::size),
        first_column_(static_cast<int>(chunk) * chunk_columns) {}

  /// Rows first, first + 1, ..., but those that are long.
  __device__ void sum_rows(Ordinal first) const {
    Lane sums = {};
    if (is_short(first, team_) && is_active()) {
      const Ordinal row = first + team_;
      sums = sum_slots(arguments_.schedule.row_slots[row], arguments_.schedule.row_slots[row + 1]);
      if constexpr (aligned) store_row(row, sums);
    }
    if constexpr (!aligned) {
      set_tile(sums);
      __syncthreads();
      store_tile(first);
    }
  }

  /// Lanes sum a share of the slots of the row each, and the first ones their sums.
  __device__ void sum_long_row(Ordinal row) const {
    const Offset begin = arguments_.schedule.row_slots[row], slots = arguments_.schedule.row_slots[row + 1] - begin;
    const auto share = [&](int team) { return begin + slots / rows_of_block * team + min_of(slots, team); };
    Lane sums = {};
    if (is_active()) sums = sum_slots(share(team_), share(team_ + 1));
    set_tile(sums);
    __syncthreads();
    for (int c = static_cast<int>(threadIdx.x); c < chunk_columns; c += Policy::threads) {
      if (first_column_ + c >= arguments_.product.y.columns) break;
      Scalar sum = tile(0, c);
      for (int team = 1; team < rows_of_block; ++team) sum += tile(team, c);
      store_element(row, c, sum);
    }
  }

 private:
  /// Of the slots that are left when each team has as many, those before a team.
  static __device__ Offset min_of(Offset slots, int team) {
    const Offset rest = slots % static_cast<Offset>(rows_of_block);
    return rest < static_cast<Offset>(team) ? rest : static_cast<Offset>(team);
  }

  __device__ bool is_active() const { return first_column_ + lane_column_ < arguments_.product.y.columns; }
  /// Whether row first + r is there, and not long.
  __device__ bool is_short(Ordinal first, int r) const {
    if (r >= arguments_.A.rows - first) return false;
    const Offset* const slots = arguments_.schedule.row_slots + first + r;
    return slots[1] - slots[0] <= static_cast<Offset>(sorted_columns_long_row_slots);
  }

  __device__ Lane sum_slots(Offset begin, Offset end) const {
    constexpr int unroll = 4;
    Lane sums = {};
    const Scalar* slot = arguments_.partials + static_cast<std::ptrdiff_t>(begin) * arguments_.partials_stride +
                         first_column_ + lane_column_;
#pragma unroll 1
    for (auto left = static_cast<std::ptrdiff_t>(end - begin); left > 0; left -= unroll) {
      Lane parts[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u < left) parts[u] = load_vector_once<true>(slot + u * arguments_.partials_stride);
      }
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u >= left) continue;
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) sums.at[e] += parts[u].at[e];
      }
      slot += unroll * arguments_.partials_stride;
    }
    return sums;
  }

  __device__ void store_row(Ordinal row, const Lane& sums) const {
    const Product<MatrixScalar, Scalar>& product = arguments_.product;
    Scalar* const y = product.y.data + row * product.y.row_stride + first_column_ + lane_column_;
    Lane before = {}, result;
    if (product.beta != Scalar(0)) before = load_vector_once<true>(y);
#pragma unroll
    for (int e = 0; e < Lane::size; ++e) {
      result.at[e] = scaled_and_added(product.alpha, sums.at[e], product.beta, [&] { return before.at[e]; });
    }
    store_vector_once(y, result);
  }

  __device__ void store_element(Ordinal row, int c, Scalar sum) const {
    const Product<MatrixScalar, Scalar>& product = arguments_.product;
    Scalar& y = product.y(row, first_column_ + c);
    y = scaled_and_added(product.alpha, sum, product.beta, [&] { return y; });
  }

  /// Sums by columns, a place apart: fewer conflicts of banks.
  __device__ Scalar& tile(int team, int c) const { return tile_[c * (rows_of_block + 1) + team]; }
  __device__ void set_tile(const Lane& sums) const {
#pragma unroll
    for (int e = 0; e < Lane::size; ++e) tile(team_, lane_column_ + e) = sums.at[e];
  }

  __device__ void store_tile(Ordinal first) const {
    const bool by_columns = arguments_.product.y.row_stride == 1;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < rows_of_block * chunk_columns; i += Policy::threads) {
      const int r = by_columns ? i % rows_of_block : i / chunk_columns;
      const int c = by_columns ? i / rows_of_block : i % chunk_columns;
      if (is_short(first, r) && first_column_ + c < arguments_.product.y.columns) {
        store_element(first + r, c, tile(r, c));
      }
    }
  }

  const Arguments& arguments_;
  Scalar* const tile_;
  const int team_;
  const Ordinal lane_column_;  // in the chunk
  const Ordinal first_column_;
};

}  // namespace Tessera::Cuda
