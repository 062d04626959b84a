// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tessera/common/Product.hpp>

#include "Policy.hpp"
#include "csr/chunked/Schedule.hpp"
#include "epilogue/Epilogue.cuh"
#include "ptx/AsyncCopy.cuh"
#include "ptx/Load.cuh"
#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// Arguments of the kernels. Rows of X begin at multiples of 16 bytes.
template <class Scalar>
struct ChunkedArguments {
  ChunkedSchedule schedule;
  const Ordinal* column_indices;
  Product<Scalar, Scalar> product;
  ChunkedBlocks blocks;
  bool entry_vectors = false;          // columns and values begin at multiples of 16 bytes
  bool y_vectors = false;              // rows of Y are whole vectors
  Scalar* partials = nullptr;          // running sums, by rows of A; or the sums of each chunk, chunk after chunk
  std::ptrdiff_t partials_stride = 0;  // stride of the rows of partials, in elements

  /// Returns the running sums of a row, or its sums of one chunk.
  __device__ Scalar* partial_row(Ordinal chunk, Ordinal row) const {
    const std::size_t before = blocks.are_split ? std::size_t(chunk) * std::size_t(schedule.rows) : 0;
    return partials + (before + std::size_t(row)) * partials_stride;
  }
};

/// Writes Y = alpha sum + beta Y for a vector of columns of a row, except columns beyond the last of Y.
template <class Scalar>
__device__ void store_chunked_row(const ChunkedArguments<Scalar>& arguments, Ordinal row, Ordinal column,
                                  const Vector<Scalar, true>& sum) {
  const auto& product = arguments.product;
  if (arguments.y_vectors)
    return store_sums(product, product.y.data + row_of_y(product, row) * product.y.row_stride + column, sum);
#pragma unroll
  for (int e = 0; e < sum.size; ++e) {
    if (column + e < product.y.columns) store_element(product, row, column + e, sum.at[e]);
  }
}

template <class Scalar>
__device__ void add(Vector<Scalar, true>& sum, const Vector<Scalar, true>& other) {
#pragma unroll
  for (int e = 0; e < sum.size; ++e) sum.at[e] += other.at[e];
}

/// A thread block's work: for each chunk, it copies rows of X to shared memory, then its warps multiply rows of A.
///
/// A lane has one vector of each pair of vectors in a row of the slab. In step s, team t reads the vectors of pair
/// s ^ t, so lanes that read at the same time (those of a row's four teams) use different banks. After the sum over
/// teams, lane l of team t has vector 2 t + l.
template <class Scalar>
class ChunkedAgent {
  using Arguments = ChunkedArguments<Scalar>;
  using Policy = ChunkedPolicy;
  using Lane = Vector<Scalar, true>;
  static constexpr int vectors = Policy::vectors;
  struct Sums {
    Lane of[vectors];  // in the order of the team's steps
  };
  struct Quad {
    Ordinal columns[4];
    Scalar values[4];
  };

 public:
  __device__ ChunkedAgent(const Arguments& arguments, std::byte* memory, int slab, int part)
      : arguments_(arguments),
        memory_(memory),
        counter_(reinterpret_cast<int*>(memory + (chunk_rows() + 1) * slab_row_bytes)),
        part_(part),
        slab_column_(slab * Policy::row_vectors * Lane::size),
        lane_(static_cast<int>(threadIdx.x) % Policy::lanes),
        team_(static_cast<int>(threadIdx.x) / Policy::lanes % Policy::teams) {}

  __device__ void run(Ordinal first_chunk, Ordinal end_chunk) {
    for (chunk_ = first_chunk; chunk_ < end_chunk; ++chunk_) {
      if (chunk_ > first_chunk) __syncthreads();  // all warps have finished the previous chunk
      copy_rows();
      multiply_rows();
    }
  }

 private:
  __device__ Ordinal chunk_rows() const { return arguments_.schedule.chunks.rows; }
  __device__ Ordinal first_row() const { return chunk_ * chunk_rows(); }

  /// Copies the slab of each row of the chunk, with zeros for columns beyond the last of X.
  __device__ void copy_rows() const {
    const auto& x = arguments_.product.x;
    const int vector = static_cast<int>(threadIdx.x) % Policy::row_vectors;
    const Ordinal rows = min(chunk_rows(), arguments_.schedule.columns - first_row());
    const Ordinal column = slab_column_ + vector * Lane::size;
    const int bytes = max(0, min(16, (x.columns - column) * static_cast<int>(sizeof(Scalar))));
    const Scalar* const from = x.data + first_row() * x.row_stride + (bytes > 0 ? column : 0);
    for (int r = static_cast<int>(threadIdx.x) / Policy::row_vectors; r < rows;
         r += Policy::threads / Policy::row_vectors)
      copy_async_16_filled(memory_ + r * slab_row_bytes + vector * 16, from + r * x.row_stride, bytes);
    if (threadIdx.x < Policy::row_vectors)
      reinterpret_cast<uint4*>(memory_ + chunk_rows() * slab_row_bytes)[vector] = uint4{0, 0, 0, 0};
    if (threadIdx.x == 0) *counter_ = 0;
    commit_copies();
    wait_copies<0>();
    __syncthreads();
  }

  __device__ void multiply_rows() const {
    const Ordinal rounds = window_count(arguments_.schedule.rows, arguments_.blocks.parts);
    int turn = take_turn();
    ChunkedItem item = item_of(turn);
    while (turn < rounds) {
      const int next = take_turn();
      const ChunkedItem next_item = item_of(next);
      const Lane sum = sum_of_teams(sum_up(item));
      finish(item.row, slab_column_ + (team_ * Policy::lanes + lane_) * Lane::size, sum);
      turn = next;
      item = next_item;
    }
  }

  /// Reserves the next warp_rows rounds for this warp, one for each group of row_lanes lanes. Returns the first one.
  __device__ int take_turn() const {
    int turn = 0;
    if (threadIdx.x % 32 == 0) turn = atomicAdd(counter_, Policy::warp_rows);
    return __shfl_sync(0xffffffffu, turn, 0);
  }

  /// Returns the item of a round. Each round gives one row to every part, in alternating order, to balance work.
  __device__ ChunkedItem item_of(int turn) const {
    const int parts = arguments_.blocks.parts;
    const int round = turn + static_cast<int>(threadIdx.x) % 32 / Policy::row_lanes;
    const std::int64_t place = std::int64_t(round) * parts + (round % 2 == 0 ? part_ : parts - 1 - part_);
    ChunkedItem item;
    if (place >= arguments_.schedule.rows) return item;
    const std::size_t before = std::size_t(chunk_) * std::size_t(arguments_.schedule.rows);
    const uint4 words = load_now_16(arguments_.schedule.items + before + place);
    std::memcpy(&item, &words, sizeof(words));
    return item;
  }

  /// Returns the sums of the team's quads of an item. The next quad is loaded while one is multiplied.
  __device__ __forceinline__ Sums sum_up(const ChunkedItem& item) const {
    Sums sums = {};
    const auto skipped = static_cast<unsigned>(item.first % 4), end = skipped + item.length;
    unsigned place = 4 * static_cast<unsigned>(team_);  // counted from the quad of the item's first entry
    if (place >= end) return sums;
    Quad next = load_quad(item, place - skipped);
#pragma unroll 1
    for (bool has_next = true; has_next;) {
      const Quad quad = own_entries(next, item, place - skipped);
      place += 4 * Policy::teams;
      has_next = place < end;
      if (has_next) next = load_quad(item, place - skipped);
      add_quad(quad, sums);
    }
    return sums;
  }

  /// Loads entries `place`, ..., place + 3 of an item. The index may be negative: indices outside the item give entries
  /// of another row or chunk, or undefined values.
  __device__ __forceinline__ Quad load_quad(const ChunkedItem& item, unsigned place) const {
    Quad quad;
    const std::uint64_t first = item.first + static_cast<std::int64_t>(static_cast<int>(place));
    const Ordinal* const columns = arguments_.column_indices + first;
    const Scalar* const values = arguments_.product.values + first;
    if (arguments_.entry_vectors && first + 4 <= arguments_.schedule.nonzeros) {
      const uint4 four = load_now_16(columns);
      std::memcpy(quad.columns, &four, sizeof(four));
#pragma unroll
      for (int v = 0; v < 4; v += Lane::size) {
        const Lane some = load_vector<true>(values + v);
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) quad.values[v + e] = some.at[e];
      }
    } else {
#pragma unroll
      for (unsigned c = 0; c < 4; ++c) {
        if (place + c >= item.length) continue;
        quad.columns[c] = __ldg(columns + c);
        quad.values[c] = __ldg(values + c);
      }
    }
    return quad;
  }

  /// Returns a loaded quad with column indices relative to the chunk's first. Entries of other rows and chunks become
  /// zeros that multiply the row of zeros.
  __device__ __forceinline__ Quad own_entries(Quad quad, const ChunkedItem& item, unsigned place) const {
#pragma unroll
    for (unsigned c = 0; c < 4; ++c) {
      const bool is_own = place + c < item.length;
      quad.columns[c] = is_own ? quad.columns[c] - first_row() : chunk_rows();
      quad.values[c] = is_own ? quad.values[c] : Scalar(0);
    }
    return quad;
  }

  __device__ __forceinline__ void add_quad(const Quad& quad, Sums& sums) const {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const std::byte* const row = memory_ + quad.columns[c] * slab_row_bytes + lane_ * 16;
#pragma unroll
      for (int s = 0; s < vectors; ++s) {
        Lane x;
        const uint4 words = *reinterpret_cast<const uint4*>(row + (s ^ team_) * (Policy::lanes * 16));
        std::memcpy(&x, &words, sizeof(words));
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) sums.of[s].at[e] = fused(quad.values[c], x.at[e], sums.of[s].at[e]);
      }
    }
  }

  /// Returns (team 0 + team 1) + (team 2 + team 3). A lane's step s is step s ^ 1 or s ^ 2 of the lane it adds.
  static __device__ __forceinline__ Lane sum_of_teams(const Sums& sums) {
    Lane low = sums.of[0], high = sums.of[2];
    add(low, of_other_team(sums.of[1], 1));
    add(high, of_other_team(sums.of[3], 1));
    add(low, of_other_team(high, 2));
    return low;
  }
  static __device__ __forceinline__ Lane of_other_team(Lane sum, int distance) {
#pragma unroll
    for (int e = 0; e < Lane::size; ++e) {
      sum.at[e] = __shfl_xor_sync(0xffffffffu, sum.at[e], distance * Policy::lanes);
    }
    return sum;
  }

  __device__ void finish(Ordinal row, Ordinal column, Lane sum) const {
    if (row < 0 || column >= arguments_.product.y.columns) return;
    const Ordinal chunks = arguments_.schedule.chunks.count;
    if (chunks == 1) return store_chunked_row(arguments_, row, column, sum);
    Scalar* const partial = arguments_.partial_row(chunk_, row) + column;
    if (arguments_.blocks.are_split) return store_vector(partial, sum);
    if (chunk_ > 0) add(sum, load_vector_once<true>(partial));
    chunk_ + 1 < chunks ? store_vector(partial, sum) : store_chunked_row(arguments_, row, column, sum);
  }

  const Arguments& arguments_;
  std::byte* const memory_;  // the rows of a chunk, a row of zeros, the counter
  int* const counter_;
  const int part_;
  const Ordinal slab_column_;
  const int lane_, team_;
  Ordinal chunk_ = 0;
};

}  // namespace Tessera::Impl::Cuda
