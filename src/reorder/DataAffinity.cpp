// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/reorder/DataAffinity.hpp>

#include "AffinityGraph.hpp"
#include "CommonNeighbours.hpp"
#include "Contract.hpp"
#include "Merges.hpp"

namespace Tessera::Impl {

/// Step I of data affinity: orders the rows by communities.
template <class Exec>
Array<Ordinal*, typename Exec::memory_space> order_by_communities(const Exec& exec, const CsrPattern<Offset>& A) {
  auto memory = affinity_memory_for(exec, A);
  start_graph(exec, A, memory);
  start_dendrogram(exec, memory.dendrogram);
  for (int round = 0; round < most_affinity_rounds && memory.graph.most_edges > 0; ++round) {
    propose(exec, memory.graph, memory.proposals);
    if (!merge(exec, memory)) break;
    contract(exec, memory);
  }
  place_roots(exec, memory.graph, memory.dendrogram, A.rows, {memory.spare.ranks, memory.spare.roots},
              {memory.graph.ranks, memory.proposals.targets}, memory.scratch);
  return leaf_order(exec, memory.dendrogram, A.rows);
}

template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> data_affinity(const ExecutionSpace& exec,
                                                                 const CsrPattern<Offset>& A) {
  const auto order = Impl::order_by_communities(exec, A);
  Impl::order_by_common_neighbours(exec, A, order);
  return {order};
}

#define TESSERA_INSTANTIATE(Exec, Ignored) \
  template Permutation<Exec::memory_space> data_affinity(const Exec&, const CsrPattern<Offset>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
