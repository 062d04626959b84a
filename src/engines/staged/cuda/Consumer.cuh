// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Bits.hpp>

#include "Arguments.cuh"
#include "condensed/CondensedView.hpp"
#include "epilogue/Epilogue.cuh"
#include "fragments/Layout.hpp"
#include "fragments/TileProduct.cuh"

namespace Tessera::Impl::Cuda {

/// A warp that multiplies the tiles of a strip by rows of X in shared memory.
template <Precision precision, class Policy, class Scalar>
class StagedConsumer {
 public:
  using Arguments = StagedArguments<Scalar>;
  using Buffers = StagedBuffers<Scalar, Policy>;
  using Layout = FragmentLayout<Scalar, Policy::columns>;
  using Sums = Scalar[Layout::products][4];

  __device__ __forceinline__ StagedConsumer(const Arguments& arguments, const Buffers& buffers, int strip, int lane)
      : arguments_(arguments), buffers_(buffers), strip_(strip), lane_(lane) {}

  __device__ __forceinline__ void run() const {
    RingPlace<Policy::buffers> place;
    bool first = true;  // whether the next chunk is the block's first, which has no predecessor
    StagedTasks tasks(arguments_.schedule.item_count, arguments_.slabs);
    if (!tasks.left()) return;
    CondensedItem next_item = arguments_.schedule.items[tasks.item()];
    while (tasks.left()) {
      const CondensedItem item = next_item;
      const int first_column = static_cast<int>(tasks.slab()) * Policy::columns;
      tasks.advance();
      if (tasks.left()) next_item = arguments_.schedule.items[tasks.item()];
      Sums sums = {};
      for (int c = 0; c < item.tiles; ++c) {
        mbarrier_wait(buffers_.full(place.buffer), place.parity);
        multiply(place, sums);
        __syncwarp();  // one lane arrives for all
        // Tiles may refer to the previous chunk, so a chunk is freed only when the next one is done.
        if (!first && lane_ < Policy::freeing_lanes) mbarrier_arrive(buffers_.empty(place.before()));
        first = false;
        place.advance();
      }
      Epilogue<Fragment, Arguments>(arguments_, lane_, first_column, 8 * strip_).finish(item, sums);
    }
  }

 private:
  using Tile = StagedTile;
  using Product = TileProduct<precision>;
  static constexpr int vector = Layout::vector;
  static_assert(vector * sizeof(Scalar) == 16);

  // Rows are relative to the strip's first. Columns have the order of the panels of shared memory, which itself avoids
  // bank conflicts.
  struct Fragment {
    using Sum = Scalar;
    static constexpr int rows = 2, columns = Layout::lane_columns, vector = Layout::vector;
    static constexpr int window_rows = 8 * Policy::strips;
    static constexpr bool is_whole = false, has_rest = false, reads_ahead = true;
    static __device__ __forceinline__ int row(int lane, int p) { return Layout::result_row(lane, p); }
    static __device__ __forceinline__ int column(int lane, int q) {
      return q / vector * (8 * vector) + vector * (lane / 4) + q % vector;
    }
    template <class AnySums>
    static __device__ __forceinline__ auto& at(AnySums& sums, int p, int q) {
      return sums[q / 2][Layout::result(q, p)];
    }
    static __device__ __forceinline__ Scalar sum_entries(const Arguments& arguments, const CondensedItem& item, int row,
                                                         int column) {
      const StagedPattern& A = arguments.A;
      const int strip = row / 8, r = row % 8;
      Scalar sum = 0;
      for (int chunk = item.first_tile; chunk < item.first_tile + item.tiles; ++chunk) {
        const std::byte* begin = A.tiles + std::size_t(A.chunks[chunk].tiles) * 16;
        const auto* strip_tiles = reinterpret_cast<const std::uint16_t*>(begin);
        const auto* tiles = reinterpret_cast<const Tile*>(begin + staged_header_bytes(Policy::strips));
        const Scalar* values = arguments.product.values + std::size_t(A.chunks[chunk].values) * (16 / sizeof(Scalar));
        for (int t = strip_tiles[strip]; t < strip_tiles[strip + 1]; ++t) {
          const Tile& tile = tiles[t];
          int place = tile.first_value + popcount(tile.mask & low_bits(8 * r));
          for (unsigned bits = row_of_mask(tile.mask, r); bits != 0; bits &= bits - 1, ++place) {
            const unsigned code = tile.codes[lowest_bit(bits)];
            const int of = chunk - (code >= 0x8000u ? 1 : 0), slot = static_cast<int>(code & 0x7fffu) / 4;
            sum += values[place] * arguments.product.x(A.chunk_columns[std::size_t(of) * A.chunk_slots + slot], column);
          }
        }
      }
      return sum;
    }
  };

  __device__ __forceinline__ void multiply(const RingPlace<Policy::buffers>& place, Sums& sums) const {
    const std::byte* tiles = buffers_.tiles(place.buffer);
    const auto* values = reinterpret_cast<const Scalar*>(buffers_.values(place.buffer));
    const auto* strip_tiles = reinterpret_cast<const std::uint16_t*>(tiles) + strip_;
    const auto* tile = reinterpret_cast<const Tile*>(tiles + staged_header_bytes(Policy::strips)) + strip_tiles[0];
    const std::byte* x = buffers_.x(place.buffer);
    const std::byte* x_before = buffers_.x(place.before());
    for (int count = strip_tiles[1] - strip_tiles[0]; count > 0; --count, ++tile) {
      const unsigned codes = reinterpret_cast<const unsigned*>(tile->codes)[lane_ % 4];
      alignas(16) Scalar rows[2][Layout::lane_columns];
      load_row(codes & 0xffffu, x, x_before, rows[0]);
      load_row(codes >> 16, x, x_before, rows[1]);
      const LaneEntries entries = lane_entries(tile->mask, lane_);
      const Scalar* own = values + tile->first_value + entries.before;
      const Scalar a[2] = {(entries.bits & 1u) != 0 ? own[0] : Scalar(0),
                           (entries.bits & 2u) != 0 ? own[entries.bits & 1u] : Scalar(0)};
      const auto right = Product::operand(a);
#pragma unroll
      for (int m = 0; m < Layout::products; ++m) {
        Scalar left[4];
        Layout::left_operand(rows, m, left);
        Product::add(sums[m], Product::operand(left), right);
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

  const Arguments& arguments_;
  Buffers buffers_;
  int strip_, lane_;
};

}  // namespace Tessera::Impl::Cuda
