// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Agent.cuh"
#include "epilogue/Epilogue.cuh"

namespace Tessera::Impl::Cuda {

/// Sums slots and writes Y = alpha sums + beta Y, in a thread block. A team of lanes sums a row, each lane a vector of
/// columns. A long row is summed by the whole block.
///
/// With `aligned`, Y is row-major, and lanes read and write 16 bytes at a time. Otherwise Y has any strides, and sums
/// go through shared memory, so adjacent threads write adjacent elements.
template <class Policy, bool aligned, class Scalar>
class SortedColumnsRowSums {
 public:
  using Arguments = SortedColumnsArguments<Scalar>;
  using Lane = Vector<Scalar, true>;

  static constexpr int chunk_columns = Policy::lanes * Lane::size;
  static constexpr int rows_of_block = Policy::row_threads / Policy::lanes;
  static constexpr std::size_t shared_bytes() { return std::size_t(chunk_columns) * (tile_rows + 1) * sizeof(Scalar); }

  __device__ SortedColumnsRowSums(const Arguments& arguments, unsigned chunk)
      : arguments_(arguments),
        tile_(reinterpret_cast<Scalar*>(dynamic_memory())),
        team_(static_cast<int>(threadIdx.x) / Policy::lanes),
        lane_column_(static_cast<int>(threadIdx.x) % Policy::lanes * Lane::size),
        first_column_(static_cast<int>(chunk) * chunk_columns) {}

  /// Sums the rows first, first + 1, ... except long ones.
  __device__ void sum_rows(Ordinal first) const {
    Lane sums = {};
    if (is_short(first, team_) && is_active()) {
      const Ordinal row = first + team_;
      sums = sum_slots(arguments_.schedule.row_offsets[row], arguments_.schedule.row_offsets[row + 1]);
      if constexpr (aligned) store_row(row, sums);
    }
    if constexpr (!aligned) {
      set_tile(team_, sums);
      __syncthreads();
      store_tile(first);
    }
  }

  /// Sums a long row. Each team sums a share of the slots, then threads add the sums of the shares. The number of
  /// shares is the same for all policies, because the bits of a sum depend on it.
  __device__ void sum_long_row(Ordinal row) const {
    const Offset begin = arguments_.schedule.row_offsets[row];
    const Offset slots = arguments_.schedule.row_offsets[row + 1] - begin;
    for (int share = team_; share < shares; share += rows_of_block) {
      const Offset first = first_of_share(slots, share), last = first_of_share(slots, share + 1);
      set_tile(share, is_active() ? sum_slots(begin + first, begin + last) : Lane{});
    }
    __syncthreads();
    for (int c = static_cast<int>(threadIdx.x); c < chunk_columns; c += Policy::row_threads) {
      if (first_column_ + c >= arguments_.product.y.columns) break;
      Scalar sum = tile(0, c);
      for (int share = 1; share < shares; ++share) sum += tile(share, c);
      store_element(arguments_.product, row, first_column_ + c, sum);
    }
  }

 private:
  static constexpr int shares = 32;
  static constexpr int tile_rows = rows_of_block > shares ? rows_of_block : shares;

  static __device__ Offset first_of_share(Offset slots, int share) {
    const Offset rest = slots % static_cast<Offset>(shares);
    return slots / static_cast<Offset>(shares) * static_cast<Offset>(share) +
           (rest < static_cast<Offset>(share) ? rest : static_cast<Offset>(share));
  }

  __device__ bool is_active() const { return first_column_ + lane_column_ < arguments_.product.y.columns; }
  /// Whether row first + r exists and is a short row.
  __device__ bool is_short(Ordinal first, int r) const {
    if (r >= arguments_.A.rows - first) return false;
    const Offset* const offsets = arguments_.schedule.row_offsets + first + r;
    return offsets[1] - offsets[0] <= static_cast<Offset>(sorted_columns_long_row_slots);
  }

  /// Returns the sum of some slots of a row, given their places in row_slots.
  __device__ Lane sum_slots(Offset begin, Offset end) const {
    constexpr int unroll = 4;
    const Scalar* const partials = arguments_.partials + first_column_ + lane_column_;
    Lane sums = {};
    const Offset* slot = arguments_.schedule.row_slots + begin;
#pragma unroll 1
    for (auto left = static_cast<std::ptrdiff_t>(end - begin); left > 0; left -= unroll, slot += unroll) {
      Lane parts[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u >= left) continue;
        const auto place = static_cast<std::ptrdiff_t>(__ldg(slot + u)) * arguments_.partials_stride;
        parts[u] = load_vector_once<true>(partials + place);
      }
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        if (u >= left) continue;
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) sums.at[e] += parts[u].at[e];
      }
    }
    return sums;
  }

  __device__ void store_row(Ordinal row, const Lane& sums) const {
    const Product<Scalar, Scalar>& product = arguments_.product;
    store_sums(product, product.y.data + row * product.y.row_stride + first_column_ + lane_column_, sums);
  }

  /// Returns an element of the tile. The tile is stored by columns with an odd stride, which has fewer bank conflicts.
  __device__ Scalar& tile(int row, int c) const { return tile_[c * (tile_rows + 1) + row]; }
  __device__ void set_tile(int row, const Lane& sums) const {
#pragma unroll
    for (int e = 0; e < Lane::size; ++e) tile(row, lane_column_ + e) = sums.at[e];
  }

  __device__ void store_tile(Ordinal first) const {
    const bool by_columns = arguments_.product.y.row_stride == 1;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < rows_of_block * chunk_columns; i += Policy::row_threads) {
      const int r = by_columns ? i % rows_of_block : i / chunk_columns;
      const int c = by_columns ? i / rows_of_block : i % chunk_columns;
      if (is_short(first, r) && first_column_ + c < arguments_.product.y.columns) {
        store_element(arguments_.product, first + r, first_column_ + c, tile(r, c));
      }
    }
  }

  const Arguments& arguments_;
  Scalar* const tile_;
  const int team_;
  const Ordinal lane_column_;  // the lane's first column in the chunk
  const Ordinal first_column_;
};

}  // namespace Tessera::Impl::Cuda
