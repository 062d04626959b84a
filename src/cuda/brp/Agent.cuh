// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../condensed/Agent.cuh"
#include "../epilogue/NonFinite.cuh"
#include "EntrySum.cuh"
#include "Policy.hpp"

namespace Tessera::Cuda {

/// A warp that multiplies groups and residual entries of a window with a slab of columns of X.
///
/// A tile is one of a condensed window of two strips that is stored in another way. Tiles are made in shared memory
/// that is zero otherwise: the warp takes 32 entries at once, one a lane, which are those of 4 / f tiles, puts them in
/// their places, multiplies, and takes them out again.
template <class Kind, class Policy, int access, class Offset, class Scalar>
class BrpAgent : private CondensedAgent<CondensedKind<Kind::precision, TileValues::Dense, 2>, Policy, access, Offset,
                                        Scalar, Scalar> {
  using Base =
      CondensedAgent<CondensedKind<Kind::precision, TileValues::Dense, 2>, Policy, access, Offset, Scalar, Scalar>;
  using typename Base::Tile;
  static constexpr int f = Kind::f;
  static constexpr int strips = 2;
  static constexpr int tile_size = 128;
  static constexpr int none = -1;
  static constexpr int batch = 4 / f;  // tiles that a warp has entries of

 public:
  using typename Base::Layout;
  using typename Base::Sums;
  using Arguments = BrpArguments<Offset, Scalar>;
  using Item = BrpItem<Offset>;

  /// Of shared memory, for each warp, aligned to 16.
  static constexpr int memory_bytes = Kind::has_groups && Policy::groups != BrpGroups::CudaCores
                                          ? batch * tile_size * static_cast<int>(sizeof(Scalar))
                                          : 16;

  __device__ __forceinline__ BrpAgent(const Arguments& arguments, int slab, int lane, std::byte* memory)
      : Base(arguments.windows, slab, lane), brp_(arguments), tiles_(reinterpret_cast<Scalar*>(memory)) {}

  /// Adds the products of the groups of an item: tile by tile, for groups are adjacent.
  __device__ __forceinline__ void multiply_groups(const Item& item, Sums& sums) const {
    const std::size_t first = std::size_t(item.first_group) * brp_.A.g;
    const std::size_t last = first + std::size_t(item.groups) * brp_.A.g;
    if (first == last) return;
    if constexpr (Policy::groups == BrpGroups::CudaCores) {
      for (std::size_t tile = first; tile < last; ++tile) add_entries(tile, sums);
    } else {
      multiply_tiles(first, last, sums);
    }
  }

  /// Adds the products of the residual entries of an item.
  __device__ __forceinline__ void multiply_residual(const Item& item, Sums& sums) const {
    if (item.residual_rows == 0) return;
    const Residual residual(brp_.A, this->arguments_.product.values, item);
    if constexpr (Policy::residual == BrpResidual::TensorCores) {
      multiply_residual_tiles(item, residual, sums);
    } else {
      multiply_residual_rows(item, residual, sums);
    }
  }

  /// Writes the sums of an item: to Y or, of a piece of a window, to its slot of the workspace.
  __device__ __forceinline__ void finish(const Item& item, const Sums& sums) const {
    Scalar zeros = 0;  // NaN as soon as a sum is not finite
    this->for_each_result([&](int s, int p, int q) { zeros += Scalar(0) * sums[s][q / 2][Layout::result(q, p)]; });
    if (some_are_nonfinite(zeros)) {
      SumsInMemory memory;
      this->for_each_result([&](int s, int p, int q) { memory.at(s, p, q) = sums[s][q / 2][Layout::result(q, p)]; });
      finish_nonfinite(brp_, item, this->lane_, this->first_column_, memory);
    } else if (item.slot == Item::direct) {
      this->store(item.window, sums);
    } else {
      this->store_partial(item.slot, sums);
    }
  }

 private:
  using Base::load_rows;
  using typename Base::SumsInMemory;

  using Residual = WindowResidual<Offset, Scalar>;

  // What a lane must know of a batch of tiles: an entry, and its columns of each tile.
  struct Batch {
    int place;  // of the entry in the tiles, or none
    Scalar value;
    int2 columns[batch];
  };

  // Tiles t, t + 1, ... as far as they are before `last`.
  __device__ __forceinline__ Batch load_batch(std::size_t t, std::size_t last) const {
    Batch result = {none, Scalar(0), {}};
    const std::size_t entry = t * (8 * f) + this->lane_;
    if (entry < last * (8 * f)) {
      result.place = this->lane_ / (8 * f) * tile_size + __ldcs(brp_.A.local_ids + entry);
      result.value = __ldcs(this->arguments_.product.values + entry);
    }
    const Ordinal* columns = brp_.A.group_columns + t * 8 + Layout::tile_column(this->lane_, 0);
#pragma unroll
    for (int i = 0; i < batch; ++i) {
      if (t + i < last) result.columns[i] = __ldcs(reinterpret_cast<const int2*>(columns + 8 * i));
    }
    return result;
  }

  __device__ __forceinline__ void multiply_tiles(std::size_t first, std::size_t last, Sums& sums) const {
    constexpr int own = batch * tile_size / 32;
#pragma unroll
    for (int i = 0; i < own; ++i) tiles_[32 * i + this->lane_] = Scalar(0);
    __syncwarp();
    Batch next = load_batch(first, last);
    for (std::size_t t = first; t < last; t += batch) {
      const Batch now = next;
      Tile tile;
      load_rows(now.columns[0], tile);
      if (t + batch < last) next = load_batch(t + batch, last);
      if (now.place != none) tiles_[now.place] = now.value;
      __syncwarp();
#pragma unroll
      for (int i = 0; i < batch; ++i) {
        if (t + i >= last) break;
        if (i > 0) load_rows(now.columns[i], tile);
        load_elements(i, tile);
        add_tile(tile, sums);
      }
      __syncwarp();
      if (now.place != none) tiles_[now.place] = Scalar(0);
      __syncwarp();
    }
  }

  // A lane's elements of a tile of the batch, whose rows follow each other.
  __device__ __forceinline__ void load_elements(int i, Tile& tile) const {
#pragma unroll
    for (int s = 0; s < strips; ++s) {
      const Scalar* place = tiles_ + i * tile_size + s * (tile_size / 2) + Layout::first_element(this->lane_);
      *reinterpret_cast<vector_of_t<Scalar, 2>*>(tile.a[s]) = *reinterpret_cast<const vector_of_t<Scalar, 2>*>(place);
    }
  }

  __device__ __forceinline__ void add_tile(const Tile& tile, Sums& sums) const {
    if constexpr (Policy::groups == BrpGroups::TileSums) {
      Sums of_tile = {};
      this->add_products(tile, of_tile);
#pragma unroll
      for (int s = 0; s < strips; ++s) {
#pragma unroll
        for (int m = 0; m < Base::Operands::products; ++m) {
#pragma unroll
          for (int i = 0; i < 4; ++i) sums[s][m][i] += of_tile[s][m][i];
        }
      }
    } else {
      this->add_products(tile, sums);
    }
  }

  // A tile on CUDA cores: all lanes read a row of X, each its columns, and keep the entries of their rows.
  __device__ __forceinline__ void add_entries(std::size_t tile, Sums& sums) const {
#pragma unroll 2
    for (int c = 0; c < brp_.A.tile_width; ++c) {
      const std::size_t local_column = tile * brp_.A.tile_width + c;
      Scalar x[Layout::lane_columns];
      load_ordered_row(__ldg(brp_.A.group_columns + local_column), x);
#pragma unroll
      for (int i = 0; i < f; ++i) {
        const int row = brp_local_row(__ldg(brp_.A.local_ids + local_column * f + i));
        const Scalar value = __ldg(this->arguments_.product.values + local_column * f + i);
        this->for_each_row([&](int s, int p) {
          if (this->window_row(s, p) == row) add_row(value, x, s, p, sums);
        });
      }
    }
  }

  // 8 entries make a tile, whatever their rows are; after the last ones comes the last one again, as a column without
  // an entry.
  __device__ __forceinline__ void multiply_residual_tiles(const Item& item, const Residual& residual,
                                                          Sums& sums) const {
    const ResidualRange piece = ResidualRange{0, residual.size()}.piece(item.piece, item.pieces);
    if (piece.size() == 0) return;
    ResidualRange rows[strips];
#pragma unroll
    for (int s = 0; s < strips; ++s) {
      rows[s] = residual_of_row<Policy>(residual, item, 8 * s + Layout::block_row(this->lane_));
    }
    const int first = Layout::tile_column(this->lane_, 0);
    Ordinal columns[2];
    Scalar values[2];
    const auto load = [&](int entry) {
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int place = min(entry + j, piece.end - 1);
        columns[j] = __ldcs(residual.columns + place);
        values[j] = __ldcs(residual.values + place);
      }
    };
    load(piece.begin + first);
    for (int k = piece.begin; k < piece.end; k += 8) {
      Tile tile;
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        this->load_row(columns[j], tile.x[j]);
#pragma unroll
        for (int s = 0; s < strips; ++s) tile.a[s][j] = rows[s].has(k + first + j) ? values[j] : Scalar(0);
      }
      load(k + 8 + first);
      __syncwarp();
      this->add_products(tile, sums);
    }
  }

  // Each lane adds the entries of the four rows whose sums it has, of two rows at a time.
  __device__ __forceinline__ void multiply_residual_rows(const Item& item, const Residual& residual, Sums& sums) const {
#pragma unroll
    for (int s = 0; s < strips; ++s) {
      ResidualRange rows[2];
      int longest = 0, any = 0;  // any: an entry that may be read in place of none
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        rows[p] = residual_of_row<Policy>(residual, item, this->window_row(s, p));
        longest = max(longest, rows[p].size());
        if (rows[p].size() > 0) any = rows[p].begin;
      }
      if (longest == 0) continue;
      Ordinal columns[2];
      Scalar values[2];
      const auto load = [&](int k) {
#pragma unroll
        for (int p = 0; p < 2; ++p) {
          const int place = k < rows[p].size() ? rows[p].begin + k : any;
          columns[p] = __ldcs(residual.columns + place);
          values[p] = __ldcs(residual.values + place);
        }
      };
      load(0);
      for (int k = 0; k < longest; ++k) {
        const Scalar a[2] = {values[0], values[1]};
        Scalar x[2][Layout::lane_columns];
#pragma unroll
        for (int p = 0; p < 2; ++p) load_ordered_row(columns[p], x[p]);
        load(k + 1);
#pragma unroll
        for (int p = 0; p < 2; ++p) {
          if (k < rows[p].size()) add_row(a[p], x[p], s, p, sums);
        }
      }
    }
  }

  __device__ __forceinline__ void load_ordered_row(Ordinal column, Scalar (&x)[Layout::lane_columns]) const {
    alignas(16) Scalar read[Layout::lane_columns];
    this->load_row(column, read);
    if constexpr (access == 1) {
#pragma unroll
      for (int q = 0; q < Layout::lane_columns; ++q) x[q] = read[q];
    } else {
      Layout::order_pieces(this->lane_, read, x);
    }
  }

  static __device__ __forceinline__ void add_row(Scalar a, const Scalar (&x)[Layout::lane_columns], int s, int p,
                                                 Sums& sums) {
#pragma unroll
    for (int q = 0; q < Layout::lane_columns; ++q) {
      Scalar& sum = sums[s][q / 2][Layout::result(q, p)];
      sum = fused(a, x[q], sum);
    }
  }

  // Writes sums, those that are not finite as sum_entries computes them. Not inlined, and without a result: hardly any
  // product comes here, and the registers are wanted elsewhere.
  static __device__ __noinline__ void finish_nonfinite(const Arguments& arguments, const Item& item, int lane,
                                                       int first_column, SumsInMemory& memory) {
    const Product<Scalar, Scalar>& product = arguments.windows.product;
#pragma unroll 1
    for (int index = 0; index < strips * 2 * Layout::lane_columns; ++index) {
      const int q = index % Layout::lane_columns, p = index / Layout::lane_columns % 2;
      const int s = index / Layout::lane_columns / 2;
      const int column = first_column + Layout::column(lane, q);
      const int r = 8 * s + Layout::result_row(lane, p);
      const Ordinal row = item.window * arguments.A.tile_rows + r;
      if (column >= product.x.columns || row >= arguments.A.rows) continue;
      Scalar sum = memory.at(s, p, q);
      if (!isfinite(sum)) sum = sum_entries<Kind, Policy>(arguments, item, r, column);
      if (item.slot == Item::direct) {
        Scalar& y = product.y(product.y_rows == nullptr ? row : product.y_rows[row], column);
        y = scaled_and_added(product.alpha, sum, product.beta, [&] { return y; });
      } else {
        const std::size_t partial_row = std::size_t(item.slot) * arguments.A.tile_rows + r;
        arguments.windows.partials[partial_row * arguments.windows.partials_stride + column] = sum;
      }
    }
  }

  const Arguments& brp_;
  Scalar* tiles_;  // of the warp, in shared memory
};

}  // namespace Tessera::Cuda
