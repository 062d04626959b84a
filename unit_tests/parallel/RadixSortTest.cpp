// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>
#include <tessera/parallel/RadixSort.hpp>

#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Test {

template <class T>
class RadixSortTest : public ::testing::Test {};
TYPED_TEST_SUITE(RadixSortTest, OffsetCases);

/// Sorts random keys below 2^bits on the device and compares with a stable sort by the bits from `first_bit` on.
template <class Exec, class Payload>
void expect_sorted(std::size_t size, int first_bit, int bits) {
  Random random(size + 31 * bits);
  std::vector<std::uint64_t> host_keys(size);
  for (auto& key : host_keys) key = bits == 0 ? 0 : random.next() >> (64 - bits);
  std::vector<Payload> order(size);
  std::iota(order.begin(), order.end(), Payload(0));

  auto keys = to_device<Exec>(host_keys);
  auto payload = to_device<Exec>(order);
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
  // The payload tells a stable sort from any other: the lower bits are in no order.
  expect_sorted<typename TypeParam::ExecutionSpace, typename TypeParam::Offset>(50000, 7, 15);
  expect_sorted<typename TypeParam::ExecutionSpace, typename TypeParam::Offset>(50000, 11, 12);
}

TYPED_TEST(RadixSortTest, NoBitsLeaveTheOrder) {
  expect_sorted<typename TypeParam::ExecutionSpace, typename TypeParam::Offset>(1000, 0, 0);
}

}  // namespace Tessera::Test
