// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../policy/BitTcfPolicy.hpp"
#include "BitTcfArguments.hpp"
#include "BitTcfTiles.cuh"
#include "CondensedAgent.cuh"

namespace Tessera::Cuda {

/// A block of threads that multiplies adjacent tiles, of one window or of several: each warp a slab of columns of X,
/// two of them decode for all. Windows that end, or begin, in the middle make no difference to the pipeline.
///
/// access: as of CondensedAgent, which reads X, multiplies and writes Y.
template <class Kind, class Policy, int access, class Offset, class MatrixScalar, class Scalar>
class BitTcfAgent {
 public:
  using Arguments = BitTcfArguments<Offset, MatrixScalar, Scalar>;
  using Tiles = BitTcfTiles<Offset, MatrixScalar>;

  /// slab: of the columns of a block of threads.
  __device__ __forceinline__ BitTcfAgent(const Arguments& arguments, typename Tiles::Memory& memory, int slab,
                                         int thread)
      : arguments_(arguments),
        tiles_(arguments.A, arguments.product.values, memory, thread),
        warp_(arguments, slab * Policy::warps + thread / 32, thread % 32),
        lane_(thread % 32),
        has_columns_((slab * Policy::warps + thread / 32) * Policy::columns < arguments.product.x.columns) {}

  /// Items first_item, ..., last_item - 1 of the schedule, whose tiles are adjacent.
  __device__ __forceinline__ void run(int first_item, int last_item) {
    const CondensedItem<Offset>* items = arguments_.schedule.items;
    Offset tile = items[first_item].first_tile;
    last_tile_ = items[last_item - 1].first_tile + static_cast<Offset>(items[last_item - 1].tiles);
    if (tile < last_tile_) fill(tile);
    for (int i = first_item; i < last_item; ++i) {
      const CondensedItem<Offset> item = items[i];
      typename Warp::Sums sums = {};
      const Offset end = item.first_tile + static_cast<Offset>(item.tiles);
      for (; tile < end; ++tile) multiply(tile, sums);
      if (has_columns_) warp_.finish(item, sums);
    }
  }

 private:
  using Warp = CondensedAgent<Kind, Policy, access, Offset, MatrixScalar, Scalar>;
  using Rows = typename Warp::Tile;

  // Before the first tile: what multiply() takes for granted.
  __device__ __forceinline__ void fill(Offset tile) {
    if constexpr (Policy::pipeline == TilePipeline::None) return;
    tiles_.begin_columns(tile);
    if constexpr (rows_are_ahead) {
      if (tile + 1 < last_tile_) tiles_.begin_columns(tile + 1);
    }
    tiles_.begin_block(tile, tiles_.load_index(tile));
    if (tile + 1 < last_tile_) next_index_ = tiles_.load_index(tile + 1);
    tiles_.arrive();
    if constexpr (rows_are_ahead) load_rows(tile, rows_);
  }

  // Begins what a later tile needs, multiplies this one, waits for what was begun.
  __device__ __forceinline__ void multiply(Offset tile, typename Warp::Sums& sums) {
    if constexpr (Policy::pipeline == TilePipeline::None) {
      tiles_.begin_columns(tile);
      tiles_.begin_block(tile, tiles_.load_index(tile));
      tiles_.arrive();
    }
    Rows next_rows;
    if constexpr (rows_are_ahead) {
      if (tile + 1 < last_tile_) load_rows(tile + 1, next_rows);
    } else {
      load_rows(tile, rows_);
    }
    if constexpr (Policy::pipeline != TilePipeline::None) {
      constexpr int columns_ahead = rows_are_ahead ? 2 : 1;
      if (tile + columns_ahead < last_tile_) tiles_.begin_columns(tile + columns_ahead);
      if (tile + 1 < last_tile_) tiles_.begin_block(tile + 1, next_index_);
      if (tile + 2 < last_tile_) next_index_ = tiles_.load_index(tile + 2);
    }
    if (has_columns_) {
      tiles_.read_block(tile, lane_, rows_.a[0]);
      warp_.add_products(rows_, sums);
    }
    tiles_.arrive();
    if constexpr (rows_are_ahead) rows_ = next_rows;
  }

  __device__ __forceinline__ void load_rows(Offset tile, Rows& rows) const {
    if (has_columns_) warp_.load_rows(tiles_.columns(tile, lane_), rows);
  }

  static constexpr bool rows_are_ahead = Policy::pipeline == TilePipeline::AllAhead;

  const Arguments& arguments_;
  Tiles tiles_;
  Warp warp_;
  int lane_;
  bool has_columns_;  // whether there are any for this warp
  Offset last_tile_ = 0;
  typename Tiles::Index next_index_ = {};
  Rows rows_;
};

}  // namespace Tessera::Cuda
