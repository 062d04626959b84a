// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RowClusters.hpp"

#include <cstddef>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "ClusterMatching.hpp"

namespace Tessera::Impl {

/// Puts partners side by side: pair p has places 2 p and 2 p + 1. A cluster without a partner comes last.
template <class Exec, class Ordinals>
Ordinals list_pairs(const Exec& exec, const Ordinals& partners) {
  const std::size_t count = partners.extent(0);
  const Ordinals numbers = allocate<Ordinals>(exec, "Tessera::numbers", count + 1);
  Kokkos::parallel_for(
      "Tessera::list_pairs::count", IndexPolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(std::size_t cluster) {
        numbers(cluster + 1) = partners(cluster) > static_cast<Ordinal>(cluster) ? 1 : 0;
      });
  counts_to_offsets(exec, numbers);
  const Ordinals pairs = allocate<Ordinals>(exec, "Tessera::pairs", count);
  Kokkos::parallel_for(
      "Tessera::list_pairs", IndexPolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(std::size_t i) {
        const auto cluster = static_cast<Ordinal>(i);
        const Ordinal partner = partners(i);
        if (partner < 0) {
          pairs(count - 1) = cluster;
        } else if (partner > cluster) {
          pairs(2 * std::size_t(numbers(i))) = cluster;
          pairs(2 * std::size_t(numbers(i)) + 1) = partner;
        }
      });
  return pairs;
}

template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> cluster_rows(const ExecutionSpace& exec,
                                                                ColumnSets<typename ExecutionSpace::memory_space> sets,
                                                                Ordinal columns, Ordinal height) {
  using Memory = typename ExecutionSpace::memory_space;
  using Ordinals = Array<Ordinal*, Memory>;
  const auto rows = static_cast<std::size_t>(sets.count());
  Ordinals order = allocate<Ordinals>(exec, "Tessera::Permutation::order", rows);
  Kokkos::parallel_for(
      "Tessera::cluster_rows::start", IndexPolicy<ExecutionSpace>(exec, 0, rows),
      KOKKOS_LAMBDA(std::size_t row) { order(row) = static_cast<Ordinal>(row); });
  // Row r of cluster c is order(c * size + r). Clusters without partners come after the others, the largest first.
  for (std::size_t size = 1; size <= std::size_t(height) / 2 && sets.columns.extent(0) > 0; size *= 2) {
    const Ordinals pairs = list_pairs(exec, match_clusters(exec, sets, columns));
    const Ordinals next = allocate<Ordinals>(exec, "Tessera::Permutation::order", rows);
    const std::size_t clustered = pairs.extent(0) * size;
    Kokkos::parallel_for(
        "Tessera::cluster_rows::order", IndexPolicy<ExecutionSpace>(exec, 0, rows), KOKKOS_LAMBDA(std::size_t place) {
          next(place) = order(place < clustered ? pairs(place / size) * size + place % size : place);
        });
    order = next;
    sets = collect_columns(exec, PairColumns<Memory>{sets, pairs}, static_cast<Ordinal>(pairs.extent(0) / 2), columns);
  }
  return {order};
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template Permutation<Exec::memory_space> cluster_rows(const Exec&, ColumnSets<Exec::memory_space>, Ordinal, Ordinal);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
