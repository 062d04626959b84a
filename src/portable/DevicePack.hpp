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

/// Copies X to rows without gaps. A team reads a tile column by column into scratch memory, and writes it row by row.
template <class ExecutionSpace, class VectorScalar>
class PackRows {
 public:
  using Team = typename Teams<ExecutionSpace>::member_type;

  PackRows(const Multivector<const VectorScalar>& x, VectorScalar* packed) : x_(x), packed_(packed) {}

  /// \param most_teams [in] as for DeviceRows
  void run(const ExecutionSpace& exec, Ordinal most_teams = 1 << 22) const {
    if (x_.rows == 0) return;
    const std::size_t bytes = tile_rows * static_cast<std::size_t>(stride()) * sizeof(VectorScalar) + 64;
    Kokkos::parallel_for("Tessera::pack", teams(exec, std::min(tiles(), most_teams), bytes, {256, 1}), *this);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const tile = team_array<VectorScalar>(team, tile_rows * stride());
    for (Ordinal number = team.league_rank(); number < tiles(); number += team.league_size()) {
      const Ordinal first = number * tile_rows;
      const int rows = x_.rows - first < tile_rows ? x_.rows - first : tile_rows;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows * x_.columns),
                           [&](int i) { tile[i % rows * stride() + i / rows] = x_(first + i % rows, i / rows); });
      team.team_barrier();
      VectorScalar* const to = packed_ + std::ptrdiff_t(first) * x_.columns;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows * x_.columns),
                           [&](int i) { to[i] = tile[i / x_.columns * stride() + i % x_.columns]; });
      team.team_barrier();
    }
  }

 private:
  static constexpr int tile_rows = 32;
  KOKKOS_FUNCTION Ordinal tiles() const { return window_count(x_.rows, tile_rows); }
  KOKKOS_FUNCTION int stride() const { return x_.columns | 1; }  // odd: columns of the tile are in different banks

  Multivector<const VectorScalar> x_;
  VectorScalar* packed_;
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
    slab.same_bits_alone = x.columns > 1;  // the last slab may have a single column
    PackRows<ExecutionSpace, VectorScalar>(slab.x, packed).run(exec);
    slab.x = {packed, x.rows, count, count, 1};
    multiply(slab);
  });
}

}  // namespace Tessera::Impl
