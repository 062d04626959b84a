// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/spmm/impl/ValueWatch.hpp>

#include <algorithm>
#include <tessera/common/Mix.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

namespace Tessera::Impl {

namespace {

/// 16 bytes that are read at once.
struct alignas(16) WholeChunk {
  std::uint64_t low, high;
};
/// 4 bytes of an array that is not aligned to more.
struct SmallChunk {
  std::uint32_t low;
  static constexpr std::uint32_t high = 0;
};

/// Sums the chunks' contributions. What comes after the last whole chunk is one of them.
template <class Chunk>
struct Look {
  using value_type = std::uint64_t;

  const Chunk* chunks;
  std::size_t whole;  // number of chunks
  const std::uint32_t* rest;
  int rest_words;  // after the last chunk
  WatchedArray* state;

  KOKKOS_FUNCTION void operator()(std::size_t i, value_type& sum) const {
    if (i < whole) {
      const Chunk chunk = chunks[i];
      sum += mix_product(chunk.low, chunk.high, i);
      return;
    }
    std::uint64_t words[2] = {0, 0};
    for (int w = 0; w < rest_words; ++w) words[w / 2] |= std::uint64_t(rest[w]) << (32 * (w % 2));
    sum += mix_product(words[0], words[1], i);
  }

  // Kokkos calls this once, with the sum over all chunks.
  KOKKOS_FUNCTION void final(value_type& sum) const {
    state->has_changed = state->is_known == 0 || state->fingerprint != sum ? 1 : 0;
    state->fingerprint = sum;
    state->is_known = 1;
  }
};

}  // namespace

template <class ExecutionSpace>
template <class Chunk>
void ValueWatch<ExecutionSpace>::look_at(const ExecutionSpace& exec, const void* data, std::size_t bytes) {
  const auto* chunks = static_cast<const Chunk*>(data);
  const std::size_t whole = bytes / sizeof(Chunk);
  const auto rest_words = static_cast<int>(bytes % sizeof(Chunk) / sizeof(std::uint32_t));
  const Look<Chunk> functor{chunks, whole, reinterpret_cast<const std::uint32_t*>(chunks + whole), rest_words,
                            state_.data()};
  Kokkos::parallel_reduce("Tessera::watch_values", IndexPolicy<ExecutionSpace>(exec, 0, whole + 1), functor, sum_);
}

template <class ExecutionSpace>
void ValueWatch<ExecutionSpace>::look(const ExecutionSpace& exec, const void* data, std::size_t bytes) {
  if (!state_.is_allocated()) {
    state_ = decltype(state_)(Kokkos::view_alloc(exec, "Tessera::watched"));
    sum_ = decltype(sum_)(Kokkos::view_alloc(exec, "Tessera::watched_sum"));
    exec.fence("Tessera::watch_values");
  }
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data) % alignof(WholeChunk) == 0;
  if (is_aligned) {
    look_at<WholeChunk>(exec, data, bytes);
  } else {
    look_at<SmallChunk>(exec, data, bytes);
  }
}

template <class ExecutionSpace>
void ValueWatch<ExecutionSpace>::forget(const ExecutionSpace& exec) {
  if (!state_.is_allocated()) return;
  WatchedArray* const state = state_.data();
  Kokkos::parallel_for(
      "Tessera::forget_values", IndexPolicy<ExecutionSpace>(exec, 0, 1),
      KOKKOS_LAMBDA(std::size_t) { state->is_known = 0; });
}

#define TESSERA_INSTANTIATE(Exec, Ignored) template class ValueWatch<Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
