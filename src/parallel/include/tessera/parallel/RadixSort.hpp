// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace Tessera {

namespace Impl {

constexpr int radix_bits = 8;
constexpr int radix_digits = 1 << radix_bits;

/// Blocks that count and scatter on their own: enough to balance threads, or to fill a device.
template <class ExecutionSpace>
std::size_t radix_blocks(const ExecutionSpace& exec, std::size_t size) {
  const bool host = std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;
  const std::size_t most = host ? 4 * static_cast<std::size_t>(exec.concurrency()) : 32768;
  return std::max<std::size_t>(1, std::min(most, size / (host ? 4096 : 512)));
}

/// One stable pass over the digit at `shift`: the elements of block b with digit d go where the blocks before b, and
/// the smaller digits of all blocks, leave off.
template <class ExecutionSpace, class Keys, class Payload, class Counts>
static void radix_pass(const ExecutionSpace& exec, int shift, const Keys& keys, const Payload& payload,
                       const Keys& sorted_keys, const Payload& sorted_payload, const Counts& counts) {
  const std::size_t size = keys.extent(0);
  const std::size_t blocks = counts.extent(0) / radix_digits;
  const std::size_t block_size = (size + blocks - 1) / blocks;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>;
  const auto digit = KOKKOS_LAMBDA(std::uint64_t key) { return std::size_t(key >> shift) & (radix_digits - 1); };

  Kokkos::parallel_for(
      "Tessera::radix_sort::count", Policy(exec, 0, blocks), KOKKOS_LAMBDA(std::size_t block) {
        std::size_t count[radix_digits] = {};
        const std::size_t begin = block * block_size;
        const std::size_t end = begin + block_size < size ? begin + block_size : size;
        for (std::size_t i = begin; i < end; ++i) ++count[digit(keys(i))];
        for (std::size_t d = 0; d < std::size_t(radix_digits); ++d) counts(d * blocks + block) = count[d];
      });
  Kokkos::parallel_scan(
      "Tessera::radix_sort::scan", Policy(exec, 0, counts.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum, bool final) {
        const std::size_t count = counts(i);
        if (final) counts(i) = sum;
        sum += count;
      });
  Kokkos::parallel_for(
      "Tessera::radix_sort::scatter", Policy(exec, 0, blocks), KOKKOS_LAMBDA(std::size_t block) {
        std::size_t next[radix_digits];
        for (std::size_t d = 0; d < std::size_t(radix_digits); ++d) next[d] = counts(d * blocks + block);
        const std::size_t begin = block * block_size;
        const std::size_t end = begin + block_size < size ? begin + block_size : size;
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t target = next[digit(keys(i))]++;
          sorted_keys(target) = keys(i);
          sorted_payload(target) = payload(i);
        }
      });
}

}  // namespace Impl

/// The number of bytes that keys, payload and the memory for sorting them take together.
///
/// \param exec          [in] the instance to run on
/// \param size          [in] number of keys
/// \param payload_bytes [in] bytes of an element of the payload
template <class ExecutionSpace>
std::size_t radix_sort_bytes(const ExecutionSpace& exec, std::size_t size, std::size_t payload_bytes) {
  const std::size_t elements = size * (sizeof(std::uint64_t) + payload_bytes);
  if (size < 2) return elements;
  return 2 * elements + Impl::radix_digits * Impl::radix_blocks(exec, size) * sizeof(std::size_t);
}

/// Sorts keys by their bits [first_bit, last_bit) in ascending order, and moves `payload` along. The sort is stable:
/// the result is the same on every backend and for any number of threads. Both Views may be replaced by others of the
/// same extent.
///
/// \param exec      [in]     the instance to run on
/// \param keys      [in,out] rank-1 View of std::uint64_t
/// \param payload   [in,out] rank-1 View of as many elements of any trivial type
/// \param first_bit [in]     the lowest bit that is compared
/// \param last_bit  [in]     the bit above the highest that is compared
///
/// Cost: for each 8 bits, two passes over keys and one over payload. Memory: a second copy of both.
template <class ExecutionSpace, class Keys, class Payload>
void radix_sort(const ExecutionSpace& exec, Keys& keys, Payload& payload, int first_bit, int last_bit) {
  const std::size_t size = keys.extent(0);
  if (size < 2) return;
  const auto uninitialized = [&](const std::string& label) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label);
  };
  Keys other_keys(uninitialized("Tessera::radix_sort::keys"), size);
  Payload other_payload(uninitialized("Tessera::radix_sort::payload"), size);
  Kokkos::View<std::size_t*, typename ExecutionSpace::memory_space> counts(
      uninitialized("Tessera::radix_sort::counts"), Impl::radix_digits * Impl::radix_blocks(exec, size));
  for (int shift = first_bit; shift < last_bit; shift += Impl::radix_bits) {
    // NOTE: a last digit may reach beyond last_bit; callers keep the bits above it zero.
    Impl::radix_pass(exec, shift, keys, payload, other_keys, other_payload, counts);
    std::swap(keys, other_keys);
    std::swap(payload, other_payload);
  }
}

}  // namespace Tessera
