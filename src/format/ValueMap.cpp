// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/format/ValueMap.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

namespace Tessera {

template <class ExecutionSpace, class Offset, class Scalar>
void gather_values(const ExecutionSpace& exec, const ValueMap<Offset, typename ExecutionSpace::memory_space>& first,
                   const ValueMap<Offset, typename ExecutionSpace::memory_space>& second, const Scalar* source,
                   Scalar* target, std::size_t size) {
  const bool has_slots = !first.is_identity(), has_runs = first.has_duplicates(), is_permuted = !second.is_identity();
  const Offset* slots = first.slots.data();
  const Offset* runs = first.runs.data();
  const Offset* permutation = second.slots.data();
  Kokkos::parallel_for(
      "Tessera::gather_values", Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t i) {
        if (is_permuted && permutation[i] == static_cast<Offset>(-1)) {  // no_source
          target[i] = Scalar(0);
          return;
        }
        const std::size_t entry = is_permuted ? permutation[i] : i;
        if (!has_runs) {
          target[i] = source[has_slots ? std::size_t(slots[entry]) : entry];
          return;
        }
        Scalar sum = source[slots[runs[entry]]];
        for (Offset k = runs[entry] + 1; k < runs[entry + 1]; ++k) sum += source[slots[k]];
        target[i] = sum;
      });
}

template <class ExecutionSpace, class Offset>
ValueMap<Offset, typename ExecutionSpace::memory_space> compose(
    const ExecutionSpace& exec, const ValueMap<Offset, typename ExecutionSpace::memory_space>& outer,
    const ValueMap<Offset, typename ExecutionSpace::memory_space>& inner) {
  if (outer.is_identity()) return inner;
  if (inner.is_identity()) return outer;
  ValueMap<Offset, typename ExecutionSpace::memory_space> result;
  result.slots = decltype(result.slots)(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Tessera::slots"),
                                        inner.slots.extent(0));
  result.runs = inner.runs;
  const auto from = outer.slots, through = inner.slots, slots = result.slots;
  Kokkos::parallel_for(
      "Tessera::compose", Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(exec, 0, slots.extent(0)),
      KOKKOS_LAMBDA(std::size_t i) {
        const Offset entry = through(i);
        slots(i) = entry == static_cast<Offset>(-1) ? entry : from(entry);
      });
  return result;
}

#define TESSERA_INSTANTIATE_COMPOSE(Exec, Offset)                                                                 \
  template ValueMap<Offset, Exec::memory_space> compose(const Exec&, const ValueMap<Offset, Exec::memory_space>&, \
                                                        const ValueMap<Offset, Exec::memory_space>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE_COMPOSE)

#define TESSERA_INSTANTIATE(Exec, Scalar, Offset)                                       \
  template void gather_values(const Exec&, const ValueMap<Offset, Exec::memory_space>&, \
                              const ValueMap<Offset, Exec::memory_space>&, const Scalar*, Scalar*, std::size_t);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_MATRIX, TESSERA_INSTANTIATE)

}  // namespace Tessera
