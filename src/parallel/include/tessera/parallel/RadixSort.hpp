// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/parallel/Arrays.hpp>
#include <type_traits>
#include <utility>

namespace Tessera::Impl {

/// Keys, each with a word of 4 or 8 bytes, in arrays 0; arrays 1 have the memory for a second copy.
template <class Word>
struct RadixArrays {
  std::uint64_t* keys[2];
  Word* words[2];
  std::size_t size;
};

/// Returns an upper bound on the bytes that a sort of `size` keys with such words needs in addition to the arrays.
template <class ExecutionSpace, class Word>
std::size_t radix_scratch_bytes(const ExecutionSpace& exec, std::size_t size);

/// Sorts keys and words. Returns the index of the arrays that hold the result. Does not wait for `exec`.
///
/// \param scratch [in] radix_scratch_bytes() of memory, aligned for every scalar type
template <class ExecutionSpace, class Word>
int sort_words(const ExecutionSpace& exec, const RadixArrays<Word>& arrays, int first_bit, int last_bit,
               std::byte* scratch);

/// The unsigned type that the elements of a payload are sorted as.
template <class T>
using SortedWord = std::conditional_t<sizeof(T) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;

/// Sorts the first `size` keys with a payload of integers of 4 or 8 bytes. If the result is in the spare arrays, swaps
/// them with `keys` and `payload`. Allocates nothing and does not wait for `exec`.
///
/// \param scratch [in] a View of radix_scratch_bytes() bytes
template <class ExecutionSpace, class Keys, class Payload, class Scratch>
static void sort_with_spare(const ExecutionSpace& exec, std::size_t size, Keys& keys, Payload& payload,
                            Keys& other_keys, Payload& other_payload, int first_bit, int last_bit,
                            const Scratch& scratch) {
  using Word = SortedWord<typename Payload::value_type>;
  if (size < 2 || first_bit >= last_bit) return;
  const auto words = [](const Payload& view) { return reinterpret_cast<Word*>(view.data()); };
  const RadixArrays<Word> arrays{{keys.data(), other_keys.data()}, {words(payload), words(other_payload)}, size};
  if (sort_words(exec, arrays, first_bit, last_bit, scratch.data()) == 0) return;
  std::swap(keys, other_keys);
  std::swap(payload, other_payload);
}

/// Sorts keys with a payload of integers of 4 or 8 bytes.
template <class ExecutionSpace, class Keys, class Payload>
static void sort_with_words(const ExecutionSpace& exec, Keys& keys, Payload& payload, int first_bit, int last_bit) {
  using Word = SortedWord<typename Payload::value_type>;
  const std::size_t size = keys.extent(0);
  auto other_keys = allocate<Keys>(exec, "Tessera::radix_sort::keys", size);
  auto other_payload = allocate<Payload>(exec, "Tessera::radix_sort::payload", size);
  const auto scratch = allocate<Array<std::byte*, typename ExecutionSpace::memory_space>>(
      exec, "Tessera::radix_sort::scratch", radix_scratch_bytes<ExecutionSpace, Word>(exec, size));
  sort_with_spare(exec, size, keys, payload, other_keys, other_payload, first_bit, last_bit, scratch);
}

/// Sorts keys with a payload of any type: sorts the indices of its elements, then moves the elements once.
/// \throws std::length_error if indices exceed 32 bits
template <class ExecutionSpace, class Keys, class Payload>
static void sort_with_elements(const ExecutionSpace& exec, Keys& keys, Payload& payload, int first_bit, int last_bit) {
  const std::size_t size = keys.extent(0);
  if (size > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error("Tessera::radix_sort: " + std::to_string(size) + " elements; expected less than 2^32");
  auto numbers = allocate<Array<std::uint32_t*, typename ExecutionSpace::memory_space>>(
      exec, "Tessera::radix_sort::numbers", size);
  Kokkos::parallel_for(
      "Tessera::radix_sort::number", IndexPolicy<ExecutionSpace>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t i) { numbers(i) = static_cast<std::uint32_t>(i); });
  sort_with_words(exec, keys, numbers, first_bit, last_bit);
  const auto from = payload, to = allocate<Payload>(exec, "Tessera::radix_sort::payload", size);
  Kokkos::parallel_for(
      "Tessera::radix_sort::move", IndexPolicy<ExecutionSpace>(exec, 0, size),
      KOKKOS_LAMBDA(std::size_t i) { to(i) = from(numbers(i)); });
  payload = to;
}

/// Whether the elements of a payload are sorted directly, instead of their indices.
template <class T>
inline constexpr bool is_sorted_word = std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// Sorts keys in ascending order of the bits [first_bit, last_bit), and reorders `payload` alike. The sort is stable,
/// so the result is the same on every backend and for any number of threads. Both Arrays may be replaced by others of
/// the same extent.
///
/// \param exec      [in]     the instance to run on
/// \param keys      [in,out] rank-1 Array of std::uint64_t; all bits from last_bit on must be 0
/// \param payload   [in,out] rank-1 Array of any trivial type, with one element for each key
/// \param first_bit [in]     the lowest bit that is compared
/// \param last_bit  [in]     one more than the highest bit that is compared
/// \throws std::length_error for 2^32 or more elements that are not integers of 4 or 8 bytes
/// \throws std::runtime_error if a CUDA call fails
///
/// Cost: for each 8 bits, two passes over keys and one over payload; on NVIDIA GPUs with the layer `cuda`, one pass
/// over both. Elements that are not integers of 4 or 8 bytes are moved once, after their indices are sorted. Memory: a
/// second copy of both, and the counts of digits.
template <class ExecutionSpace, class Keys, class Payload>
void radix_sort(const ExecutionSpace& exec, Keys& keys, Payload& payload, int first_bit, int last_bit) {
  if (keys.extent(0) < 2 || first_bit >= last_bit) return;
  if constexpr (Impl::is_sorted_word<typename Payload::value_type>) {
    Impl::sort_with_words(exec, keys, payload, first_bit, last_bit);
  } else {
    Impl::sort_with_elements(exec, keys, payload, first_bit, last_bit);
  }
}

}  // namespace Tessera::Impl
