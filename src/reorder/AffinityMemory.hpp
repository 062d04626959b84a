// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Array.hpp>
#include <tessera/parallel/RadixSort.hpp>

#include "Dendrogram.hpp"
#include "Proposals.hpp"

namespace Tessera::Impl {

/// The memory of data affinity, allocated once. The first round needs the most memory. Later rounds use the first
/// elements of the same arrays.
template <class Exec>
struct AffinityMemory {
  using Memory = typename Exec::memory_space;

  CommunityGraph<Exec> graph;
  CommunityGraph<Exec> spare;  // becomes the graph of the next round; scratch memory until then
  Dendrogram<Exec> dendrogram;
  Proposals<Exec> proposals;
  Array<Ordinal*, Memory> labels;     // number of each community in the next graph
  Array<Ordinal*, Memory> left;       // two numbers: communities, and edges before equal edges are combined
  Array<std::byte*, Memory> scratch;  // scratch memory of sorts

  AffinityMemory(const Exec& exec, std::size_t vertices, std::size_t edges) {
    take_at_once<Memory>(exec, "Tessera::affinity_memory", [&](Arena<Memory>& arena) {
      for (CommunityGraph<Exec>* const g : {&graph, &spare}) {
        arena.take(g->ranks, vertices);
        arena.take(g->roots, vertices);
        arena.take(g->sizes, vertices);
        arena.take(g->edges.keys, edges + 1);
        arena.take(g->edges.slots, edges + 1);
        arena.take(g->edge_count, 1);
      }
      arena.take(dendrogram.parents, vertices);
      arena.take(dendrogram.offsets, vertices);
      arena.take(proposals.targets, vertices);
      arena.take(proposals.weights, vertices);
      arena.take(proposals.first, vertices);
      arena.take(labels, vertices + 1);
      arena.take(left, 2);
      arena.take(scratch, radix_scratch_bytes<Exec, SortedWord<Ordinal>>(exec, std::max(vertices, edges)));
    });
  }
};

}  // namespace Tessera::Impl
