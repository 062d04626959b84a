// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/reorder/Permutation.hpp>

namespace Tessera::Impl {

template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> inverse(
    const ExecutionSpace& exec, const Permutation<typename ExecutionSpace::memory_space>& p) {
  Permutation<typename ExecutionSpace::memory_space> result;
  const auto order = p.order;
  const auto places = Impl::allocate<decltype(result.order)>(exec, "Tessera::Permutation::order", order.extent(0));
  Kokkos::parallel_for(
      "Tessera::inverse", Impl::IndexPolicy<ExecutionSpace>(exec, 0, order.extent(0)),
      KOKKOS_LAMBDA(std::size_t place) { places(order(place)) = static_cast<Ordinal>(place); });
  result.order = places;
  return result;
}

template <class ExecutionSpace>
Permutation<typename ExecutionSpace::memory_space> compose(
    const ExecutionSpace& exec, const Permutation<typename ExecutionSpace::memory_space>& first,
    const Permutation<typename ExecutionSpace::memory_space>& second) {
  if (first.is_identity()) return second;
  if (second.is_identity()) return first;
  Permutation<typename ExecutionSpace::memory_space> result;
  const auto outer = first.order;
  const auto inner = second.order;
  const auto order = Impl::allocate<decltype(result.order)>(exec, "Tessera::Permutation::order", inner.extent(0));
  Kokkos::parallel_for(
      "Tessera::compose", Impl::IndexPolicy<ExecutionSpace>(exec, 0, inner.extent(0)),
      KOKKOS_LAMBDA(std::size_t place) { order(place) = outer(inner(place)); });
  result.order = order;
  return result;
}

template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const Permutation<typename ExecutionSpace::memory_space>& p,
                     Ordinal size) {
  if (p.is_identity()) return {};
  const std::size_t places = p.order.extent(0);
  if (places != static_cast<std::size_t>(size)) {
    return "there are " + std::to_string(places) + " places; expected " + std::to_string(size);
  }
  const auto order = p.order;
  const auto first_place = Impl::allocate<Impl::Array<Ordinal*, typename ExecutionSpace::memory_space>>(
      exec, "Tessera::first_place", places);
  Kokkos::deep_copy(exec, first_place, size);
  Kokkos::parallel_for(
      "Tessera::validate::first_places", Impl::IndexPolicy<ExecutionSpace>(exec, 0, places),
      KOKKOS_LAMBDA(std::size_t place) {
        const Ordinal original = order(place);
        if (original >= 0 && original < size) Kokkos::atomic_min(&first_place(original), static_cast<Ordinal>(place));
      });
  Ordinal wrong = 0;
  Kokkos::parallel_reduce(
      "Tessera::validate::places", Impl::IndexPolicy<ExecutionSpace>(exec, 0, places),
      KOKKOS_LAMBDA(std::size_t i, Ordinal & least) {
        const auto place = static_cast<Ordinal>(i);
        const Ordinal original = order(place);
        const bool right = original >= 0 && original < size && first_place(original) == place;
        if (!right && place < least) least = place;
      },
      Kokkos::Min<Ordinal>(wrong));
  exec.fence("Tessera::validate");
  if (wrong >= size) return {};  // the initial value of the reduction: all places are right
  const Ordinal original = Impl::read_element(exec, order.data() + wrong);
  const std::string what = "place " + std::to_string(wrong) + " holds " + std::to_string(original);
  if (original < 0 || original >= size) return what + "; expected a number in [0, " + std::to_string(size) + ")";
  return what + ", which place " + std::to_string(Impl::read_element(exec, first_place.data() + original)) + " holds";
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                               \
  template Permutation<Exec::memory_space> inverse(const Exec&, const Permutation<Exec::memory_space>&); \
  template Permutation<Exec::memory_space> compose(const Exec&, const Permutation<Exec::memory_space>&,  \
                                                   const Permutation<Exec::memory_space>&);              \
  template std::string validate(const Exec&, const Permutation<Exec::memory_space>&, Ordinal);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
