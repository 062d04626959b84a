// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <memory>
#include <numeric>
#include <tessera/MemoryLimit.hpp>
#include <tessera/parallel/KeyedSlots.hpp>
#include <tessera/parallel/RadixSort.hpp>

#include "MemoryMeter.hpp"
#include "TestMatrix.hpp"
#include "TestTypes.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

template <class T>
class RadixSortTest : public ::testing::Test {};
TYPED_TEST_SUITE(RadixSortTest, UserOffsetCases);

/// Sorts random keys below 2^bits on the device, and compares with a stable sort by the bits from `first_bit` on.
template <class Exec, class Payload>
void expect_sorted(std::size_t size, int first_bit, int bits) {
  Random random(size + 31 * bits);
  std::vector<std::uint64_t> host_keys(size);
  for (auto& key : host_keys) key = bits == 0 ? 0 : random.next() >> (64 - bits);
  std::vector<Payload> order(size);
  std::iota(order.begin(), order.end(), Payload(0));

  auto keys = Impl::device_copy(Exec(), "keys", host_keys);
  auto payload = Impl::device_copy(Exec(), "payload", order);
  radix_sort(Exec(), keys, payload, first_bit, bits);

  std::stable_sort(order.begin(), order.end(),
                   [&](Payload a, Payload b) { return host_keys[a] >> first_bit < host_keys[b] >> first_bit; });
  EXPECT_EQ(to_host(payload), order) << size << " keys of " << bits << " bits from bit " << first_bit;
  std::vector<std::uint64_t> sorted(size);
  std::transform(order.begin(), order.end(), sorted.begin(), [&](Payload i) { return host_keys[i]; });
  EXPECT_EQ(to_host(keys), sorted);
}

TYPED_TEST(RadixSortTest, IsAStableSort) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Payload = typename TypeParam::Offset;
  for (const std::size_t size : {0, 1, 2, 255, 256, 257, 4095, 4096, 4097, 70001}) {
    for (const int bits : {1, 8, 9, 31, 62}) expect_sorted<Exec, Payload>(size, 0, bits);
  }
}

TYPED_TEST(RadixSortTest, SortsByUpperBitsAlone) {
  // The payload shows whether the sort is stable, because the ignored lower bits are unordered.
  expect_sorted<typename TypeParam::ExecutionSpace, typename TypeParam::Offset>(50000, 7, 15);
  expect_sorted<typename TypeParam::ExecutionSpace, typename TypeParam::Offset>(50000, 11, 12);
}

#ifdef KOKKOS_ENABLE_CUDA
/// On Cuda the sort calls CUB, which clears CUDA's last error. The sort must preserve the error.
TEST(RadixSortOnCuda, ErrorsOfOthersAreTheirs) {
  const cudaError_t left = cudaSetDevice(-1);
  ASSERT_NE(left, cudaSuccess);
  expect_sorted<Kokkos::Cuda, std::uint32_t>(70001, 0, 40);
  EXPECT_EQ(cudaGetLastError(), left);
}
#endif

struct Element {
  std::uint32_t number, key, any;
};

/// Payloads that do not have 4 or 8 bytes are sorted with their keys.
TYPED_TEST(RadixSortTest, ElementsOfAnySize) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const std::uint32_t size : {0, 1, 2, 257, 70001}) {
    Random random(size);
    std::vector<std::uint64_t> host_keys(size);
    std::vector<Element> elements(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      host_keys[i] = random.next() >> 52;
      elements[i] = {i, static_cast<std::uint32_t>(host_keys[i]), ~i};
    }
    auto keys = Impl::device_copy(Exec(), "keys", host_keys);
    auto payload = Impl::device_copy(Exec(), "payload", elements);
    radix_sort(Exec(), keys, payload, 0, 12);
    std::stable_sort(elements.begin(), elements.end(),
                     [](const Element& a, const Element& b) { return a.key < b.key; });
    const auto sorted_keys = to_host(keys);
    const auto sorted = to_host(payload);
    for (std::uint32_t i = 0; i < size; ++i) {
      ASSERT_EQ(sorted[i].number, elements[i].number) << i << " of " << size;
      ASSERT_EQ(sorted[i].any, elements[i].any);
      ASSERT_EQ(sorted_keys[i], elements[i].key);
    }
  }
}

/// Sorts payloads of a type by `bits` bits, in one pass or two, while the arrays that it replaces stay alive.
template <class T, class Exec>
void expect_memory(const Exec& exec, int bits) {
  const std::size_t size = 40000;
  const MemoryMeter meter;
  using Memory = typename Exec::memory_space;
  auto keys = Impl::allocate_zeros<Impl::Array<std::uint64_t*, Memory>>(exec, "keys", size);
  auto payload = Impl::allocate_zeros<Impl::Array<T*, Memory>>(exec, "payload", size);
  const auto first_keys = keys;
  const auto first_payload = payload;
  radix_sort(exec, keys, payload, 0, bits);
  const std::size_t scratch = Impl::radix_scratch_bytes<Exec, std::uint64_t>(exec, size);
  const std::size_t numbers = Impl::is_sorted_word<T> ? 0 : sizeof(std::uint32_t);
  EXPECT_LE(meter.peak(), static_cast<std::int64_t>(2 * size * (sizeof(std::uint64_t) + sizeof(T) + numbers) + scratch))
      << sizeof(T) << " bytes, " << bits << " bits\n"
      << meter.at_peak();
}

TYPED_TEST(RadixSortTest, TakesASecondCopy) {
  const typename TypeParam::ExecutionSpace exec;
  for (const int bits : {8, 16}) {
    expect_memory<std::uint32_t>(exec, bits);
    expect_memory<std::size_t>(exec, bits);
    expect_memory<Element>(exec, bits);
    expect_memory<double>(exec, bits);
  }
}

/// Arrays that are allocated together need few memory blocks, and the sort gives the same result.
template <class Exec, class Offset>
void expect_few_blocks(const Exec& exec, const std::vector<std::uint64_t>& host_keys, int bits) {
  std::vector<Offset> order(host_keys.size());
  std::iota(order.begin(), order.end(), Offset(0));
  const auto keys = Impl::device_copy(exec, "keys", host_keys);
  const auto slots = Impl::device_copy(exec, "slots", order);
  std::stable_sort(order.begin(), order.end(), [&](Offset a, Offset b) { return host_keys[a] < host_keys[b]; });
  {
    const ToolEvents events;
    Impl::SlotSort<Exec, Offset> sort(exec, host_keys.size());
    Kokkos::deep_copy(exec, sort.keys, keys);
    Kokkos::deep_copy(exec, sort.slots, slots);
    const auto sorted = sort.sort(exec, bits);
    EXPECT_LE(events.allocations("Tessera::"), 3u) << events.text();
    EXPECT_EQ(to_host(sorted), order);
  }
  const ToolEvents events;
  auto both = Impl::KeyedSlots<Exec, Offset>::together(exec, host_keys.size());
  Kokkos::deep_copy(exec, both.keys, keys);
  Kokkos::deep_copy(exec, both.slots, slots);
  both.sort_together(exec, 0, bits);
  EXPECT_LE(events.allocations("Tessera::"), 3u) << events.text();
  EXPECT_EQ(to_host(both.slots), order);
  const auto sorted_keys = to_host(both.keys);
  EXPECT_TRUE(std::is_sorted(sorted_keys.begin(), sorted_keys.end()));
}

TYPED_TEST(RadixSortTest, WhatGoesTogetherIsOneBlock) {
  for (const std::size_t size : {0, 1, 2, 5000}) {
    for (const int bits : {0, 8, 16}) {
      std::vector<std::uint64_t> keys(size);
      Random random(size);
      for (auto& key : keys) key = bits == 0 ? 0 : random.next() >> (64 - bits);
      expect_few_blocks<typename TypeParam::ExecutionSpace, typename TypeParam::Offset>({}, keys, bits);
    }
  }
}

TYPED_TEST(RadixSortTest, NoBitsLeaveTheOrder) {
  expect_sorted<typename TypeParam::ExecutionSpace, typename TypeParam::Offset>(1000, 0, 0);
}

/// A sort frees its memory in the order of its queue, so the host need not wait for it.
TYPED_TEST(RadixSortTest, DoesNotWait) {
  using Exec = typename TypeParam::ExecutionSpace;
  const Exec exec;
  const BuildScope<Exec> scope(exec, std::make_shared<MemoryAccount>(no_memory_limit));
  std::vector<std::uint64_t> host(5000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = i * i % 4099;
  std::vector<int> order(host.size());
  std::iota(order.begin(), order.end(), 0);
  auto keys = Impl::device_copy(exec, "keys", host);
  auto payload = Impl::device_copy(exec, "payload", order);
  const ToolEvents events;
  radix_sort(exec, keys, payload, 0, 13);
  EXPECT_EQ(events.fences("Tessera::"), 0u) << events.text();
}

}  // namespace Tessera::Impl::Test
