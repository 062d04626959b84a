// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <tessera/common/Product.hpp>
#include <tessera/parallel/Teams.hpp>

#include "Slabs.hpp"

/// Packs an X whose columns are not adjacent, on a device.
namespace Tessera::Impl {

/// Copies X so that the elements of a row are adjacent. A team reads a tile column by column into scratch memory,
/// and writes it row by row.
template <class ExecutionSpace, class VectorScalar>
class PackRows {
 public:
  using Team = typename Teams<ExecutionSpace>::member_type;

  /// \param to     [out] x.rows rows
  /// \param stride [in]  elements from one row to the next, at least x.columns
  PackRows(const Multivector<const VectorScalar>& x, VectorScalar* to, Ordinal stride)
      : x_(x), to_(to), stride_(stride) {
    while ((1 << log_width_) < x.columns && (1 << log_width_) < slab_columns<VectorScalar>) ++log_width_;
  }

  /// \param most_teams [in] as for DeviceRows
  void run(const ExecutionSpace& exec, Ordinal most_teams = 1 << 22) const {
    if (x_.rows == 0) return;
    const auto bytes = static_cast<std::size_t>(tile_rows) * tile_stride() * sizeof(VectorScalar) + 64;
    Kokkos::parallel_for("Tessera::pack", teams(exec, std::min(tiles(), most_teams), bytes, {256, 1}), *this);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const tile = team_array<VectorScalar>(team, tile_rows * tile_stride());
    const int width = 1 << log_width_;
    for (Ordinal number = team.league_rank(); number < tiles(); number += team.league_size()) {
      const Ordinal row = number * tile_rows;
      for (Ordinal column = 0; column < x_.columns; column += width) {
        const auto is_there = [&](int r, int c) { return row + r < x_.rows && column + c < x_.columns; };
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile_rows << log_width_), [&](int i) {
          const int r = i % tile_rows, c = i / tile_rows;
          if (is_there(r, c)) tile[r * tile_stride() + c] = x_(row + r, column + c);
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, tile_rows << log_width_), [&](int i) {
          const int r = i >> log_width_, c = i & (width - 1);
          if (is_there(r, c)) to_[std::ptrdiff_t(row + r) * stride_ + column + c] = tile[r * tile_stride() + c];
        });
        team.team_barrier();
      }
    }
  }

 private:
  static constexpr int tile_rows = 32;
  KOKKOS_FUNCTION Ordinal tiles() const { return window_count(x_.rows, tile_rows); }
  /// Odd, so that the columns of a tile are in different banks.
  KOKKOS_FUNCTION int tile_stride() const { return (1 << log_width_) | 1; }

  Multivector<const VectorScalar> x_;
  VectorScalar* to_;
  Ordinal stride_;
  int log_width_ = 0;
};

/// Calls multiply(product) for all columns, or for each slab of columns that are packed, if they are not adjacent and
/// A has enough nonzeros to pay for that. With less scratch memory slabs are narrower.
template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Multiply>
void for_each_packed_slab(const ExecutionSpace& exec, std::size_t nonzeros,
                          const Product<MatrixScalar, VectorScalar>& product, Scratch scratch,
                          const Multiply& multiply) {
  constexpr Ordinal narrow = 8;  // with narrower slabs, reading A for each would take longer than X in place
  const auto& x = product.x;
  const auto rows = static_cast<std::size_t>(std::max(x.rows, 1));
  const auto width = static_cast<Ordinal>(
      std::min<std::size_t>(slab_columns<VectorScalar>, scratch.bytes / (rows * sizeof(VectorScalar))));
  const bool has_room = width >= std::min(x.columns, narrow);
  if (x.columns < 2 || x.column_stride == 1 || !has_room || nonzeros < rows) return multiply(product);
  auto* const packed = reinterpret_cast<VectorScalar*>(scratch.data);
  for_each_part(x.columns, width, [&](Ordinal first, Ordinal count) {
    auto slab = columns_of(product, first, count);
    PackRows<ExecutionSpace, VectorScalar>(slab.x, packed, count).run(exec);
    slab.x = {packed, x.rows, count, count, 1};
    multiply(slab);
  });
}

}  // namespace Tessera::Impl
