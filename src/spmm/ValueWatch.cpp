// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/spmm/impl/ValueWatch.hpp>

#include "FollowOnDevice.hpp"

namespace Tessera::Impl {

namespace {

/// Adds the contributions of the chunks.
template <class Chunk>
struct Look {
  using value_type = std::uint64_t;

  ChunkedArray<Chunk> array;
  WatchedArray* state;

  KOKKOS_FUNCTION void operator()(std::size_t i, value_type& sum) const { sum += array.contribution(i); }

  // Kokkos calls this once, with the sum over all chunks.
  KOKKOS_FUNCTION void final(value_type& sum) const { state->conclude(sum); }
};

}  // namespace

template <class ExecutionSpace>
void ValueWatch<ExecutionSpace>::make_ready(const ExecutionSpace& exec) {
  if (is_ready()) return;
  const auto state = allocate_zeros<decltype(state_)>(exec, "Tessera::watched", 1);
  exec.fence("Tessera::watch_values");
  state_ = state;
}

template <class ExecutionSpace>
void ValueWatch<ExecutionSpace>::look(const ExecutionSpace& exec, const void* data, std::size_t bytes) {
  make_ready(exec);
  WatchedArray* const watched = &state_.data()->array;
  if (look_on_device(exec, data, bytes, watched)) return;
  const Kokkos::View<std::uint64_t, typename ExecutionSpace::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> sum(
      &state_.data()->sum);
  with_chunks(data, bytes, [&]<class Chunk>(const ChunkedArray<Chunk>& array) {
    Kokkos::parallel_reduce("Tessera::watch_values", IndexPolicy<ExecutionSpace>(exec, 0, array.size()),
                            Look<Chunk>{array, watched}, sum);
  });
}

template <class ExecutionSpace>
void ValueWatch<ExecutionSpace>::forget(const ExecutionSpace& exec) {
  if (!is_ready()) return;
  WatchedArray* const state = &state_.data()->array;
  Kokkos::parallel_for(
      "Tessera::forget_values", IndexPolicy<ExecutionSpace>(exec, 0, 1),
      KOKKOS_LAMBDA(std::size_t) { state->is_known = 0; });
}

#define TESSERA_INSTANTIATE(Exec, Ignored) template class ValueWatch<Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
