// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/format/ValueMap.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "Validate.hpp"

namespace Tessera::Impl {

/// Upper bound on the device threads that read `wanted`: few enough to start quickly, enough to keep a large GPU busy.
constexpr std::size_t most_asking = std::size_t(1) << 18;

template <class ExecutionSpace, class Scalar>
void gather_values(const ExecutionSpace& exec, const ValueMap<typename ExecutionSpace::memory_space>& first,
                   const ValueMap<typename ExecutionSpace::memory_space>& second, const Scalar* source, Scalar* target,
                   std::size_t size, const std::uint32_t* wanted) {
  // False for device memory that the host can read: a read would not wait for the kernel that writes `wanted`.
  constexpr bool is_host = std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;
  const auto gather = Impl::gather_value(first, second, source, target);
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>;
  if constexpr (is_host) {
    if (wanted != nullptr && *wanted == 0) return;
  } else if (wanted != nullptr) {
    const std::size_t step = std::min(size, Impl::most_asking);
    Kokkos::parallel_for(
        "Tessera::gather_values", Policy(exec, 0, step), KOKKOS_LAMBDA(std::size_t first_place) {
          if (*wanted == 0) return;
          for (std::size_t i = first_place; i < size; i += step) gather(i);
        });
    return;
  }
  Kokkos::parallel_for("Tessera::gather_values", Policy(exec, 0, size), gather);
}

template <class ExecutionSpace>
ValueMap<typename ExecutionSpace::memory_space> compose(const ExecutionSpace& exec,
                                                        const ValueMap<typename ExecutionSpace::memory_space>& outer,
                                                        const ValueMap<typename ExecutionSpace::memory_space>& inner) {
  if (outer.is_identity()) return inner;
  if (inner.is_identity()) return outer;
  ValueMap<typename ExecutionSpace::memory_space> result;
  result.slots = Impl::allocate<decltype(result.slots)>(exec, "Tessera::slots", inner.slots.extent(0));
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

struct RunFault {
  const Offset* runs;

  KOKKOS_FUNCTION int operator()(std::size_t run) const { return runs[run] < runs[run + 1] ? int(no_fault) : 0; }
};

struct SlotFault {
  const Offset* slots;
  std::size_t sources;
  bool may_lack;

  KOKKOS_FUNCTION int operator()(std::size_t i) const {
    const bool lacks = may_lack && slots[i] == static_cast<Offset>(-1);
    return lacks || std::size_t(slots[i]) < sources ? int(no_fault) : 0;
  }
};

template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const ValueMap<typename ExecutionSpace::memory_space>& map,
                     std::size_t targets, std::size_t sources, bool may_lack) {
  const std::size_t slots = map.slots.extent(0);
  if (map.has_duplicates()) {
    if (map.runs.extent(0) != targets + 1) return "value map: runs does not have an element a target and one more";
    auto fault = Impl::offsets_fault(exec, "target", map.runs.data(), targets, slots, "runs", "slots");
    if (!fault.empty()) return "value map: " + fault;
    fault =
        Impl::first_fault(exec, "target", targets, Impl::RunFault{map.runs.data()}, [](int) { return "has no slot"; });
    if (!fault.empty()) return "value map: " + fault;
  } else if (map.is_identity()) {
    return targets <= sources ? "" : "value map: there are fewer sources than targets";
  } else if (slots != targets) {
    return "value map: slots does not have an element a target";
  }
  return Impl::of_format(
      "value map", Impl::first_fault(exec, "slot", slots,
                                     Impl::SlotFault{map.slots.data(), sources, may_lack && !map.has_duplicates()},
                                     [](int) { return "is not the number of a source"; }));
}

#define TESSERA_INSTANTIATE_COMPOSE(Exec, Ignored)                                                \
  template ValueMap<Exec::memory_space> compose(const Exec&, const ValueMap<Exec::memory_space>&, \
                                                const ValueMap<Exec::memory_space>&);             \
  template std::string validate(const Exec&, const ValueMap<Exec::memory_space>&, std::size_t, std::size_t, bool);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE_COMPOSE, )

#define TESSERA_INSTANTIATE(Exec, Scalar)                                                                            \
  template void gather_values(const Exec&, const ValueMap<Exec::memory_space>&, const ValueMap<Exec::memory_space>&, \
                              const Scalar*, Scalar*, std::size_t, const std::uint32_t*);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
