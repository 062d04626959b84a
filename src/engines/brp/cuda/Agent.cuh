// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "Policy.hpp"
#include "brp/BrpView.hpp"
#include "brp/cuda/Schedule.hpp"
#include "condensed/cuda/Agent.cuh"

namespace Tessera::Impl::Cuda {

/// The arguments of the kernels for block-row partitions: the partition, the items of the schedule, and the arguments
/// for condensed windows of two strips. Only the product, partial sums and sizes of the latter are used.
template <class Scalar>
struct BrpArguments : CondensedArguments<Scalar, Scalar> {
  BrpPattern partition;
  const BrpItem* items = nullptr;
};

/// A range of residual entries of a window: begin, ..., end - 1.
struct ResidualRange {
  int begin, end;

  TESSERA_FUNCTION int size() const { return end - begin; }
  TESSERA_FUNCTION bool has(int entry) const { return entry >= begin && entry < end; }
  TESSERA_FUNCTION ResidualRange piece(int p, int pieces) const {
    if (pieces == 1) return *this;
    return {begin + first_of_even_piece(size(), pieces, p), begin + first_of_even_piece(size(), pieces, p + 1)};
  }
};

/// The residual entries of an item's window.
template <class Scalar>
struct WindowResidual {
  const Offset* offsets;
  unsigned rows;
  Offset first;
  const Ordinal* columns;
  const Scalar* values;

  TESSERA_FUNCTION WindowResidual(const BrpPattern& A, const Scalar* all_values, const BrpItem& item)
      : offsets(A.residual_offsets + item.first_listed),
        rows(item.residual_rows),
        first(offsets[0]),
        columns(A.residual_columns + first),
        values(all_values + A.grouped_entries() + first) {}

  TESSERA_FUNCTION int size() const { return static_cast<int>(offsets[popcount32(rows)] - first); }
  /// Returns the residual entries of row r of the window.
  TESSERA_FUNCTION ResidualRange row(int r) const {
    if ((rows >> r & 1u) == 0) return {0, 0};
    const Offset* of_row = offsets + popcount32(rows & ((1u << r) - 1));
    return {static_cast<int>(of_row[0] - first), static_cast<int>(of_row[1] - first)};
  }
  /// Returns the residual entries of row r that belong to the item.
  TESSERA_FUNCTION ResidualRange row_of_piece(int r, const BrpItem& item) const {
    const ResidualRange of_row = row(r), piece = ResidualRange{0, size()}.piece(item.piece, item.pieces);
    return {of_row.begin > piece.begin ? of_row.begin : piece.begin, of_row.end < piece.end ? of_row.end : piece.end};
  }
};

/// A warp that multiplies groups and residual entries of a window by a slab of columns of X.
///
/// A tile is the 16x8 tile of a condensed window of two strips, stored differently. The warp builds tiles in shared
/// memory that is otherwise zero. It reads 32 entries at once, one per lane: the entries of 4 / f tiles. It writes them
/// to their places, multiplies, and overwrites them with zeros. Every 8 residual entries form a tile with one entry per
/// column. On an H200 this is faster than CUDA cores, above all if the rows of a window differ in length.
template <class Kind, class Policy, int access, class Scalar>
class BrpAgent
    : private CondensedAgent<CondensedKind<Kind::precision, TileValues::Dense, 2>, Policy, access, Scalar, Scalar> {
  using Base = CondensedAgent<CondensedKind<Kind::precision, TileValues::Dense, 2>, Policy, access, Scalar, Scalar>;
  using typename Base::Tile;
  static constexpr int f = Kind::f;
  static constexpr int strips = 2;
  static constexpr int tile_size = 128;
  static constexpr int none = -1;
  static constexpr int batch = 4 / f;  // tiles whose entries a warp holds at once

 public:
  using typename Base::Layout;
  using typename Base::Sums;
  using Arguments = BrpArguments<Scalar>;
  using Item = BrpItem;
  using Residual = WindowResidual<Scalar>;

  /// Bytes of shared memory for each warp, aligned to 16 bytes.
  static constexpr int memory_bytes = batch * tile_size * static_cast<int>(sizeof(Scalar));

  __device__ __forceinline__ BrpAgent(const Arguments& arguments, int slab, int lane, std::byte* memory)
      : Base(arguments, slab, lane), brp_(arguments), tiles_(reinterpret_cast<Scalar*>(memory)) {}

  /// Adds the products of an item's groups. Groups are adjacent, so the loop goes from tile to tile across them.
  __device__ __forceinline__ void multiply_groups(const Item& item, Sums& sums) const {
    const std::size_t first = std::size_t(item.first_group) * brp_.partition.g;
    const std::size_t last = first + std::size_t(item.groups) * brp_.partition.g;
    if (first < last) multiply_tiles(first, last, sums);
  }

  /// Adds the products of the residual entries of an item.
  __device__ __forceinline__ void multiply_residual(const Item& item, Sums& sums) const {
    if (item.residual_rows == 0) return;
    const Residual residual(brp_.partition, this->arguments_.product.values, item);
    multiply_residual_tiles(item, residual, sums);
  }

  /// The sums of a window that a lane holds (see Epilogue).
  struct Fragment : Base::Fragment {
    static __device__ __forceinline__ Scalar sum_entries(const Arguments& arguments, const Item& item, int row,
                                                         int column) {
      const BrpPattern& A = arguments.partition;
      const Product<Scalar, Scalar>& product = arguments.product;
      const auto size = static_cast<std::size_t>(A.group_entries());
      const std::size_t first = std::size_t(item.first_group) * size, end = first + std::size_t(item.groups) * size;
      Scalar sum = 0;
      for (std::size_t place = first; place < end; ++place) {
        if (brp_local_row(A.local_ids[place]) != row) continue;
        sum += product.values[place] * product.x(A.group_columns[place / f], column);
      }
      if (item.residual_rows == 0) return sum;
      const Residual residual(A, product.values, item);
      const ResidualRange range = residual.row_of_piece(row, item);
      for (int k = range.begin; k < range.end; ++k) sum += residual.values[k] * product.x(residual.columns[k], column);
      return sum;
    }
  };

  /// Writes the sums of an item to Y. The sums of a piece of a window are written to its slot of the workspace.
  __device__ __forceinline__ void finish(const Item& item, const Sums& sums) const {
    Epilogue<Fragment, Arguments>(brp_, this->lane_, this->first_column_).finish(item, sums);
  }

 private:
  using Base::load_rows;

  // A lane's part of a batch of tiles: one entry, and two columns of each tile.
  struct Batch {
    int place;  // the place of the entry in the batch, or none
    Scalar value;
    int2 columns[batch];
  };

  // Loads tiles t, t + 1, ... of a batch, up to `last` - 1.
  __device__ __forceinline__ Batch load_batch(std::size_t t, std::size_t last) const {
    Batch result = {none, Scalar(0), {}};
    const std::size_t entry = t * (8 * f) + this->lane_;
    if (entry < last * (8 * f)) {
      result.place = this->lane_ / (8 * f) * tile_size + __ldcs(brp_.partition.local_ids + entry);
      result.value = __ldcs(this->arguments_.product.values + entry);
    }
    const Ordinal* columns = brp_.partition.group_columns + t * 8 + Layout::tile_column(this->lane_, 0);
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
        this->add_products(tile, sums);
      }
      __syncwarp();
      if (now.place != none) tiles_[now.place] = Scalar(0);
      __syncwarp();
    }
  }

  // Loads a lane's elements of tile i of the batch. Tiles are row-major.
  __device__ __forceinline__ void load_elements(int i, Tile& tile) const {
#pragma unroll
    for (int s = 0; s < strips; ++s) {
      const Scalar* place = tiles_ + i * tile_size + s * (tile_size / 2) + Layout::first_element(this->lane_);
      *reinterpret_cast<vector_of_t<Scalar, 2>*>(tile.a[s]) = *reinterpret_cast<const vector_of_t<Scalar, 2>*>(place);
    }
  }

  // Makes a tile of every 8 entries, whatever their rows. In the last tile, columns without an entry multiply the last
  // entry's row of X by zeros.
  __device__ __forceinline__ void multiply_residual_tiles(const Item& item, const Residual& residual,
                                                          Sums& sums) const {
    const ResidualRange piece = ResidualRange{0, residual.size()}.piece(item.piece, item.pieces);
    if (piece.size() == 0) return;
    ResidualRange rows[strips];
#pragma unroll
    for (int s = 0; s < strips; ++s) {
      rows[s] = residual.row_of_piece(8 * s + Layout::block_row(this->lane_), item);
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

  const Arguments& brp_;
  Scalar* tiles_;  // the warp's tiles in shared memory
};

}  // namespace Tessera::Impl::Cuda
