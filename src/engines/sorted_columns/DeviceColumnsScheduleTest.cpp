// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceColumnsSchedule.hpp"
#include "SortedColumnsPatterns.hpp"
#include "TestTypes.hpp"
#include "sorted_columns/SerialSortedColumns.hpp"
#include "sorted_columns/cuda/SerialSchedule.hpp"

namespace Tessera::Impl::Test {
namespace {

using Cuda::SegmentRule;

template <class T>
class DeviceColumnsScheduleTest : public ::testing::Test {};
TYPED_TEST_SUITE(DeviceColumnsScheduleTest, OffsetCases);

template <class Memory>
void expect_same(const DeviceColumnsSchedule<Memory>& made, const HostColumnsSchedule& expected) {
  EXPECT_EQ(to_host(made.step_positions), expected.step_positions);
  EXPECT_EQ(to_host(made.places), expected.places);
  EXPECT_EQ(to_host(made.group_segments), expected.group_segments);
  EXPECT_EQ(to_host(made.segment_ends), expected.segment_ends);
  EXPECT_EQ(to_host(made.row_offsets), expected.row_offsets);
  EXPECT_EQ(to_host(made.row_slots), expected.row_slots);
  EXPECT_EQ(to_host(made.long_rows), expected.long_rows);
  const auto view = made.view(), serial = expected.view();
  EXPECT_EQ(view.group_steps, serial.group_steps);
  EXPECT_EQ(view.groups, serial.groups);
  EXPECT_EQ(view.segments, serial.segments);
  EXPECT_EQ(view.slot_count, serial.slot_count);
  EXPECT_EQ(view.long_row_count, serial.long_row_count);
  EXPECT_EQ(view.places == nullptr, serial.places == nullptr);
}

TYPED_TEST(DeviceColumnsScheduleTest, ListsAreThoseOfTheSerialBuild) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : patterns_for_sorted_columns()) {
    for (const auto& [width, height, steps] : {std::tuple{1, 1, 1},
                                               {1, 40, 64},
                                               {2, 1, 8},
                                               {3, 2, 5},
                                               {4, 1000, 3},
                                               {32, 32, 8},
                                               {32, 32, 64},
                                               {1024, 3, 2}}) {
      if (!is_chosen_on<Exec>(7)) continue;
      for (const auto rule : {SegmentRule::Rows, SegmentRule::Elements}) {
        SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + ", blocks of " +
                     std::to_string(width) + " x " + std::to_string(height) + ", groups of " + std::to_string(steps) +
                     " steps, rule " + std::to_string(static_cast<int>(rule)));
        const auto format = sorted_columns_of<Exec>(A, width, height).pattern;
        const auto serial = serial_sorted_columns(A, width, height);
        expect_same(schedule_columns(Exec(), format, steps, rule), serial_columns_schedule(serial.view(), steps, rule));
      }
    }
  }
}

/// Rows with more slots than the limit for a team of lanes, and a row at the limit.
TYPED_TEST(DeviceColumnsScheduleTest, RowsWithManySlotsAreLong) {
  using Exec = typename TypeParam::ExecutionSpace;
  constexpr int few = Cuda::sorted_columns_long_row_slots;
  HostPattern<Offset> A;
  A.columns = 3 * few;
  for (const int length : {few, few + 1, 0, 1, 3 * few}) {
    for (int j = 0; j < length; ++j) A.column_indices.push_back(j);
    A.end_row();
  }
  const auto format = sorted_columns_of<Exec>(A, 1, 1).pattern;
  const auto schedule = schedule_columns(Exec(), format, 1, SegmentRule::Rows);
  EXPECT_EQ(to_host(schedule.long_rows), (std::vector<int>{1, 4}));
  EXPECT_EQ(schedule.view().long_row_count, 2);
}

TYPED_TEST(DeviceColumnsScheduleTest, BytesAreThoseOfTheLists) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto format = sorted_columns_of<Exec>(random_pattern<Offset>(60, 50, 0.2, 8), 4, 3).pattern;
  const auto schedule = schedule_columns(Exec(), format, 5, SegmentRule::Rows);
  const std::size_t regular = format.tiled_nonzeros(), groups = (regular + 19) / 20;
  const auto slots = static_cast<std::size_t>(schedule.view().slot_count);
  const auto segments = static_cast<std::size_t>(schedule.view().segments);
  EXPECT_EQ(schedule.bytes(), 4 * (groups + 1 + 61 + regular / 4 + slots) + 2 * (regular + segments));
}

}  // namespace
}  // namespace Tessera::Impl::Test
