// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/Array.hpp>

namespace Tessera::Impl {

/// An order of the rows or the columns of a matrix.
template <class MemorySpace>
struct Permutation {
  /// order(place) is the index of the row, or column, in this place. An empty array is the identity.
  Impl::Array<Ordinal*, MemorySpace> order;

  bool is_identity() const { return order.extent(0) == 0; }                ///< whether `order` is empty
  std::size_t bytes() const { return order.extent(0) * sizeof(Ordinal); }  ///< bytes of the array
};

/// Returns the inverse order: inverse.order(p.order(place)) = place. Cost: one pass.
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> inverse(const ExecutionSpace& exec,
                                                           const Permutation<typename ExecutionSpace::memory_space>& p);

/// Returns the order `first`, then `second`: order(place) = first.order(second.order(place)). Cost: one pass.
template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> compose(
    const ExecutionSpace& exec, const Permutation<typename ExecutionSpace::memory_space>& first,
    const Permutation<typename ExecutionSpace::memory_space>& second);

/// Checks that each number below `size` is in exactly one place. Returns the first wrong place and the reason, or an
/// empty text.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const Permutation<typename ExecutionSpace::memory_space>& p,
                     Ordinal size);

}  // namespace Tessera::Impl
