// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>

/// The sets of columns of many clusters of rows.
namespace Tessera::Impl {

/// The columns that each cluster shares with another cluster, in ascending order. A column that only one cluster has
/// can never be shared later. It is counted but not listed, so lists remain short as clusters grow.
template <class Memory>
struct ColumnSets {
  Array<std::size_t*, Memory> offsets;  // count() + 1 offsets
  Array<Ordinal*, Memory> columns;
  Array<Ordinal*, Memory> sizes;  // number of columns of each cluster, including those not listed

  KOKKOS_INLINE_FUNCTION const Ordinal* begin(Ordinal cluster) const { return columns.data() + offsets(cluster); }
  KOKKOS_INLINE_FUNCTION const Ordinal* end(Ordinal cluster) const { return columns.data() + offsets(cluster + 1); }
  KOKKOS_INLINE_FUNCTION Ordinal listed(Ordinal cluster) const {
    return static_cast<Ordinal>(offsets(cluster + 1) - offsets(cluster));
  }
  Ordinal count() const { return static_cast<Ordinal>(sizes.extent(0)); }
};

/// The block columns of a row.
struct BlockColumns {
  const Ordinal *next, *end;
  Ordinal width;

  /// Moves to the next column. Returns whether there is one.
  KOKKOS_INLINE_FUNCTION bool advance(Ordinal& column) {
    if (next == end) return false;
    column = *next / width;
    while (next < end && *next / width == column) ++next;
    return true;
  }
};

/// The rows of a matrix, each a cluster.
struct RowColumns {
  CsrPattern<Offset> A;
  Ordinal width;

  KOKKOS_INLINE_FUNCTION BlockColumns walk(Ordinal row) const {
    return {A.column_indices + A.row_offsets[row], A.column_indices + A.row_offsets[row + 1], width};
  }
  KOKKOS_INLINE_FUNCTION Ordinal unlisted(Ordinal) const { return 0; }
};

/// The union of the columns of two clusters.
struct UnionColumns {
  const Ordinal *a, *a_end, *b, *b_end;

  KOKKOS_INLINE_FUNCTION bool advance(Ordinal& column) {
    if (a == a_end && b == b_end) return false;
    const bool from_a = b == b_end || (a != a_end && *a <= *b);
    const bool from_b = a == a_end || (b != b_end && *b <= *a);
    column = from_a ? *a : *b;
    a += from_a;
    b += from_b;
    return true;
  }
};

/// Pairs of clusters. Each pair is merged into one cluster.
template <class Memory>
struct PairColumns {
  ColumnSets<Memory> sets;
  Array<Ordinal*, Memory> pairs;  // clusters 2 p and 2 p + 1 become cluster p

  KOKKOS_INLINE_FUNCTION UnionColumns walk(Ordinal pair) const {
    const Ordinal first = pairs(2 * pair), second = pairs(2 * pair + 1);
    return {sets.begin(first), sets.end(first), sets.begin(second), sets.end(second)};
  }
  KOKKOS_INLINE_FUNCTION Ordinal unlisted(Ordinal pair) const {
    const Ordinal first = pairs(2 * pair), second = pairs(2 * pair + 1);
    return sets.sizes(first) - sets.listed(first) + sets.sizes(second) - sets.listed(second);
  }
};

/// Makes the sets of `count` clusters. source.walk(cluster).advance(column) returns the columns of a cluster in
/// ascending order, source.unlisted(cluster) the number of its other columns.
template <class ExecutionSpace, class Source>
static ColumnSets<typename ExecutionSpace::memory_space> collect_columns(const ExecutionSpace& exec,
                                                                         const Source& source, Ordinal count,
                                                                         Ordinal columns) {
  using Memory = typename ExecutionSpace::memory_space;
  using Ordinals = Array<Ordinal*, Memory>;
  ColumnSets<Memory> sets;
  take_at_once<Memory>(exec, "Tessera::ColumnSets", [&](Arena<Memory>& arena) {
    arena.take(sets.offsets, std::size_t(count) + 1);
    arena.take(sets.sizes, std::size_t(count));
  });
  const auto sizes = sets.sizes;
  const auto offsets = sets.offsets;
  const auto owners =
      allocate_zeros<Ordinals>(exec, "Tessera::owners", std::size_t(columns));  // number of owners of each column
  Kokkos::parallel_for(
      "Tessera::collect_columns::owners", WindowPolicy<ExecutionSpace>(exec, 0, count), KOKKOS_LAMBDA(Ordinal cluster) {
        auto walk = source.walk(cluster);
        Ordinal size = source.unlisted(cluster);
        for (Ordinal column; walk.advance(column); ++size) Kokkos::atomic_inc(&owners(column));
        sizes(cluster) = size;
      });
  Kokkos::parallel_for(
      "Tessera::collect_columns::count", WindowPolicy<ExecutionSpace>(exec, 0, count), KOKKOS_LAMBDA(Ordinal cluster) {
        auto walk = source.walk(cluster);
        std::size_t shared = 0;
        for (Ordinal column; walk.advance(column);) shared += owners(column) > 1;
        offsets(cluster + 1) = shared;
      });
  counts_to_offsets(exec, offsets);
  sets.columns = allocate<Ordinals>(exec, "Tessera::columns", read_element(exec, offsets.data() + std::size_t(count)));
  const auto listed = sets.columns;
  Kokkos::parallel_for(
      "Tessera::collect_columns::fill", WindowPolicy<ExecutionSpace>(exec, 0, count), KOKKOS_LAMBDA(Ordinal cluster) {
        auto walk = source.walk(cluster);
        std::size_t next = offsets(cluster);
        for (Ordinal column; walk.advance(column);) {
          if (owners(column) > 1) listed(next++) = column;
        }
      });
  return sets;
}

}  // namespace Tessera::Impl
