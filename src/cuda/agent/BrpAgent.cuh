// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "../policy/BrpPolicy.hpp"
#include "BrpEntrySum.cuh"
#include "CondensedAgent.cuh"

namespace Tessera::Cuda {

/// A warp that multiplies groups and residual entries of a window with a slab of columns of X.
///
/// A tile is one of a condensed window of two strips that is stored in another way: f entries a column, with their
/// rows. A lane needs those of two adjacent columns, which are 2 f adjacent entries, and keeps what is in its row of
/// either strip: neither shared memory nor a count of bits before them, and nothing to wait for but the entries.
template <class Kind, class Policy, int access, class Offset, class Scalar>
class BrpAgent : private CondensedAgent<CondensedKind<Kind::precision, TileValues::Dense, 2>, Policy, access, Offset,
                                        Scalar, Scalar> {
  using Base =
      CondensedAgent<CondensedKind<Kind::precision, TileValues::Dense, 2>, Policy, access, Offset, Scalar, Scalar>;
  using typename Base::Tile;
  static constexpr int f = Kind::f;
  static constexpr int strips = 2;
  static constexpr int depth = Policy::depth;

 public:
  using typename Base::Layout;
  using typename Base::Sums;
  using Arguments = BrpArguments<Offset, Scalar>;
  using Item = BrpItem<Offset>;

  __device__ __forceinline__ BrpAgent(const Arguments& arguments, int slab, int lane)
      : Base(arguments.windows, slab, lane), brp_(arguments) {}

  /// Adds the products of the groups of an item: tile by tile, for groups are adjacent.
  __device__ __forceinline__ void multiply_groups(const Item& item, Sums& sums) const {
    const std::size_t first = std::size_t(item.first_group) * brp_.A.g,
                      last = first + std::size_t(item.groups) * brp_.A.g;
    if (first == last) return;
    if constexpr (Policy::groups == BrpGroups::CudaCores) {
      for (std::size_t tile = first; tile < last; ++tile) add_entries(tile, sums);
    } else {
      Entries next[depth];
      load_ahead(first, last, next);
      for (std::size_t t = first; t < last; t += depth) {
        Tile tiles[depth];
        Entries entries[depth];
#pragma unroll
        for (int i = 0; i < depth; ++i) {
          entries[i] = next[i];
          if (t + i >= last) continue;
          this->load_row(entries[i].columns.x, tiles[i].x[0]);
          this->load_row(entries[i].columns.y, tiles[i].x[1]);
        }
        load_ahead(t + depth, last, next);
        // For the assembler, which else moves loads behind what waits for the tile.
        __syncwarp();
#pragma unroll
        for (int i = 0; i < depth; ++i) {
          if (t + i >= last) continue;
          decode(entries[i], tiles[i]);
          add_tile(tiles[i], sums);
        }
      }
    }
  }

  /// Adds the products of the residual entries of an item.
  __device__ __forceinline__ void multiply_residual(const Item& item, Sums& sums) const {
    if (item.residuals == 0) return;
    const Residual residual = {brp_.A.residual_columns + item.first_residual,
                               this->arguments_.product.values + brp_.A.grouped_entries() + item.first_residual};
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
    if (!(zeros == Scalar(0))) {
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
  using typename Base::SumsInMemory;

  // A lane's part of a tile, as it is stored.
  struct Entries {
    using Ids = std::conditional_t<f == 1, std::uint16_t, std::conditional_t<f == 2, std::uint32_t, std::uint64_t>>;

    int2 columns;
    Ids ids;
    alignas(16) Scalar values[2 * f];
  };

  // The columns and values of the residual entries of an item.
  struct Residual {
    const Ordinal* columns;
    const Scalar* values;
  };

  // Those of tiles t, t + 1, ... that there are.
  __device__ __forceinline__ void load_ahead(std::size_t t, std::size_t last, Entries (&next)[depth]) const {
#pragma unroll
    for (int i = 0; i < depth; ++i) {
      if (t + i < last) next[i] = load_entries(t + i);
    }
  }

  __device__ __forceinline__ Entries load_entries(std::size_t tile) const {
    constexpr int at_once = 2 * f < Layout::widest ? 2 * f : Layout::widest;
    const std::size_t local_column = tile * brp_.A.tile_width + Layout::tile_column(this->lane_, 0);
    Entries entries;
    entries.columns = __ldcs(reinterpret_cast<const int2*>(brp_.A.group_columns + local_column));
    entries.ids = __ldcs(reinterpret_cast<const typename Entries::Ids*>(brp_.A.local_ids + local_column * f));
    const Scalar* values = this->arguments_.product.values + local_column * f;
#pragma unroll
    for (int i = 0; i < 2 * f; i += at_once) load_once<at_once>(values + i, entries.values + i);
    return entries;
  }

  __device__ __forceinline__ void decode(const Entries& entries, Tile& tile) const {
#pragma unroll
    for (int s = 0; s < strips; ++s) {
      const int row = 8 * s + Layout::block_row(this->lane_);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        tile.a[s][j] = Scalar(0);
#pragma unroll
        for (int i = j * f; i < (j + 1) * f; ++i) {
          const int id = static_cast<int>(entries.ids >> 8 * i & 0xffu);
          if (id == brp_local_id(row, Layout::tile_column(this->lane_, j))) tile.a[s][j] = entries.values[i];
        }
      }
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

  // Entries 8 i, ..., 8 i + 7 make a tile, whatever their rows are; after the last ones comes the last one again, as a
  // column without an entry.
  __device__ __forceinline__ void multiply_residual_tiles(const Item& item, const Residual& residual,
                                                          Sums& sums) const {
    ResidualRange rows[strips];
#pragma unroll
    for (int s = 0; s < strips; ++s) rows[s] = residual_range(brp_.A, item, 8 * s + Layout::block_row(this->lane_));
    const int first = Layout::tile_column(this->lane_, 0);
    Ordinal columns[depth][2];
    Scalar values[depth][2];
    const auto load = [&](int tile) {
#pragma unroll
      for (int i = 0; i < depth; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          const int place = min(tile + 8 * i + first + j, item.residuals - 1);
          columns[i][j] = __ldcs(residual.columns + place);
          values[i][j] = __ldcs(residual.values + place);
        }
      }
    };
    load(0);
    for (int k = 0; k < item.residuals; k += 8 * depth) {
      Tile tiles[depth];
#pragma unroll
      for (int i = 0; i < depth; ++i) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          this->load_row(columns[i][j], tiles[i].x[j]);
#pragma unroll
          for (int s = 0; s < strips; ++s) {
            tiles[i].a[s][j] = rows[s].has(k + 8 * i + first + j) ? values[i][j] : Scalar(0);
          }
        }
      }
      load(k + 8 * depth);
      __syncwarp();
#pragma unroll
      for (int i = 0; i < depth; ++i) this->add_products(tiles[i], sums);
    }
  }

  // Each lane adds the entries of the four rows whose sums it has, one of 2 depth rows at a time.
  __device__ __forceinline__ void multiply_residual_rows(const Item& item, const Residual& residual, Sums& sums) const {
    constexpr int at_once = 2 * depth;
#pragma unroll
    for (int first = 0; first < 2 * strips; first += at_once) {
      ResidualRange rows[at_once];
      int longest = 0, any = 0;  // any: an entry that may be read in place of none
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        rows[i] = residual_range(brp_.A, item, this->window_row((first + i) / 2, i % 2));
        longest = max(longest, rows[i].size());
        if (rows[i].size() > 0) any = rows[i].begin;
      }
      if (longest == 0) continue;
      Ordinal columns[at_once];
      Scalar values[at_once];
      const auto load = [&](int k) {
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          const int place = k < rows[i].size() ? rows[i].begin + k : any;
          columns[i] = __ldcs(residual.columns + place);
          values[i] = __ldcs(residual.values + place);
        }
      };
      load(0);
      for (int k = 0; k < longest; ++k) {
        Scalar x[at_once][Layout::lane_columns], a[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          a[i] = values[i];
          load_ordered_row(columns[i], x[i]);
        }
        load(k + 1);
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
          if (k < rows[i].size()) add_row(a[i], x[i], (first + i) / 2, i % 2, sums);
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
      if (!isfinite(sum)) sum = sum_entries<Kind>(arguments, item, r, column);
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
};

}  // namespace Tessera::Cuda
