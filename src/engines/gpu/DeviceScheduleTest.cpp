// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tuple>
#include <vector>

#include "HostPattern.hpp"
#include "TestMatrix.hpp"
#include "TestTypes.hpp"
#include "gpu/DeviceSchedule.hpp"

namespace Tessera::Impl::Test {
namespace {

template <class T>
class DeviceScheduleTest : public ::testing::Test {};
TYPED_TEST_SUITE(DeviceScheduleTest, OffsetCases);

void expect_same(const std::vector<Cuda::CondensedItem>& items, const std::vector<Cuda::CondensedItem>& expected) {
  const auto parts = [](const auto& item) { return std::tie(item.first_tile, item.tiles, item.window, item.slot); };
  ASSERT_EQ(items.size(), expected.size());
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(parts(items[i]), parts(expected[i])) << "item " << i;
}

void expect_same(const std::vector<Cuda::CondensedSum>& sums, const std::vector<Cuda::CondensedSum>& expected) {
  const auto parts = [](const auto& sum) { return std::tie(sum.window, sum.first_slot, sum.slots); };
  ASSERT_EQ(sums.size(), expected.size());
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(parts(sums[i]), parts(expected[i])) << "sum " << i;
}

/// Makes a few long windows among short ones.
std::vector<Offset> uneven_offsets(Random& random, int windows) {
  std::vector<Offset> offsets{0};
  for (int w = 0; w < windows; ++w)
    offsets.push_back(offsets.back() + static_cast<Offset>(random.below(w % 9 == 3 ? 500 : 9)));
  return offsets;
}

TYPED_TEST(DeviceScheduleTest, SchedulesAreThoseOfTheHost) {
  using Exec = typename TypeParam::ExecutionSpace;
  Random random(4);
  for (const int windows : {0, 1, 31, 32, 33, 1000}) {
    const auto offsets = uneven_offsets(random, windows);
    const Impl::Array<Offset*, typename Exec::memory_space> on_device(to_device<Exec>(offsets));
    for (const int piece_tiles : {1, 7, 64}) {
      for (const auto cut : {Cuda::PieceCut::Even, Cuda::PieceCut::Full}) {
        SCOPED_TRACE(std::to_string(windows) + " windows, pieces of " + std::to_string(piece_tiles));
        auto made = Impl::schedule_windows(Exec(), on_device, piece_tiles, cut);
        auto expected = Cuda::build_condensed_schedule(offsets.data(), windows, piece_tiles, cut);
        expect_same(to_host(made.items), expected.items);
        expect_same(to_host(made.sums), expected.sums);
        EXPECT_EQ(made.slots, expected.slots);
        Impl::put_longest_first(Exec(), made);
        Cuda::put_longest_first(expected.items);
        expect_same(to_host(made.items), expected.items);
      }
    }
  }
}

}  // namespace
}  // namespace Tessera::Impl::Test
