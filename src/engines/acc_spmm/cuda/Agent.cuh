// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Policy.hpp"
#include "Tiles.cuh"
#include "condensed/cuda/Agent.cuh"

namespace Tessera::Impl::Cuda {

/// A thread block that multiplies adjacent tiles of one or several windows. Each warp multiplies a slab of columns of
/// X. Two of the warps decode tiles for all. The pipeline continues across the ends of windows.
///
/// `access` is that of CondensedAgent, which reads X, multiplies and writes Y.
template <class Kind, class Policy, int access, class Scalar>
class BitTcfAgent {
 public:
  using Arguments = BitTcfArguments<Scalar>;
  using Tiles = BitTcfTiles<Scalar>;

  /// \param slab [in] index of the slab; a slab has the columns of all warps of a thread block
  __device__ __forceinline__ BitTcfAgent(const Arguments& arguments, typename Tiles::Memory& memory, int slab,
                                         int thread)
      : arguments_(arguments),
        tiles_(arguments.A, arguments.product.values, memory, thread),
        warp_(arguments, slab * Policy::warps + thread / 32, thread % 32),
        lane_(thread % 32),
        has_columns_((slab * Policy::warps + thread / 32) * Policy::columns < arguments.product.x.columns) {}

  /// Multiplies items first_item, ..., last_item - 1 of the schedule. Their tiles are adjacent.
  __device__ __forceinline__ void run(int first_item, int last_item) {
    const CondensedItem* items = arguments_.schedule.items;
    Offset tile = items[first_item].first_tile;
    last_tile_ = items[last_item - 1].first_tile + static_cast<Offset>(items[last_item - 1].tiles);
    if (tile < last_tile_) fill(tile);
    for (int i = first_item; i < last_item; ++i) {
      const CondensedItem item = items[i];
      typename Warp::Sums sums = {};
      const Offset end = item.first_tile + static_cast<Offset>(item.tiles);
      // Two tiles per iteration, because copying registers from one set to the other would wait for the rows.
      for (; tile + 1 < end; tile += 2) {
        multiply(tile, rows_, next_rows_, sums);
        multiply(tile + 1, next_rows_, rows_, sums);
      }
      if (tile < end) {
        multiply(tile, rows_, next_rows_, sums);
        rows_ = next_rows_;
        ++tile;
      }
      if (has_columns_) warp_.finish(item, sums);
      __syncwarp();  // lanes that stored more or fewer elements converge again before they multiply
    }
    tiles_.end();
  }

 private:
  using Warp = CondensedAgent<Kind, Policy, access, Scalar, Scalar>;
  using Rows = typename Warp::Tile;

  // Starts the loads and copies that multiply() expects to be in flight before the first tile.
  __device__ __forceinline__ void fill(Offset tile) {
#pragma unroll
    for (int t = 0; t < columns; ++t) begin_columns(tile + t);
#pragma unroll
    for (int t = 0; t < blocks; ++t) {
      load_index(tile + t);
      begin_block(tile + t);
    }
    load_index(tile + blocks);
    tiles_.template arrive<0>();
    load_rows(tile, rows_);
  }

  // Starts loads for later tiles, multiplies this one, and waits for the data in shared memory that the next one needs.
  // Rows of X of this tile are already in `rows`. Those of the next tile will be in next_rows when it is multiplied.
  __device__ __forceinline__ void multiply(Offset tile, Rows& rows, Rows& next_rows, typename Warp::Sums& sums) {
    load_rows(tile + 1, next_rows);
    begin_columns(tile + columns);
    begin_block(tile + blocks);
    load_index(tile + blocks + 1);
    if (has_columns_) {
      tiles_.read_block(tile, lane_, rows.a[0]);
      warp_.add_products(rows, sums);
    }
    tiles_.template arrive<blocks - 1>();
  }

  // For tiles beyond the last one, these functions do nothing.
  __device__ __forceinline__ void begin_columns(Offset tile) const {
    if (tile < last_tile_) tiles_.begin_columns(tile);
  }
  __device__ __forceinline__ void load_index(Offset tile) {
    if (tile < last_tile_) index_ = tiles_.load_index(tile);
  }
  __device__ __forceinline__ void begin_block(Offset tile) const {
    if (tile < last_tile_) tiles_.begin_block(tile, index_);
  }
  __device__ __forceinline__ void load_rows(Offset tile, Rows& rows) const {
    if (has_columns_ && tile < last_tile_) warp_.load_rows(tiles_.columns(tile, lane_), rows);
  }

  // Number of tiles by which reads of blocks and of tile columns are ahead.
  static constexpr int blocks = 2, columns = blocks + 1;
  static_assert(columns < static_cast<int>(Tiles::buffers));

  const Arguments& arguments_;
  Tiles tiles_;
  Warp warp_;
  int lane_;
  bool has_columns_;  // whether X has columns for this warp
  Offset last_tile_ = 0;
  typename Tiles::Index index_ = {};  // index of the tile whose block is copied next
  Rows rows_, next_rows_;
};

}  // namespace Tessera::Impl::Cuda
