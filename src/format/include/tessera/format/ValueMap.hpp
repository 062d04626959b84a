// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>

namespace Tessera {

/// Where the values of one array come from in another: target[i] = source[slots(i)], or 0 where slots(i) is no_source:
/// an element that a format stores besides the entries.
///
/// An empty `slots` is the identity. Where entries of the source are duplicates of each other, `runs` (targets + 1)
/// says which slots are summed, in that order: target[i] = sum of source[slots(k)] for runs(i) <= k < runs(i + 1).
template <class Offset, class MemorySpace>
struct ValueMap {
  static constexpr Offset no_source = static_cast<Offset>(-1);

  Kokkos::View<Offset*, MemorySpace> slots;
  Kokkos::View<Offset*, MemorySpace> runs;

  bool is_identity() const { return slots.extent(0) == 0; }
  bool has_duplicates() const { return runs.extent(0) > 0; }
  std::size_t bytes() const { return (slots.extent(0) + runs.extent(0)) * sizeof(Offset); }
};

/// target[i] = source at first(second(i)): the values of a format from the caller's, through the canonical order.
///
/// \param first  [in] canonical entry -> entries of `source`
/// \param second [in] place in the format -> canonical entry; never with duplicates
/// \param size   [in] places in the format
///
/// Cost: one pass over the values and the maps. Nothing is allocated.
template <class ExecutionSpace, class Offset, class Scalar>
void gather_values(const ExecutionSpace& exec, const ValueMap<Offset, typename ExecutionSpace::memory_space>& first,
                   const ValueMap<Offset, typename ExecutionSpace::memory_space>& second, const Scalar* source,
                   Scalar* target, std::size_t size);

/// The map that takes `inner` and then `outer`: target[i] = source[outer(inner(i))], the runs of `inner` kept.
///
/// \param outer [in] without duplicates, and with a source for all
template <class ExecutionSpace, class Offset>
ValueMap<Offset, typename ExecutionSpace::memory_space> compose(
    const ExecutionSpace& exec, const ValueMap<Offset, typename ExecutionSpace::memory_space>& outer,
    const ValueMap<Offset, typename ExecutionSpace::memory_space>& inner);

/// Checks that a map gives `targets` elements values of an array of `sources`: empty, or the first fault.
///
/// \param may_lack [in] whether targets may have no source
///
/// Cost: one pass over the map.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const ValueMap<Offset, typename ExecutionSpace::memory_space>& map,
                     std::size_t targets, std::size_t sources, bool may_lack);

}  // namespace Tessera
