// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/parallel/Arrays.hpp>
#include <type_traits>
#include <utility>

namespace Tessera {

namespace Impl {

/// Keys with a word of 4 or 8 bytes each, in arrays 0; arrays 1 are memory for a second copy.
template <class Word>
struct RadixArrays {
  std::uint64_t* keys[2];
  Word* words[2];
  std::size_t size;
};

/// Bytes of memory, besides the arrays, that a sort of so many keys with such words takes at most.
template <class ExecutionSpace, class Word>
std::size_t radix_scratch_bytes(const ExecutionSpace& exec, std::size_t size);

/// Sorts. Returns which arrays hold the result. Waits for `exec`.
template <class ExecutionSpace, class Word>
int sort_words(const ExecutionSpace& exec, const RadixArrays<Word>& arrays, int first_bit, int last_bit);

/// The word that is sorted in place of a type of this size: itself, or the number of the element.
template <std::size_t bytes>
using SortedWord = std::conditional_t<bytes == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;

/// Sorts a payload of words.
template <class ExecutionSpace, class Keys, class Payload>
void sort_with_words(const ExecutionSpace& exec, Keys& keys, Payload& payload, int first_bit, int last_bit) {
  using Word = SortedWord<sizeof(typename Payload::value_type)>;
  const std::size_t size = keys.extent(0);
  auto other_keys = allocate<Keys>(exec, "Tessera::radix_sort::keys", size);
  auto other_payload = allocate<Payload>(exec, "Tessera::radix_sort::payload", size);
  const auto words = [](const Payload& view) { return reinterpret_cast<Word*>(view.data()); };
  const RadixArrays<Word> arrays{{keys.data(), other_keys.data()}, {words(payload), words(other_payload)}, size};
  if (sort_words(exec, arrays, first_bit, last_bit) == 0) return;
  std::swap(keys, other_keys);
  std::swap(payload, other_payload);
}

/// Sorts a payload of larger elements: their numbers first.
template <class ExecutionSpace, class Keys, class Payload>
void sort_with_elements(const ExecutionSpace& exec, Keys& keys, Payload& payload, int first_bit, int last_bit) {
  using Numbers = Kokkos::View<std::uint32_t*, typename ExecutionSpace::memory_space>;
  const std::size_t size = keys.extent(0);
  auto numbers = allocate<Numbers>(exec, "Tessera::radix_sort::numbers", size);
  const auto first = numbers;
  Kokkos::parallel_for(
      "Tessera::radix_sort::number", IndexPolicy<ExecutionSpace>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t i) { first(i) = static_cast<std::uint32_t>(i); });
  sort_with_words(exec, keys, numbers, first_bit, last_bit);
  const auto order = numbers;
  const auto from = payload, to = allocate<Payload>(exec, "Tessera::radix_sort::payload", size);
  Kokkos::parallel_for(
      "Tessera::radix_sort::move", IndexPolicy<ExecutionSpace>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t i) { to(i) = from(order(i)); });
  payload = to;
  exec.fence("Tessera::radix_sort");  // the numbers go
}

}  // namespace Impl

/// The number of bytes that keys, payload and the memory for sorting them take together.
///
/// \param exec          [in] the instance to run on
/// \param size          [in] number of keys
/// \param payload_bytes [in] bytes of an element of the payload
template <class ExecutionSpace>
std::size_t radix_sort_bytes(const ExecutionSpace& exec, std::size_t size, std::size_t payload_bytes) {
  constexpr std::size_t key = sizeof(std::uint64_t), number = sizeof(std::uint32_t);
  if (size < 2) return size * (key + payload_bytes);
  if (payload_bytes == key)
    return 2 * size * (key + payload_bytes) + Impl::radix_scratch_bytes<ExecutionSpace, std::uint64_t>(exec, size);
  const std::size_t words = 2 * size * (key + number);
  const std::size_t sorted = words + Impl::radix_scratch_bytes<ExecutionSpace, std::uint32_t>(exec, size);
  if (payload_bytes == number) return sorted;
  return size * payload_bytes + std::max(sorted, size * (key + number + payload_bytes));
}

/// Sorts keys by their bits [first_bit, last_bit) in ascending order, and moves `payload` along. The sort is stable:
/// the result is the same on every backend and for any number of threads. Both Views may be replaced by others of the
/// same extent. Waits for `exec`.
///
/// \param exec      [in]     the instance to run on
/// \param keys      [in,out] rank-1 View of std::uint64_t; the bits from last_bit on are 0
/// \param payload   [in,out] rank-1 View of as many elements of any trivial type; at most 2^32 if an element has
/// neither
///                  4 nor 8 bytes
/// \param first_bit [in]     the lowest bit that is compared
/// \param last_bit  [in]     the bit above the highest that is compared
///
/// Cost: for each 8 bits, two passes over keys and one over payload; on NVIDIA GPUs, where the layer `cuda` is built,
/// one pass over both. Elements of the payload of other sizes are moved once. Memory: a second copy of both.
template <class ExecutionSpace, class Keys, class Payload>
void radix_sort(const ExecutionSpace& exec, Keys& keys, Payload& payload, int first_bit, int last_bit) {
  constexpr std::size_t bytes = sizeof(typename Payload::value_type);
  if (keys.extent(0) < 2 || first_bit >= last_bit) return;
  if constexpr (bytes == sizeof(std::uint32_t) || bytes == sizeof(std::uint64_t)) {
    Impl::sort_with_words(exec, keys, payload, first_bit, last_bit);
  } else {
    Impl::sort_with_elements(exec, keys, payload, first_bit, last_bit);
  }
}

}  // namespace Tessera
