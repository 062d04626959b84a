// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory runs out, at any allocation of a call: the call throws, gives back what it took, and all is as it was before.
// (Products and new values take none: ContractTest.)
#include "FailingAllocator.hpp"
#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Test {

template <class Exec>
using DoubleCasesOf = ::testing::Types<Case<Exec, int>>;

template <class T>
class AllocationTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  using Matrix = UserMatrix<Exec, double, int>;

  void SetUp() override {
    if (!std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>)
      GTEST_SKIP() << "memory of this backend comes from elsewhere";
  }

  /// Op(A) of 9 columns of numbers, with the plan's own workspace.
  template <class Plan>
  static std::vector<double> product(Plan& plan, Workspace<Exec>& work) {
    const bool turned = is_transposed(work.mode());
    const View x("x", turned ? plan.rows() : plan.columns(), work.columns());
    const View y("y", turned ? plan.columns() : plan.rows(), work.columns());
    for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = 1.0 / double(k + 3);
    spmm(Exec(), plan, work, work.mode(), 1.0, x, 0.0, y);
    Exec().fence();
    return {y.data(), y.data() + y.size()};
  }
};
TYPED_TEST_SUITE(AllocationTest, EverySpace<DoubleCasesOf>::type);

std::vector<PlanOptions> every_way() {
  std::vector<PlanOptions> ways;
  for (const Format format : every_format) {
    PlanOptions options = with_format(format);
    ways.push_back(options);
    options.reordering = Reordering::WindowGrowing;
    options.always_reorder = true;
    if (format == Format::Csr || format == Format::Bcsr) ways.push_back(options);
  }
  ways.push_back({});
  return ways;
}

TYPED_TEST(AllocationTest, MakePlan) {
  const typename TestFixture::Matrix A(unsorted_pattern<int>(30, 25, 4, 1));
  for (const PlanOptions& options : every_way()) {
    A.plan(options);  // Kokkos takes memory of its own the first time
    const long failures = fail_each_allocation(
        Failing::Arrays, [&] { A.plan(options); }, [] {});
    ASSERT_GT(failures, 5) << to_string(options.format);
  }
}

/// Assigned to a plan that is in use: that one goes on.
TYPED_TEST(AllocationTest, MakePlanForAnother) {
  const typename TestFixture::Matrix A(random_pattern<int>(60, 50, 0.1, 1)), B(random_pattern<int>(40, 30, 0.1, 2));
  auto plan = A.plan({});
  auto work = plan.prepare(typename TestFixture::Exec(), 9, Mode::NoTranspose);
  const auto before = TestFixture::product(plan, work);
  const std::string stats = plan.explain();
  B.plan({});
  fail_each_allocation(
      Failing::Arrays, [&] { plan = B.plan({}); },
      [&] {
        EXPECT_EQ(TestFixture::product(plan, work), before);
        EXPECT_EQ(plan.explain(), stats);
      });
  EXPECT_EQ(plan.rows(), 40);
}

/// No memory is taken, not even for the name of a kernel: without a profiler a small product is a call. (Sorted columns
/// run as a kernel.)
TYPED_TEST(AllocationTest, SmallProductsTakeNone) {
  using View = typename TestFixture::View;
  const typename TestFixture::Exec exec;
  const typename TestFixture::Matrix A(random_pattern<int>(60, 50, 0.1, 1));
  for (const Format format : every_format) {
    if (format == Format::SortedColumns) continue;
    auto plan = A.plan(with_format(format));
    for (const int columns : {1, 9}) {
      auto work = plan.prepare(exec, columns, Mode::NoTranspose);
      const View x("x", 50, columns), y("y", 60, columns);
      spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
      const long before = allocations();
      spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
      const long taken = allocations() - before;
      EXPECT_EQ(taken, 0) << to_string(format) << ", " << columns << " columns";
    }
  }
}

TYPED_TEST(AllocationTest, Prepare) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(random_pattern<int>(60, 50, 0.1, 1));
  for (const PlanOptions& options : every_way()) {
    A.plan(options).prepare(Exec(), 9, Mode::Transpose);
    auto plan = A.plan(options);
    auto work = plan.prepare(Exec(), 9, Mode::NoTranspose);
    const auto before = TestFixture::product(plan, work);
    const std::string explained = plan.explain();
    const std::size_t bytes = plan.bytes();
    Workspace<Exec> turned;
    const long failures = fail_each_allocation(
        Failing::Arrays, [&] { turned = plan.prepare(Exec(), 9, Mode::Transpose); },
        [&] {
          EXPECT_EQ(plan.explain(), explained);
          EXPECT_EQ(plan.bytes(), bytes);
          EXPECT_EQ(TestFixture::product(plan, work), before);
        });
    ASSERT_GT(failures, 5) << to_string(options.format);
    EXPECT_GT(plan.bytes(), bytes);
    expect_product<typename TestFixture::View>(A, plan, 9, Mode::Transpose, 1, 0, "prepared in the end");
  }
}

/// A product that runs out of memory (for the name of a kernel) may be repeated.
TYPED_TEST(AllocationTest, Product) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(random_pattern<int>(60, 50, 0.1, 1));
  const typename TestFixture::View x("x", 50, 9), y("y", 60, 9);
  for (const PlanOptions& options : every_way()) {
    auto plan = A.plan(options);
    auto work = plan.prepare(Exec(), 9, Mode::NoTranspose);
    const auto before = TestFixture::product(plan, work);
    fail_each_allocation(
        Failing::All, [&] { spmm(Exec(), plan, work, Mode::NoTranspose, 1.0, x, 0.0, y); },
        [&] { EXPECT_EQ(TestFixture::product(plan, work), before); });
    EXPECT_EQ(TestFixture::product(plan, work), before);
  }
}

TYPED_TEST(AllocationTest, CopiesOfPlansTakeNone) {
  const typename TestFixture::Matrix A(random_pattern<int>(60, 50, 0.1, 1));
  auto plan = A.plan({});
  decltype(plan) other;
  auto work = plan.prepare(typename TestFixture::Exec(), 9, Mode::NoTranspose);
  const long before = allocations();
  const auto copy = plan;
  other = copy;
  const auto same = work;
  const auto moved = std::move(other);
  const long after = allocations();
  EXPECT_EQ(after, before);
  EXPECT_EQ(moved.rows(), 60);
  EXPECT_EQ(same.columns(), 9);
}

}  // namespace Tessera::Test
