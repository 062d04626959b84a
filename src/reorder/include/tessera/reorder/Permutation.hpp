// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/common/Types.hpp>

namespace Tessera {

/// An order of the rows or the columns of a matrix: order(place) is which of the original ones stands there. Empty: the
/// order that they have.
template <class MemorySpace>
struct Permutation {
  Kokkos::View<Ordinal*, MemorySpace> order;

  bool is_identity() const { return order.extent(0) == 0; }
  std::size_t bytes() const { return order.extent(0) * sizeof(Ordinal); }
};

/// The places of the original ones: inverse.order(p.order(place)) = place. Cost: one pass.
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> inverse(const ExecutionSpace& exec,
                                                           const Permutation<typename ExecutionSpace::memory_space>& p);

/// First `first`, then `second` on what that gave: order(place) = first.order(second.order(place)). Cost: one pass.
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> compose(
    const ExecutionSpace& exec, const Permutation<typename ExecutionSpace::memory_space>& first,
    const Permutation<typename ExecutionSpace::memory_space>& second);

/// Checks that each of the numbers below `size` has one place: empty, or the first place that is wrong and why.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const Permutation<typename ExecutionSpace::memory_space>& p,
                     Ordinal size);

}  // namespace Tessera
