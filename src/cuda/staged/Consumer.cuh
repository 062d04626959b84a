// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../epilogue/Arithmetic.cuh"
#include "../epilogue/NonFinite.cuh"
#include "../fragments/FragmentLayout.hpp"
#include "../fragments/MaskDecode.hpp"
#include "../fragments/TileProduct.cuh"
#include "../fragments/Vectors.cuh"
#include "Buffers.cuh"
#include "EntrySum.cuh"

namespace Tessera::Cuda {

/// A warp that multiplies the tiles of a strip with rows of X in shared memory.
template <class Kind, class Policy, class MatrixScalar, class Scalar>
class StagedConsumer {
 public:
  using Arguments = StagedArguments<MatrixScalar, Scalar>;
  using Buffers = StagedBuffers<Scalar, Policy>;
  /// Columns in the order of the panels of shared memory, which avoid conflicts of banks themselves.
  struct Layout : FragmentLayout<Scalar, Policy::columns> {
    using Base = FragmentLayout<Scalar, Policy::columns>;
    /// Of lane 0, the column of the slab that its column q is; other lanes' are first_column(lane) further.
    static TESSERA_FUNCTION constexpr int column(int q) {
      return q / Base::vector * (8 * Base::vector) + q % Base::vector;
    }
    static TESSERA_FUNCTION constexpr int first_column(int lane) { return Base::vector * (lane / 4); }
  };
  using Sums = Scalar[Kind::blocks][Layout::products][4];

  __device__ __forceinline__ StagedConsumer(const Arguments& arguments, const Buffers& buffers, int strip, int lane)
      : arguments_(arguments), buffers_(buffers), strip_(strip), lane_(lane) {}

  __device__ __forceinline__ void run() const {
    RingPlace<Policy::buffers> place;
    bool first = true;  // of all chunks: there is none before it
    StagedTasks tasks(arguments_.schedule.item_count, arguments_.slabs);
    if (!tasks.left()) return;
    CondensedItem<int> next_item = arguments_.schedule.items[tasks.item()];
    while (tasks.left()) {
      const CondensedItem<int> item = next_item;
      const int first_column = static_cast<int>(tasks.slab()) * Policy::columns + Layout::first_column(lane_);
      tasks.advance();
      if (tasks.left()) next_item = arguments_.schedule.items[tasks.item()];
      Sums sums = {};
      for (int c = 0; c < item.tiles; ++c) {
        mbarrier_wait(buffers_.full(place.buffer), place.parity);
        multiply(place, sums);
        __syncwarp();
        if (!first && lane_ == 0) mbarrier_arrive(buffers_.empty(place.before()));
        first = false;
        place.advance();
      }
      recompute_nonfinite(item, first_column, sums);
      store(item, first_column, sums);
    }
  }

 private:
  using Tile = StagedTile<Kind::blocks>;
  static constexpr int vector = Layout::vector;
  static_assert(vector * sizeof(Scalar) == 16);

  // A copy of the sums that is indexed by run-time numbers, which registers are not.
  struct SumsInMemory {
    Scalar sums[Kind::blocks][2][Layout::lane_columns];
  };

  __device__ __forceinline__ void multiply(const RingPlace<Policy::buffers>& place, Sums& sums) const {
    const std::byte* tiles = buffers_.tiles(place.buffer);
    const auto* values = reinterpret_cast<const MatrixScalar*>(buffers_.values(place.buffer));
    const auto* strip_tiles = reinterpret_cast<const std::uint16_t*>(tiles) + strip_;
    const auto* tile = reinterpret_cast<const Tile*>(tiles + staged_header_bytes(Policy::strips)) + strip_tiles[0];
    const std::byte* x = buffers_.x(place.buffer);
    const std::byte* x_before = buffers_.x(place.before());
    for (int left = strip_tiles[1] - strip_tiles[0]; left > 0; --left, ++tile) {
      const unsigned codes = reinterpret_cast<const unsigned*>(tile->codes)[lane_ % 4];
      alignas(16) Scalar rows[2][Layout::lane_columns];
      load_row(codes & 0xffffu, x, x_before, rows[0]);
      load_row(codes >> 16, x, x_before, rows[1]);
      const MatrixScalar* value = values + tile->first_value;
#pragma unroll
      for (int b = 0; b < Kind::blocks; ++b) {
        const std::uint64_t mask = tile->masks[b];
        const LaneEntries entries = lane_entries(mask, lane_);
        const MatrixScalar* own = value + entries.before;
        const Scalar a0 = (entries.bits & 1u) != 0 ? Scalar(own[0]) : Scalar(0);
        const Scalar a1 = (entries.bits & 2u) != 0 ? Scalar(own[entries.bits & 1u]) : Scalar(0);
        if (b + 1 < Kind::blocks) value += popcount32(static_cast<unsigned>(mask)) + popcount32(mask >> 32);
        const auto right = TileProduct<Kind::precision>::right(a0, a1);
#pragma unroll
        for (int m = 0; m < Layout::products; ++m) {
          Scalar left_operand[4];
          Layout::left_operand(rows, m, left_operand);
          TileProduct<Kind::precision>::add(sums[b][m], left_operand, right);
        }
      }
    }
  }

  __device__ __forceinline__ void load_row(unsigned code, const std::byte* x, const std::byte* x_before,
                                           Scalar (&row)[Layout::lane_columns]) const {
    const std::byte* from =
        (code >= 0x8000u ? x_before : x) + Buffers::place(static_cast<int>(code & 0x7fffu), lane_ / 4);
#pragma unroll
    for (int panel = 0; panel < Buffers::panels; ++panel) {
      *reinterpret_cast<vector_of_t<Scalar, vector>*>(row + panel * vector) =
          *reinterpret_cast<const vector_of_t<Scalar, vector>*>(from + panel * Buffers::panel_stride);
    }
  }

  // Replaces sums that are not finite by those of the entries alone.
  __device__ __forceinline__ void recompute_nonfinite(const CondensedItem<int>& item, int first_column,
                                                      Sums& sums) const {
    Scalar zeros = 0;  // NaN as soon as a sum is not finite
    for_each_result([&](int b, int p, int q) { zeros += Scalar(0) * sums[b][q / 2][Layout::result(q, p)]; });
    if (!some_are_nonfinite(zeros)) return;
    SumsInMemory memory;
    for_each_result([&](int b, int p, int q) { memory.sums[b][p][q] = sums[b][q / 2][Layout::result(q, p)]; });
    recompute_in_memory(arguments_, item, strip_, lane_, first_column, memory);
    for_each_result([&](int b, int p, int q) { sums[b][q / 2][Layout::result(q, p)] = memory.sums[b][p][q]; });
  }

  // Not inlined: hardly any product comes here, and the registers are wanted elsewhere.
  static __device__ __noinline__ void recompute_in_memory(const Arguments& arguments, const CondensedItem<int>& item,
                                                          int strip, int lane, int first_column, SumsInMemory& memory) {
#pragma unroll 1
    for (int index = 0; index < Kind::blocks * 2 * Layout::lane_columns; ++index) {
      const int q = index % Layout::lane_columns, p = index / Layout::lane_columns % 2;
      const int b = index / Layout::lane_columns / 2, column = first_column + Layout::column(q);
      if (isfinite(memory.sums[b][p][q]) || column >= arguments.product.x.columns) continue;
      memory.sums[b][p][q] =
          sum_staged_entries<Kind>(arguments, item, strip, 8 * b + Layout::result_row(lane, p), column);
    }
  }

  // Where a lane's elements of a row go: to Y, or to the workspace if the item is a piece of a window.
  struct Destination {
    Scalar* data;  // the row
    std::ptrdiff_t stride;
    bool vectors;
    Scalar alpha, beta;
  };

  __device__ __forceinline__ void store(const CondensedItem<int>& item, int first_column, const Sums& sums) const {
    const Product<MatrixScalar, Scalar>& product = arguments_.product;
    const bool partial = item.slot != CondensedItem<int>::direct;
#pragma unroll
    for (int b = 0; b < Kind::blocks; ++b) {
      alignas(16) Scalar old[2][Layout::lane_columns] = {};
      Destination to[2];
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        const int r = strip_ * Kind::strip_rows + 8 * b + Layout::result_row(lane_, p);
        const Ordinal row = item.window * arguments_.A.window_rows + r;
        to[p] = {nullptr, 1, true, Scalar(1), Scalar(0)};
        if (row >= arguments_.A.rows) continue;
        if (partial) {
          to[p].data = arguments_.partials +
                       (std::size_t(item.slot) * arguments_.A.window_rows + r) * arguments_.partials_stride;
        } else {
          const Ordinal y_row = product.y_rows == nullptr ? row : product.y_rows[row];
          to[p] = {product.y.data + y_row * product.y.row_stride, product.y.column_stride, arguments_.y_vectors,
                   product.alpha, product.beta};
          if (product.beta != Scalar(0)) read_row(to[p], first_column, old[p]);
        }
      }
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        if (to[p].data == nullptr) continue;
#pragma unroll
        for (int q = 0; q < Layout::lane_columns; ++q) {
          old[p][q] = scaled_and_added(to[p].alpha, sums[b][q / 2][Layout::result(q, p)], to[p].beta,
                                       [&] { return old[p][q]; });
        }
        write_row(to[p], first_column, old[p]);
      }
    }
  }

  __device__ __forceinline__ void read_row(const Destination& from, int first_column,
                                           Scalar (&row)[Layout::lane_columns]) const {
    for_each_vector(from, first_column, [&](int q, int column, bool whole, int count) {
      if (whole) return load_once<vector>(from.data + column, row + q);
#pragma unroll
      for (int i = 0; i < vector; ++i) {
        if (i < count) row[q + i] = from.data[(column + i) * from.stride];
      }
    });
  }

  __device__ __forceinline__ void write_row(const Destination& to, int first_column,
                                            const Scalar (&row)[Layout::lane_columns]) const {
    for_each_vector(to, first_column, [&](int q, int column, bool whole, int count) {
      if (whole) return store_once<vector>(to.data + column, row + q);
#pragma unroll
      for (int i = 0; i < vector; ++i) {
        if (i < count) to.data[(column + i) * to.stride] = row[q + i];
      }
    });
  }

  // visit(q, column, whether a vector may be read or written at once, how many columns there are of it)
  template <class Visit>
  __device__ __forceinline__ void for_each_vector(const Destination& row, int first_column, const Visit& visit) const {
#pragma unroll
    for (int q = 0; q < Layout::lane_columns; q += vector) {
      const int column = first_column + Layout::column(q), count = arguments_.product.y.columns - column;
      visit(q, column, row.vectors && count >= vector, count);
    }
  }

  // visit(block, p, q)
  template <class Visit>
  static __device__ __forceinline__ void for_each_result(const Visit& visit) {
#pragma unroll
    for (int b = 0; b < Kind::blocks; ++b) {
#pragma unroll
      for (int p = 0; p < 2; ++p) {
#pragma unroll
        for (int q = 0; q < Layout::lane_columns; ++q) visit(b, p, q);
      }
    }
  }

  const Arguments& arguments_;
  Buffers buffers_;
  int strip_, lane_;
};

}  // namespace Tessera::Cuda
