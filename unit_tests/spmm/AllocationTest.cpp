// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each allocation of a call fails once: the call throws, frees what it allocated, and changes nothing. (Products and
// new values allocate nothing: ContractTest.)
#include <tessera/Batch.hpp>
#include <tessera/PlanFile.hpp>

#include "FailingAllocator.hpp"
#include "GrowingPlans.hpp"
#include "PlanCheck.hpp"
#include "TestFiles.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class Exec>
using CasesOf = ::testing::Types<Case<Exec, int>>;

template <class T>
class AllocationTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  using Matrix = UserMatrix<Exec, double, int>;
  static constexpr bool is_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

  void SetUp() override {
#ifdef KOKKOS_ENABLE_THREADS
    if (std::is_same_v<Exec, Kokkos::Threads>) GTEST_SKIP() << "its threads wait forever if one finds no memory";
#endif
    if (!is_host && !device_memory_may_fail()) GTEST_SKIP() << "memory of this backend comes from elsewhere";
  }

  /// Returns op(A) times 9 columns of numbers, with a workspace of the plan.
  template <class Plan>
  static std::vector<double> product(Plan& plan, Workspace<Exec>& work) {
    const bool turned = is_transposed(work.mode());
    const View x("x", turned ? plan.rows() : plan.columns(), work.num_vectors());
    const View y("y", turned ? plan.columns() : plan.rows(), work.num_vectors());
    const auto x_host = Kokkos::create_mirror_view(x);
    for (std::size_t k = 0; k < x.size(); ++k) x_host.data()[k] = 1.0 / double(k + 3);
    Kokkos::deep_copy(x, x_host);
    spmm(Exec(), plan, work, work.mode(), 1.0, x, 0.0, y);
    Exec().fence();
    const auto y_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    return {y_host.data(), y_host.data() + y_host.size()};
  }
};
TYPED_TEST_SUITE(AllocationTest, EverySpace<CasesOf>::type);

PlanOptions in_order(Format format, Reordering reordering) {
  PlanOptions options = with_format(format);
  options.reordering = reordering;
  options.always_reorder = true;
  return options;
}

/// Every format, and every order in the formats that use orders most differently.
std::vector<PlanOptions> every_way() {
  std::vector<PlanOptions> ways{{}};
  for (const Format format : every_format) ways.push_back(with_format(format));
  for (const Reordering reordering : every_reordering) {
    for (const Format format : {Format::Csr, Format::Bcsr}) ways.push_back(in_order(format, reordering));
  }
  ways.push_back(in_order(Format::Auto, Reordering::Search));
  return ways;
}

std::string name_of(const PlanOptions& options) {
  return std::string(to_string(options.format)) + ", " + std::string(to_string(options.reordering));
}

TYPED_TEST(AllocationTest, MakePlan) {
  const typename TestFixture::Matrix A(unsorted_pattern<int>(30, 25, 4, 1));
  for (const PlanOptions& options : every_way()) {
    A.plan(options);  // Kokkos allocates memory of its own the first time
    const long failures = fail_each_allocation(
        Failing::Arrays, [&] { A.plan(options); }, [] {});
    ASSERT_GT(failures, 5) << name_of(options);
  }
}

#ifndef TESSERA_WITHOUT_FLOAT
/// 16-bit vectors with a plan of floats, and with its transpose.
TYPED_TEST(AllocationTest, HalfVectors) {
  using Exec = typename TestFixture::Exec;
  const UserMatrix<Exec, float, int> A(unsorted_pattern<int>(30, 25, 4, 1));
  for (const Format format : every_format) {
    PlanOptions options = with_format(format);
    options.half_vectors = true;
    const auto make = [&] { return A.plan(options).prepare(Exec(), 9, Mode::Transpose); };
    make();
    const long failures = fail_each_allocation(
        Failing::Arrays, [&] { make(); }, [] {});
    ASSERT_GT(failures, 10) << to_string(format);
  }
}
#endif

/// If assigning a new plan fails, the old plan still works.
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

/// Small products on hosts allocate nothing, not even the name of a kernel: without a profiler they launch no kernel.
/// (Sorted columns always launch a kernel.)
TYPED_TEST(AllocationTest, SmallProductsTakeNone) {
  if (!TestFixture::is_host) GTEST_SKIP() << "a device runs every product as a kernel";
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

/// A batch on a host that packs X allocates before it multiplies, also for several slabs of columns.
TYPED_TEST(AllocationTest, BatchesThatPack) {
  using Exec = typename TestFixture::Exec;
  using Memory = typename Exec::memory_space;
  if (!TestFixture::is_host) GTEST_SKIP() << "devices do not pack";
  const auto A = random_pattern<int>(60, 50, 0.1, 1);
  const auto plan = make_batch_plan(Exec(), 60, 50, to_device<Exec>(A.row_offsets), to_device<Exec>(A.column_indices));
  const Kokkos::View<double*, Memory> values("values", A.nonzeros());
  const Kokkos::View<double***, Kokkos::LayoutLeft, Memory> X("X", 3, 50, 40), Y("Y", 3, 60, 40);
  Kokkos::deep_copy(values, 1);
  Kokkos::deep_copy(X, 1);
  Kokkos::deep_copy(Y, 4);
  const long failures = fail_each_allocation(
      Failing::Arrays, [&] { spmm_batch(Exec(), plan, Mode::NoTranspose, 1, values, X, 0.5, Y); },
      [&] {
        for (std::size_t k = 0; k < Y.size(); ++k) ASSERT_EQ(Y.data()[k], 4);
      });
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(Y(2, 7, 39), 2 + A.row_offsets[8] - A.row_offsets[7]);
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
    ASSERT_GT(failures, 5) << name_of(options);
    EXPECT_GT(plan.bytes(), bytes);
    expect_product<typename TestFixture::View>(A, plan, 9, Mode::Transpose, 1, 0, "prepared in the end");
  }
}

/// A product that ran out of memory (for a kernel's name) may be repeated.
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

/// After an update ran out of memory (for a kernel's name), the new values may be passed again.
TYPED_TEST(AllocationTest, UpdateValues) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(unsorted_pattern<int>(60, 50, 5, 1)), B(A.host, 7);
  for (const PlanOptions& options : every_way()) {
    auto plan = A.plan(options), expected = B.plan(options);
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
      auto work = plan.prepare(Exec(), 9, mode);
      auto expected_work = expected.prepare(Exec(), 9, mode);
      const auto right = TestFixture::product(expected, expected_work);
      plan.update_values(Exec(), B.values);
      plan.update_values(Exec(), A.values);
      fail_each_allocation(
          Failing::All,
          [&] {
            plan.update_values(Exec(), B.values);
            Exec().fence();
          },
          [&] {
            plan.update_values(Exec(), B.values);
            EXPECT_EQ(TestFixture::product(plan, work), right);
            plan.update_values(Exec(), A.values);
          });
      EXPECT_EQ(TestFixture::product(plan, work), right) << name_of(options);
    }
  }
}

/// The first follow_values() for a mode allocates memory, for each block of rows.
TYPED_TEST(AllocationTest, FollowValues) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(unsorted_pattern<int>(60, 50, 5, 1)), B(A.host, 7);
  const auto plan_of = [](const auto& matrix, Format format, std::size_t most_entries) {
    return Impl::plan_of(Exec(), matrix.host.rows, matrix.host.columns, 1, matrix.pattern.row_offsets,
                         matrix.pattern.column_indices, matrix.values, with_format(format), most_entries);
  };
  for (const Format format : every_format) {
    for (const std::size_t most_entries : {Impl::most_entries_of_block, A.host.nonzeros() / 2}) {
      auto warm = plan_of(A, format, most_entries);
      warm.follow_values(Exec(), B.values);
      auto expected = plan_of(B, format, most_entries);
      auto expected_work = expected.prepare(Exec(), 9, Mode::NoTranspose);
      const auto right = TestFixture::product(expected, expected_work);
      auto plan = plan_of(A, format, most_entries);
      auto work = plan.prepare(Exec(), 9, Mode::NoTranspose);
      const auto before = TestFixture::product(plan, work);
      fail_each_allocation(
          Failing::Arrays, [&] { plan.follow_values(Exec(), B.values); },
          [&] { EXPECT_EQ(TestFixture::product(plan, work), before) << to_string(format); });
      EXPECT_EQ(TestFixture::product(plan, work), right) << to_string(format);
    }
  }
}

/// A plan is saved completely or not at all, and loading is all or nothing, too.
TYPED_TEST(AllocationTest, SaveAndLoadPlan) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(unsorted_pattern<int>(30, 25, 4, 1));
  const TemporaryFolder folder;
  const std::string path = folder / "plan";
  for (const PlanOptions& options : every_way()) {
    auto plan = A.plan(options);
    plan.settle(Exec());  // save_plan() would do it after the product
    auto work = plan.prepare(Exec(), 9, Mode::Transpose);
    const auto before = TestFixture::product(plan, work);
    folder.add("plan", "old");
    save_plan(Exec(), plan, folder / "warm");
    std::filesystem::remove(folder / "warm");
    long failures = fail_each_allocation(
        Failing::Arrays, [&] { save_plan(Exec(), plan, path); },
        [&] {
          EXPECT_EQ(content_of(path), "old");
          EXPECT_EQ(folder.files(), 1u);
        });
    // No View is allocated: plans on hosts are written from their own arrays, plans on devices through std::vector.
    const long least = only_views_fail ? 0 : 1;
    EXPECT_GE(failures, least);
    const std::string bytes = content_of(path);
    auto loaded = load_plan<double>(Exec(), path);
    failures = fail_each_allocation(
        Failing::Arrays, [&] { loaded = Impl::parse_plan<double>(Exec(), bytes, "a file"); },
        [&] {
          work = loaded.prepare(Exec(), 9, Mode::Transpose);
          EXPECT_EQ(TestFixture::product(loaded, work), before) << "the plan before";
        });
    ASSERT_GT(failures, 5) << name_of(options);
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
  EXPECT_EQ(same.num_vectors(), 9);
}

/// Whichever allocation fails while a plan grows, the plan keeps its rows and its transpose, says so, and multiplies.
TYPED_TEST(AllocationTest, GrowthKeepsTheRows) {
  using Exec = typename TestFixture::Exec;
  const FastTiles tiles;
  const typename TestFixture::Matrix A(dense_blocks(40));
  A.plan({}).settle({});  // Kokkos allocates memory of its own the first time
  long failures = 0;
  for (bool has_failed = true; has_failed; ++failures) {
    auto plan = A.plan({});
    auto work = plan.prepare(Exec(), 9, Mode::Transpose);
    const auto before = TestFixture::product(plan, work);
    const std::size_t bytes = plan.bytes();
    fail_allocation(failures + 1, Failing::Arrays);
    plan.settle({});
    has_failed = allocation_has_failed();
    fail_allocation(0);
    const bool kept = plan.explain().find("growth: compressed rows stay, because") != std::string::npos;
    EXPECT_EQ(kept, has_failed) << failures << plan.explain();
    if (!has_failed) break;
    EXPECT_EQ(plan.bytes(), bytes) << failures;
    EXPECT_EQ(TestFixture::product(plan, work), before) << failures;
  }
  EXPECT_GT(failures, 10);
}

}  // namespace Tessera::Impl::Test
