// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/parallel/Batches.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/RadixSort.hpp>
#include <tessera/reorder/ReorderingBytes.hpp>

#include "AffinityGraph.hpp"
#include "CommonNeighbours.hpp"
#include "LocalGroups.hpp"

namespace Tessera {

namespace Impl {

/// The numbers of rows and of their entries, by the number of binary digits of the length of a row.
struct LengthCounts {
  static constexpr int digits = 32;
  std::size_t rows[digits] = {};
  std::size_t entries[digits] = {};

  KOKKOS_INLINE_FUNCTION LengthCounts& operator+=(const LengthCounts& other) {
    for (int d = 0; d < digits; ++d) {
      rows[d] += other.rows[d];
      entries[d] += other.entries[d];
    }
    return *this;
  }
};

/// An upper bound on the number of entries in any `of_rows` rows.
template <class Exec, class Offset>
std::size_t entries_of_block(const Exec& exec, const CsrPattern<Offset>& A, std::size_t of_rows) {
  LengthCounts counts;
  Kokkos::parallel_reduce(
      "Tessera::entries_of_block", IndexPolicy<Exec>(exec, 0, A.rows),
      KOKKOS_LAMBDA(std::size_t row, LengthCounts & sum) {
        const auto length = static_cast<std::size_t>(A.row_offsets[row + 1] - A.row_offsets[row]);
        int d = 0;
        while (d + 1 < LengthCounts::digits && length >> (d + 1) != 0) ++d;
        ++sum.rows[d];
        sum.entries[d] += length;
      },
      counts);
  exec.fence("Tessera::entries_of_block");
  std::size_t entries = 0;
  for (int d = LengthCounts::digits - 1; d >= 0 && of_rows > 0; --d) {
    const std::size_t taken = std::min(of_rows, counts.rows[d]);
    entries += std::min(counts.entries[d], taken * ((std::size_t(2) << d) - 1));
    of_rows -= taken;
  }
  return entries;
}

/// The bytes of data affinity: first those of communities and the order that they give, then blocks of rows have tables
/// of columns, one batch at a time.
template <class Exec, class Offset>
std::size_t data_affinity_bytes(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros) {
  const auto rows = static_cast<std::size_t>(A.rows);
  const std::size_t vertices = rows + (is_square(A) ? 0 : static_cast<std::size_t>(A.columns));
  const std::size_t order = (rows + 1) * sizeof(Ordinal);  // Views take whole words of 8 bytes
  const std::size_t communities = affinity_memory_bytes(exec, vertices, nonzeros) + order;
  const std::size_t batch = std::max(entries_of_batch<Exec>(nonzeros, std::size_t(1) << 24),
                                     entries_of_block(exec, A, std::size_t(common_neighbour_block)));
  const std::size_t place = sizeof(Ordinal) + words_of_block * sizeof(std::uint64_t);
  const std::size_t tables =
      2 * std::min(batch, nonzeros) * place + order + (rows / common_neighbour_block + 2) * sizeof(std::size_t);
  return std::max(communities, tables);
}

/// The bytes of matching: columns of rows are listed and sorted with their owners (ClusterMatching.cpp), and clusters
/// have candidates.
template <class Exec, class Offset>
std::size_t clustering_bytes(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros) {
  const auto rows = static_cast<std::size_t>(A.rows), columns = static_cast<std::size_t>(A.columns);
  // Candidates, partners, choices, places, sizes, offsets, the order.
  constexpr std::size_t row = 112;
  const std::size_t entries = nonzeros * sizeof(Ordinal) + radix_sort_bytes<Ordinal>(exec, nonzeros);
  return std::max(entries, radix_sort_bytes<Ordinal>(exec, rows) + nonzeros * sizeof(Ordinal)) + rows * row +
         (columns + 4) * sizeof(std::size_t);
}

/// The bytes of local clusters: tables and lists of a batch of groups.
template <class Exec, class Offset>
std::size_t local_cluster_bytes(const CsrPattern<Offset>& A, std::size_t nonzeros) {
  const auto rows = static_cast<std::size_t>(A.rows), groups = rows / std::size_t(local_group_rows) + 1;
  const std::size_t batch = std::min(nonzeros, entries_of_batch<Exec>(nonzeros, least_local_batch));
  return batch * group_entry_bytes + rows * sizeof(Ordinal) + (groups + 1) * (sizeof(int) + sizeof(std::size_t));
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::size_t reordering_bytes(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                             Reordering reordering) {
  const auto sorted = [&](Ordinal size) { return radix_sort_bytes<Ordinal>(exec, static_cast<std::size_t>(size)); };
  switch (reordering) {
    case Reordering::Automatic:
    case Reordering::Default:
    case Reordering::None:
      return 0;
    case Reordering::DegreeSort:
      return sorted(A.rows);
    case Reordering::ColumnSort:
      return sorted(A.columns);
    case Reordering::DataAffinity:
      return Impl::data_affinity_bytes(exec, A, nonzeros);
    case Reordering::JaccardRows:
    case Reordering::WindowGrowing:
      return Impl::clustering_bytes(exec, A, nonzeros);
    case Reordering::LocalClusters:
      return Impl::local_cluster_bytes<ExecutionSpace>(A, nonzeros);
  }
  return 0;
}

#define TESSERA_INSTANTIATE(Exec, Offset) \
  template std::size_t reordering_bytes(const Exec&, const CsrPattern<Offset>&, std::size_t, Reordering);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
