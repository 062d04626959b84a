// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tuple>
#include <vector>

#include "AdversarialPatterns.hpp"
#include "SerialBrp.hpp"
#include "TestTypes.hpp"
#include "brp/Brp.hpp"
#include "brp/cuda/Schedule.hpp"
#include "gpu/DeviceSchedule.hpp"

namespace Tessera::Impl::Test {
namespace {

template <class T>
class DeviceBrpScheduleTest : public ::testing::Test {};
TYPED_TEST_SUITE(DeviceBrpScheduleTest, OffsetCases);

/// Returns the patterns for all formats, a giant row, a long column, dense windows among others, and many windows.
std::vector<HostPattern<Offset>> patterns_for_schedules() {
  auto patterns = adversarial_patterns<Offset>();
  auto giant = random_pattern<Offset>(5, 50000, 0.0001, 1);
  for (int j = 0; j < giant.columns; ++j) giant.column_indices.push_back(j);
  giant.end_row();
  auto uneven = random_pattern<Offset>(0, 700, 0, 0);
  for (int i = 0; i < 2000; ++i) {  // windows 33 and 66 are dense, and each eighth one is nearly so
    for (int j = 0; j < uneven.columns; ++j)
      if (i / 16 % 33 == 0 || (i / 16 % 8 == 1 && (i + j) % 3 != 0) || (i * 31 + j * j) % 97 == 0)
        uneven.column_indices.push_back(j);
    uneven.end_row();
  }
  patterns.insert(patterns.end(), {giant, random_pattern<Offset>(3000, 1, 0.5, 2), uneven,
                                   random_pattern<Offset>(20000, 40, 0.1, 3, 7), random_pattern<Offset>(900, 9, 0, 4)});
  return patterns;
}

void expect_same(const std::vector<Cuda::BrpItem>& items, const std::vector<Cuda::BrpItem>& expected) {
  const auto parts = [](const auto& item) {
    return std::tie(item.first_group, item.first_listed, item.groups, item.window, item.slot, item.residual_rows,
                    item.piece, item.pieces);
  };
  ASSERT_EQ(items.size(), expected.size());
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(parts(items[i]), parts(expected[i])) << "item " << i;
}

void expect_same(const std::vector<Cuda::CondensedSum>& sums, const std::vector<Cuda::CondensedSum>& expected) {
  const auto parts = [](const auto& sum) { return std::tie(sum.window, sum.first_slot, sum.slots); };
  ASSERT_EQ(sums.size(), expected.size());
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(parts(sums[i]), parts(expected[i])) << "sum " << i;
}

TYPED_TEST(DeviceBrpScheduleTest, SchedulesAreThoseOfTheHost) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : patterns_for_schedules()) {
    for (const auto& [f, g] : {std::pair{1, 1}, {2, 4}, {4, 2}}) {
      if (!is_chosen_on<Exec>(3)) continue;
      FormatParameters parameters;
      parameters.brp_nonzeros_per_column = f;
      parameters.brp_tiles_per_group = g;
      const DevicePattern<Exec, Offset> rows(A);
      const auto format = build_brp(Exec(), rows.view(), A.nonzeros(), parameters, 16).pattern;
      const auto serial = serial_brp(A, f, g);
      double work = 0;
      for (int w = 0; w < serial.view().windows(); ++w) work += Cuda::brp_window_work(serial.view(), w);
      EXPECT_EQ(Impl::total_tiles(Exec(), Cuda::BrpWindowCuts{format.view()}), work);
      for (const int piece_tiles : {1, 7, 64}) {
        SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + ", f = " + std::to_string(f) +
                     ", pieces of " + std::to_string(piece_tiles));
        const auto made = Impl::schedule_windows(Exec(), Cuda::BrpWindowCuts{format.view(), piece_tiles});
        const auto expected = Cuda::build_brp_schedule(serial.view(), piece_tiles);
        expect_same(to_host(made.items), expected.items);
        expect_same(to_host(made.sums), expected.sums);
        EXPECT_EQ(made.slots, expected.slots);
        EXPECT_EQ(made.bytes(), 32 * expected.items.size() + 12 * expected.sums.size());
      }
    }
  }
}

}  // namespace
}  // namespace Tessera::Impl::Test
