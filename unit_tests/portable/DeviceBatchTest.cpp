// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BatchCheck.hpp"
#include "BatchSpmm.hpp"
#include "TestTypes.hpp"

/// The kernels that multiply batches on devices, on every execution space (as in DeviceRowsTest.cpp).
namespace Tessera::Impl::Test {

template <class T>
class DeviceBatchTest : public ::testing::Test {};
template <class Exec>
using ScalarCasesOf = ::testing::Types<Case<Exec, float, float, int>, Case<Exec, double, double, int>,
                                       Case<Exec, Complex<float>, Complex<float>, int>,
                                       Case<Exec, Complex<double>, Complex<double>, int>>;
TYPED_TEST_SUITE(DeviceBatchTest, EverySpace<ScalarCasesOf>::type);

template <class Exec, class Scalar>
void multiply(BatchCheck<Exec, Scalar>& check, const DevicePattern<Exec, int>& A, const int* slots, Mode mode,
              const RowSchedule& schedule) {
  BatchProduct<Scalar> batch;
  batch.first = {check.values().data, is_conjugated(mode), check.alpha(),
                 check.x().first,     check.beta(),        check.y().first};
  batch.value_stride = check.values().stride;
  batch.x_stride = check.x().stride;
  batch.y_stride = check.y().stride;
  batch.count = check.y().count;
  const BatchRows rows{{A.view()}, slots};
  DeviceBatch<Exec, Scalar>(rows, schedule, batch).run(Exec());
  Exec().fence();
}

TYPED_TEST(DeviceBatchTest, EveryLayoutAndNumberOfLanes) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Check = BatchCheck<Exec, typename TypeParam::VectorScalar>;
  for (const auto& pattern : {random_pattern<int>(37, 53, 0.2, 5, 6), random_pattern<int>(3, 700, 0.6, 6)}) {
    const DevicePattern<Exec, int> A(pattern);
    for (const int lanes : {1, 4, 32}) {
      for (const int columns : {1, 2, 8, 19}) {
        for (const Layout layout : every_layout) {
          if (!is_chosen_on<Exec>(7)) continue;
          typename Check::Shape shape;
          shape.products = 5;
          shape.columns = columns;
          shape.x = layout;
          shape.y = layout == Layout::Left ? Layout::Right : layout;
          shape.mode = Mode::Conjugate;
          shape.alpha = 2;
          shape.beta = lanes == 4 ? -1 : 0;
          RowSchedule schedule;
          schedule.parts = schedule.column_lanes = lanes;
          Check check(pattern, shape, 7);
          multiply(check, A, nullptr, shape.mode, schedule);
          check.expect_right(std::to_string(lanes) + " lanes, " + std::to_string(columns) + " columns, layout " +
                             std::to_string(int(layout)));
        }
      }
    }
  }
}

TYPED_TEST(DeviceBatchTest, ValuesInAnotherOrder) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::VectorScalar;
  const auto pattern = random_pattern<int>(37, 53, 0.2, 5, 6);
  const DevicePattern<Exec, int> A(pattern);
  const int entries = static_cast<int>(pattern.nonzeros());
  std::vector<int> reversed;
  for (int k = 0; k < entries; ++k) reversed.push_back(entries - 1 - k);
  const auto slots = to_device<Exec>(reversed);
  for (const int columns : {1, 8}) {
    typename BatchCheck<Exec, Scalar>::Shape shape;
    shape.products = 3;
    shape.columns = columns;
    BatchCheck<Exec, Scalar> check(pattern, shape, 7);
    auto values = to_host(check.device_values);
    for (int b = 0; b < shape.products; ++b) {
      const auto first = values.begin() + b * check.values().stride;
      std::reverse(first, first + entries);
    }
    Kokkos::deep_copy(check.device_values, to_device<Exec>(values));
    multiply(check, A, slots.data(), shape.mode, {});
    check.expect_right(std::to_string(columns) + " columns");
  }
}

/// The schedule depends on the pattern alone, and cuts no row.
TEST(BatchSchedule, GivesLongRowsMoreLanes) {
  EXPECT_EQ(schedule_of_batch(1000, 3000, 3).column_lanes, 1);
  EXPECT_EQ(schedule_of_batch(1000, 27000, 27).column_lanes, 4);
  EXPECT_EQ(schedule_of_batch(1000, 3000, 1000).column_lanes, 32);
  EXPECT_EQ(schedule_of_batch(1000, 27000, 27).parts, 1);
  EXPECT_EQ(schedule_of_batch(100, 30000, 300).parts, 8);
  EXPECT_EQ(schedule_of_batch(100, 30000, 300).pieces, 0);
}

}  // namespace Tessera::Impl::Test
