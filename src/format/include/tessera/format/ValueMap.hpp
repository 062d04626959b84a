// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/GatherValue.hpp>
#include <tessera/parallel/Array.hpp>

namespace Tessera::Impl {

/// A map that gives each value of a target array its source in another array: target[i] = source[slots(i)]. target[i]
/// is 0 if slots(i) is no_source: the format stores an element where the matrix has no entry.
///
/// An empty `slots` is the identity. If the source has duplicates, `runs` has targets + 1 elements, and target[i] is
/// the sum of source[slots(k)] for runs(i) <= k < runs(i + 1), added in this order.
template <class MemorySpace>
struct ValueMap {
  static constexpr Offset no_source = static_cast<Offset>(-1);  ///< the slot of a target without a source

  Impl::Array<Offset*, MemorySpace> slots;  ///< places in the source; empty for the identity
  Impl::Array<Offset*, MemorySpace> runs;   ///< targets + 1 offsets into `slots`; empty without duplicates

  bool is_identity() const { return slots.extent(0) == 0; }   ///< whether target[i] = source[i]
  bool has_duplicates() const { return runs.extent(0) > 0; }  ///< whether some values are sums
  /// Returns the bytes of both arrays.
  std::size_t bytes() const { return (slots.extent(0) + runs.extent(0)) * sizeof(Offset); }
};

/// Returns the functor that gathers one value for gather_values(). The functor holds its arguments.
template <class MemorySpace, class Scalar>
GatherValue<Scalar> gather_value(const ValueMap<MemorySpace>& first, const ValueMap<MemorySpace>& second,
                                 const Scalar* source, Scalar* target) {
  const auto pointer = [](const auto& array) -> const Offset* { return array.extent(0) > 0 ? array.data() : nullptr; };
  return {pointer(first.slots), pointer(first.runs), pointer(second.slots), source, target};
}

/// Gathers the values of a format from the caller's: target[i] = source at first(second(i)).
///
/// \param exec   [in]  the instance to run on
/// \param first  [in]  the map from canonical entries to the caller's entries
/// \param second [in]  the map from places in the format to canonical entries; it has no duplicates
/// \param source [in]  the caller's values
/// \param target [out] the values of the format
/// \param size   [in]  number of places in the format
/// \param wanted [in]  null, or the address of a flag on the device: if it is 0 when the kernel runs, nothing is done
///
/// Cost: one pass over the values and the maps. Nothing is allocated.
template <class ExecutionSpace, class Scalar>
void gather_values(const ExecutionSpace& exec, const ValueMap<typename ExecutionSpace::memory_space>& first,
                   const ValueMap<typename ExecutionSpace::memory_space>& second, const Scalar* source, Scalar* target,
                   std::size_t size, const std::uint32_t* wanted = nullptr);

/// Returns the map that applies `inner`, then `outer`: target[i] = source[outer(inner(i))]. It has the runs of `inner`.
///
/// \param exec  [in] the instance to run on
/// \param outer [in] a map without duplicates in which every target has a source
/// \param inner [in] any map
template <class ExecutionSpace>
ValueMap<typename ExecutionSpace::memory_space> compose(const ExecutionSpace& exec,
                                                        const ValueMap<typename ExecutionSpace::memory_space>& outer,
                                                        const ValueMap<typename ExecutionSpace::memory_space>& inner);

/// Checks a map. Returns the first fault, or an empty text.
///
/// \param exec     [in] the instance to run on
/// \param map      [in] the map
/// \param targets  [in] number of elements of the target
/// \param sources  [in] number of elements of the source
/// \param may_lack [in] whether targets without a source are allowed
///
/// Cost: one pass over the map.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const ValueMap<typename ExecutionSpace::memory_space>& map,
                     std::size_t targets, std::size_t sources, bool may_lack);

}  // namespace Tessera::Impl
