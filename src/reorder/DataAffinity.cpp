// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/reorder/DataAffinity.hpp>

#include "AffinityGraph.hpp"
#include "CommonNeighbours.hpp"
#include "Contract.hpp"

namespace Tessera {

template <class ExecutionSpace, class Offset>
Permutation<typename ExecutionSpace::memory_space> data_affinity(const ExecutionSpace& exec,
                                                                 const CsrPattern<Offset>& A) {
  auto graph = Impl::affinity_graph(exec, A);
  const auto dendrogram = Impl::single_leaves(exec, static_cast<std::size_t>(graph.communities));
  for (int round = 0; round < most_affinity_rounds && graph.edges.extent(0) > 0; ++round) {
    const auto proposals = Impl::propose(exec, graph);
    const auto merges = Impl::merge(exec, graph, proposals, dendrogram);
    if (merges.count == 0) break;
    graph = Impl::contract(exec, graph, merges);
  }
  Impl::place_roots(exec, graph, dendrogram, A.rows);
  const auto order = Impl::leaf_order(exec, dendrogram, A.rows);
  graph = {};  // its memory
  Impl::order_by_common_neighbours(exec, A, order);
  return {order};
}

#define TESSERA_INSTANTIATE(Exec, Offset) \
  template Permutation<Exec::memory_space> data_affinity(const Exec&, const CsrPattern<Offset>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
