// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans that begin with compressed rows and build the format of their choice when it has paid: which product has which
// bits, what ends growth early, and what changes of values, transposes, files, threads and a lack of memory do to it.
#include <limits>
#include <string>
#include <tessera/PlanFile.hpp>
#include <tessera/SpmmWithSums.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/select/SetupSeconds.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>
#include <thread>
#include <vector>

#include "GrowingPlans.hpp"
#include "Instances.hpp"
#include "PlanCheck.hpp"
#include "TestFiles.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class GrowthTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Matrix = UserMatrix<Exec, double, int>;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;
  using Plan = Tessera::Plan<double, Exec>;
  static constexpr int block_rows = is_host_space<Exec> ? 40 : 3000;
  static constexpr int columns = 32;

  /// Returns op(A) X in a workspace of the plan.
  static std::vector<double> product(const Plan& plan, Mode mode = Mode::NoTranspose) {
    const View x("x", plan.rows(), columns), y("y", plan.rows(), columns);
    const auto x_host = Kokkos::create_mirror_view(x);
    for (std::size_t k = 0; k < x.size(); ++k) x_host.data()[k] = 1.0 / double(k % 1000 + 3);
    Kokkos::deep_copy(x, x_host);
    spmm(plan, mode, 1.0, x, 0.0, y);
    const auto y_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    return {y_host.data(), y_host.data() + y_host.size()};
  }

  /// Returns the product before which the next step is due; 0 if none is.
  static std::uint64_t due(const Plan& plan) {
    const std::string stats = plan.stats(), key = "\"due\":";
    const auto at = stats.find(key);
    if (at == std::string::npos) return 0;
    return std::strtoull(stats.c_str() + at + key.size(), nullptr, 10);
  }

  static PlanOptions for_columns(int columns) {
    PlanOptions options;
    options.hints.num_vectors = columns;
    return options;
  }

  static Plan at_once(const Matrix& A, int expected_products = 1000000000) {
    PlanOptions options;
    options.hints.expected_products = expected_products;
    return A.plan(options);
  }

 private:
  FastTiles tiles_;
};
TYPED_TEST_SUITE(GrowthTest, EverySpace<OffsetCasesOf>::type);

/// Products before the due one have the bits of compressed rows, the others those of a plan that was built at once.
TYPED_TEST(GrowthTest, TheDueProductChangesTheFormat) {
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  PlanOptions named;
  named.format = Format::Csr;
  named.reordering = Reordering::None;
  const auto rows = A.plan(named);
  const auto chosen = this->at_once(A);
  ASSERT_NE(chosen.format(), Format::Csr) << chosen.explain();
  const auto of_rows = this->product(rows), of_chosen = this->product(chosen);
  std::vector<std::uint64_t> steps[2];  // the due products of two runs
  for (auto& run : steps) {
    const auto plan = A.plan(this->for_columns(this->columns));
    EXPECT_NE(plan.explain().find("growth: compressed rows; the matrix is analysed before product"), std::string::npos)
        << plan.explain();
    for (std::uint64_t number = 1; this->due(plan) > 0; ++number) {
      const std::uint64_t next = this->due(plan);
      ASSERT_GE(next, number);
      if (run.empty() || run.back() != next) run.push_back(next);
      EXPECT_EQ(plan.format(), Format::Csr);
      const auto result = this->product(plan);
      ASSERT_EQ(result, plan.format() == Format::Csr ? of_rows : of_chosen) << number;
    }
    ASSERT_GE(run.size(), is_host_space<typename TestFixture::Exec> ? 2u : 1u) << plan.explain();
    EXPECT_GT(run.front(), 1);
    EXPECT_EQ(plan.format(), chosen.format());
    const std::string said = "growth: compressed rows were replaced before product " + std::to_string(run.back());
    EXPECT_NE(plan.explain().find(said), std::string::npos) << plan.explain();
    EXPECT_EQ(this->product(plan), of_chosen);
  }
  EXPECT_EQ(steps[0], steps[1]);
}

/// If the options do not say how many columns X has, the first product that has any does.
TYPED_TEST(GrowthTest, TheFirstProductTellsTheColumns) {
  using View = typename TestFixture::View;
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  for (const int columns : {4, 32}) {
    const auto plan = A.plan({}), known = A.plan(this->for_columns(columns));
    const View x("x", plan.rows(), columns), y("y", plan.rows(), columns);
    EXPECT_EQ(this->due(plan), 1u);
    spmm(plan, View("x", plan.rows(), 0), View("y", plan.rows(), 0));
    EXPECT_EQ(this->due(plan), 1u) << "a product without columns tells nothing";
    EXPECT_NE(this->due(known), 1u);
    spmm(plan, x, y);
    spmm(known, x, y);
    EXPECT_EQ(this->due(plan), this->due(known)) << plan.explain();
    const std::string said = "; columns of X: " + std::to_string(columns) + "\n";
    EXPECT_NE(plan.explain().find(said), std::string::npos) << plan.explain();
    while (this->due(plan) > 0) spmm(plan, x, y);
    while (this->due(known) > 0) spmm(known, x, y);
    EXPECT_EQ(plan.format(), known.format());
    const std::string made_for = std::to_string(columns) + " columns of X, on";
    if (plan.format() == Format::Csr) continue;
    EXPECT_NE(plan.explain().find(made_for), std::string::npos) << plan.explain();
  }
}

TYPED_TEST(GrowthTest, ExpectedProductsDecideForGood) {
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  const auto once = this->at_once(A, 1);
  EXPECT_EQ(once.format(), Format::Csr);
  EXPECT_EQ(this->due(once), 0) << once.explain();
  EXPECT_NE(once.explain().find("1 expected products do not repay"), std::string::npos) << once.explain();
  EXPECT_NE(this->at_once(A).format(), Format::Csr);
}

TYPED_TEST(GrowthTest, SettleBuildsNow) {
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  const auto chosen = this->at_once(A);
  auto plan = A.plan({});
  plan.settle({});
  EXPECT_EQ(plan.format(), chosen.format());
  EXPECT_EQ(this->product(plan), this->product(chosen));
  const std::string explained = plan.explain();
  plan.settle({});
  EXPECT_EQ(plan.explain(), explained);
}

/// Transposes grow with the plan, whether they are built before or after it.
TYPED_TEST(GrowthTest, TransposesGrowToo) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  const auto chosen = this->at_once(A);
  const auto expected = this->product(chosen, Mode::Transpose);
  for (const bool is_before : {true, false}) {
    auto plan = A.plan({});
    if (is_before) {
      plan.prepare(Exec(), this->columns, Mode::Transpose);
      expect_product<typename TestFixture::View>(A, plan, this->columns, Mode::Transpose, 2, 0.5, "rows", false);
    }
    plan.settle({});
    EXPECT_EQ(this->product(plan, Mode::Transpose), expected) << is_before;
  }
}

/// A workspace of the rows serves the format, and products with sums count as products.
TYPED_TEST(GrowthTest, WorkspacesAndSumsGo) {
  using View = typename TestFixture::View;
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  auto plan = A.plan({});
  const typename TestFixture::Exec exec;
  auto work = plan.prepare(exec, this->columns, Mode::NoTranspose);
  const View x("x", plan.rows(), this->columns), y("y", plan.rows(), this->columns), z("z", plan.rows(), this->columns);
  Kokkos::deep_copy(x, 0.75);
  std::vector<double> norms(this->columns);
  const Kokkos::View<double*, Kokkos::HostSpace> squared(norms.data(), norms.size());
  while (this->due(plan) > 0) residual(exec, plan, work, Mode::NoTranspose, x, y, z, squared);
  EXPECT_NE(plan.format(), Format::Csr) << plan.explain();
  const auto fresh = this->at_once(A);
  auto fresh_plan = fresh;
  auto fresh_work = fresh_plan.prepare(exec, this->columns, Mode::NoTranspose);
  spmm(exec, plan, work, x, y);
  spmm(exec, fresh, fresh_work, x, z);
  const auto ours = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const auto theirs = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), z);
  for (std::size_t k = 0; k < ours.size(); ++k) ASSERT_EQ(ours.data()[k], theirs.data()[k]);
}

/// Matrices of any type and shape, whose values the plan follows in the caller's array.
TYPED_TEST(GrowthTest, AnyTypeAndShapeGrows) {
  using Exec = typename TestFixture::Exec;
  const auto check = [&]<class Scalar>(Scalar, int fewer_rows) {
    if constexpr (is_compiled_v<Scalar>) {
      using View = Kokkos::View<Scalar**, Kokkos::LayoutRight, typename Exec::memory_space>;
      auto pattern = dense_blocks(this->block_rows);
      pattern.rows -= fewer_rows;
      pattern.row_offsets.resize(static_cast<std::size_t>(pattern.rows) + 1);
      pattern.column_indices.resize(static_cast<std::size_t>(pattern.row_offsets.back()));
      const UserMatrix<Exec, Scalar, int> A(pattern), changed(pattern, 9);
      auto plan = A.plan({});
      const auto expect_products = [&](const auto& matrix) {
        for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
          plan.prepare(Exec(), this->columns, mode);
          plan.follow_values(Exec(), A.values, mode);
          expect_product<View>(matrix, plan, this->columns, mode, 2, 0.5, "growing", false);
        }
      };
      expect_products(A);
      EXPECT_EQ(plan.format(), Format::Csr);
      plan.settle({});
      EXPECT_NE(plan.format(), Format::Csr) << plan.explain();
      Kokkos::deep_copy(A.values, changed.values);
      expect_products(changed);
    }
  };
  check(double(), 80);
  check(float(), 0);
  check(float(), 80);
}

/// Two instances multiply by turns while a plan grows, each with its own workspace.
TYPED_TEST(GrowthTest, TwoInstancesShareAPlan) {
  using Exec = typename TestFixture::Exec;
  using View = typename TestFixture::View;
  const auto instances = two_instances<Exec>();
  if (instances.empty()) GTEST_SKIP() << "there is one instance";
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  auto plan = A.plan({});
  const View x("x", plan.rows(), this->columns);
  Kokkos::deep_copy(x, 0.75);
  const View expected("expected", plan.rows(), this->columns);
  spmm(A.plan(with_format(Format::Csr)), x, expected);
  Kokkos::fence();
  std::vector<Workspace<Exec>> work;
  std::vector<View> results;
  for (const Exec& exec : instances) {
    work.push_back(plan.prepare(exec, this->columns));
    plan.prepare(exec, this->columns, Mode::Transpose);
    results.emplace_back("y", plan.rows(), this->columns);
  }
  const auto reference = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (bool is_last = false; !is_last;) {
    is_last = this->due(plan) == 0;
    for (std::size_t i = 0; i < instances.size(); ++i) spmm(instances[i], plan, work[i], x, results[i]);
    for (std::size_t i = 0; i < instances.size(); ++i) {
      instances[i].fence();
      const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), results[i]);
      for (std::size_t k = 0; k < y.size(); ++k) ASSERT_NEAR(y.data()[k], reference.data()[k], 1e-12) << k;
      Kokkos::deep_copy(instances[i], results[i], std::numeric_limits<double>::quiet_NaN());
    }
  }
  EXPECT_NE(plan.format(), Format::Csr) << plan.explain();
}

/// Values that change before and after the switch, are followed in place, or cannot change any more.
TYPED_TEST(GrowthTest, ValuesGoAlong) {
  using Exec = typename TestFixture::Exec;
  using Matrix = typename TestFixture::Matrix;
  using View = typename TestFixture::View;
  const Matrix A(dense_blocks(this->block_rows)), B(A.host, 7);
  const auto expect = [&](const Matrix& of, auto& plan, const std::string& what) {
    expect_product<View>(of, plan, this->columns, Mode::NoTranspose, 1, 0, what, false);
  };
  auto updated = A.plan({});
  updated.update_values(Exec(), B.values);
  updated.settle({});
  expect(B, updated, "updated before");
  updated.update_values(Exec(), A.values);
  expect(A, updated, "updated after");
  auto followed = A.plan({});
  const Matrix mine(A.host, 3);
  followed.follow_values(Exec(), mine.values);
  followed.settle({});
  expect(mine, followed, "followed");
  Kokkos::deep_copy(mine.values, B.values);
  followed.follow_values(Exec(), mine.values);
  expect(B, followed, "edited");
  auto released = A.plan({});
  released.release_source({});
  released.settle({});
  EXPECT_EQ(released.slot_map_bytes(), 0);
  expect(A, released, "released");
}

/// A and its transpose may follow different values, also if the plan releases its source before it grows.
TYPED_TEST(GrowthTest, ValuesOfOneModeGoAlong) {
  using Exec = typename TestFixture::Exec;
  using Matrix = typename TestFixture::Matrix;
  using View = typename TestFixture::View;
  const Matrix A(dense_blocks(this->block_rows)), B(A.host, 7), C(A.host, 3);
  for (const Mode followed : {Mode::NoTranspose, Mode::Transpose}) {
    for (const bool is_released : {false, true}) {
      auto plan = A.plan({});
      plan.prepare(Exec(), this->columns, Mode::Transpose);
      plan.update_values(Exec(), B.values);
      plan.follow_values(Exec(), C.values, followed);
      if (is_released) plan.release_source({});
      const std::string what = std::string(to_string(followed)) + (is_released ? ", released" : "");
      plan.settle({});
      EXPECT_NE(plan.format(), Format::Csr) << plan.explain();
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
        expect_product<View>(mode == followed ? C : B, plan, this->columns, mode, 1, 0, what, false);
    }
  }
}

/// Rows that are unsorted or hold duplicates keep their map of values.
TYPED_TEST(GrowthTest, UnsortedRowsGrow) {
  using Exec = typename TestFixture::Exec;
  auto shuffled = dense_blocks(this->block_rows);
  for (int i = 0; i < shuffled.rows; ++i)
    std::swap(shuffled.column_indices[48 * i], shuffled.column_indices[48 * i + 17]);
  shuffled.column_indices[5] = shuffled.column_indices[6];
  const typename TestFixture::Matrix A(shuffled), B(shuffled, 9);
  auto plan = A.plan({});
  plan.settle({});
  ASSERT_NE(plan.format(), Format::Csr) << plan.explain();
  expect_product<typename TestFixture::View>(A, plan, 4, Mode::NoTranspose, 1, 0, "grown", false);
  plan.update_values(Exec(), B.values);
  expect_product<typename TestFixture::View>(B, plan, 4, Mode::NoTranspose, 1, 0, "updated", false);
}

/// If rows and format do not fit together, the plan keeps its rows, says so, and multiplies.
TYPED_TEST(GrowthTest, ALimitKeepsTheRows) {
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  PlanOptions options;
  options.memory_limit = least_memory_limit(A, with_format(Format::Csr));
  auto plan = A.plan(options);
  ASSERT_EQ(plan.format(), Format::Csr);
  const auto before = this->product(plan);
  plan.settle({});
  EXPECT_EQ(plan.format(), Format::Csr);
  EXPECT_NE(plan.explain().find("growth: compressed rows stay"), std::string::npos) << plan.explain();
  EXPECT_EQ(this->product(plan), before);
  EXPECT_EQ(this->due(plan), 0);
}

/// A file has what the plan chooses, and its plan no longer grows.
TYPED_TEST(GrowthTest, FilesHaveTheChosenFormat) {
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  const auto plan = A.plan({});
  const TemporaryFolder folder;
  const std::string file = folder / "growth.plan";
  const typename TestFixture::Exec exec;
  save_plan(exec, plan, file);
  EXPECT_NE(plan.format(), Format::Csr);
  const auto loaded = load_plan<double>(exec, file);
  EXPECT_EQ(loaded.format(), plan.format());
  EXPECT_EQ(this->product(loaded), this->product(plan));
  EXPECT_EQ(this->due(loaded), 0);
}

/// Two host threads multiply with one plan while it grows, and look at it.
TYPED_TEST(GrowthTest, TwoThreadsShareAPlan) {
#ifdef KOKKOS_ENABLE_THREADS
  if (std::is_same_v<typename TestFixture::Exec, Kokkos::Threads>) GTEST_SKIP() << "it has one host thread";
#endif
  const typename TestFixture::Matrix A(dense_blocks(this->block_rows));
  const auto plan = A.plan({});
  const auto rows = this->product(A.plan(with_format(Format::Csr))), chosen = this->product(this->at_once(A));
  std::vector<int> wrong(2);
  const auto multiply = [&](int& count) {
    for (bool is_last = false; !is_last;) {
      is_last = this->due(plan) == 0;
      const auto result = this->product(plan);
      if (result != rows && result != chosen) ++count;
      if (plan.explain().empty() || plan.bytes() == 0) ++count;
    }
  };
  std::thread other([&] { multiply(wrong[0]); });
  multiply(wrong[1]);
  other.join();
  EXPECT_EQ(wrong, std::vector<int>(2));
  EXPECT_EQ(plan.format(), this->at_once(A).format());
}

/// What can never pay is never analysed.
TEST(Growth, HostsKeepRows) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  const UserMatrix<Exec, double, int> A(dense_blocks(40));
  PlanOptions options;
  options.hints.num_vectors = 32;
  const auto plan = A.plan(options);
  EXPECT_EQ(plan.format(), Format::Csr);
  EXPECT_NE(plan.explain().find("growth: compressed rows stay: no format is predicted"), std::string::npos)
      << plan.explain();
}

TEST(Growth, TheProductThatPays) {
  EXPECT_EQ(product_that_pays(10, 1), 11);
  EXPECT_EQ(product_that_pays(10, 4), 4);
  EXPECT_EQ(product_that_pays(0, 1), 1);
  EXPECT_EQ(product_that_pays(1, 0), no_product);
  EXPECT_EQ(product_that_pays(1, -1), no_product);
  EXPECT_EQ(product_that_pays(1e30, 1e-9), no_product);
}

}  // namespace Tessera::Impl::Test
