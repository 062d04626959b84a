// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/PlanFile.hpp>
#include <tessera/Spmm.hpp>
#include <thread>

#include "Instances.hpp"
#include "PlanCheck.hpp"
#include "TestFiles.hpp"
#include "TestTypes.hpp"
#include "ToolEvents.hpp"

/// The short calls that a user begins with: plans from an X, products without a workspace, default instances.
namespace Tessera::Impl::Test {

/// A matrix with the members that make_plan() reads.
template <class T>
struct Rows {
  using Exec = typename T::ExecutionSpace;
  using User = user_scalar_t<typename T::MatrixScalar>;
  using Offset = typename T::Offset;

  struct Graph {
    Kokkos::View<const Offset*, typename Exec::memory_space> row_map;
    Kokkos::View<const int*, typename Exec::memory_space> entries;
  };
  Graph graph;
  Kokkos::View<const User*, typename Exec::memory_space> values;
  int rows, columns;

  explicit Rows(const UserMatrix<Exec, typename T::MatrixScalar, Offset>& A)
      : graph{A.pattern.row_offsets, A.pattern.column_indices},
        values(A.values),
        rows(A.host.rows),
        columns(A.host.columns) {}
  int numRows() const { return rows; }
  int numCols() const { return columns; }
};

template <class T>
class FirstCallsTest : public ::testing::Test {
 protected:
  using Exec = typename T::ExecutionSpace;
  using V = typename T::VectorScalar;
  using User = user_scalar_t<V>;
  using Memory = typename Exec::memory_space;
  using Right = Kokkos::View<User**, Kokkos::LayoutRight, Memory>;
  using Left = Kokkos::View<User**, Kokkos::LayoutLeft, Memory>;
  using Vector = Kokkos::View<User*, Memory>;
  using Matrix = UserMatrix<Exec, typename T::MatrixScalar, typename T::Offset>;

  static Matrix matrix() { return Matrix(random_pattern<typename T::Offset>(37, 23, 0.2, 5)); }
  static Right numbers(int rows, int columns, int seed) {
    const Right X("X", std::size_t(rows), std::size_t(columns));
    const auto host = Kokkos::create_mirror_view(X);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) host(i, j) = User(double((i * 7 + j * 3 + seed) % 11) - 5);
    Kokkos::deep_copy(X, host);
    return X;
  }
  static bool are_equal(const Right& a, const Right& b) {
    const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
    const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
    for (std::size_t i = 0; i < x.extent(0); ++i)
      for (std::size_t j = 0; j < x.extent(1); ++j)
        if (x(i, j) != y(i, j)) return false;
    return true;
  }
  /// Returns the result of the call with all arguments.
  template <class PlanType>
  static Right expected(PlanType& plan, Mode mode, const User& alpha, const Right& X, const User& beta,
                        const Right& Y) {
    const Right result("result", Y.extent(0), Y.extent(1));
    Kokkos::deep_copy(result, Y);
    auto work = plan.prepare(Exec(), int(X.extent(1)), mode);
    spmm(Exec(), plan, work, mode, alpha, X, beta, result);
    Exec().fence();
    return result;
  }
};
TYPED_TEST_SUITE(FirstCallsTest, UserProductCases);

TYPED_TEST(FirstCallsTest, ShortProductsAreThoseOfTheFullCall) {
  using F = FirstCallsTest<TypeParam>;
  const auto A = F::matrix();
  auto plan = A.plan({});
  for (const int columns : {3, 8, 5}) {
    const auto X = F::numbers(23, columns, 1), old = F::numbers(37, columns, 2);
    const typename F::Right Y("Y", 37, std::size_t(columns));
    const auto product = F::expected(plan, Mode::NoTranspose, 1, X, 0, old);
    const auto clear = [&] { Kokkos::deep_copy(Y, typename F::User(77)); };
    clear();
    spmm(plan, X, Y);
    EXPECT_TRUE(F::are_equal(Y, product));
    clear();
    spmm(typename F::Exec(), plan, X, Y);
    EXPECT_TRUE(F::are_equal(Y, product));
    clear();
    auto work = plan.prepare(typename F::Exec(), columns);
    spmm(typename F::Exec(), plan, work, X, Y);
    EXPECT_TRUE(F::are_equal(Y, product));
    for (const Mode mode : every_mode) {
      const bool turned = is_transposed(mode);
      const auto x = turned ? old : X, y = turned ? F::numbers(23, columns, 4) : F::numbers(37, columns, 4);
      const auto sum = F::expected(plan, mode, 2, x, -1, y);
      const typename F::Right again("again", y.extent(0), y.extent(1));
      Kokkos::deep_copy(again, y);
      spmm(typename F::Exec(), plan, mode, 2, x, -1, y);
      EXPECT_TRUE(F::are_equal(y, sum)) << to_string(mode);
      spmm(plan, mode, 2, x, -1, again);
      EXPECT_TRUE(F::are_equal(again, sum)) << to_string(mode);
    }
  }
}

/// The first product of a mode, and a product with more columns, allocate scratch memory.
TYPED_TEST(FirstCallsTest, LaterProductsAllocateNothing) {
  using F = FirstCallsTest<TypeParam>;
  const auto A = F::matrix();
  const auto plan = A.plan(with_format(Format::Bcsr));
  const auto X = F::numbers(23, 8, 1), T = F::numbers(37, 8, 1);
  const typename F::Right Y("Y", 37, 8), Z("Z", 23, 8);
  spmm(plan, X, Y);
  spmm(plan, Mode::Transpose, 1, T, 0, Z);
  const auto before = plan.bytes();
  const ToolEvents events;
  for (int time = 0; time < 3; ++time) {
    spmm(plan, X, Y);
    spmm(plan, Mode::Transpose, 1, T, 0, Z);
    const auto few = std::pair(0, 3);
    spmm(plan, Kokkos::subview(X, Kokkos::ALL, few), Kokkos::subview(Y, Kokkos::ALL, few));
  }
  typename F::Exec().fence();
  EXPECT_EQ(events.allocations("Tessera::Workspace"), 0u) << events.text();
  EXPECT_EQ(plan.bytes(), before);
}

/// Products of several host threads use different scratch memory. The first transposed product builds the transpose.
TYPED_TEST(FirstCallsTest, HostThreadsShareAPlan) {
  using F = FirstCallsTest<TypeParam>;
  const auto A = F::matrix();
  auto reference = A.plan({});
  const auto T = F::numbers(37, 6, 3);
  const auto product = F::expected(reference, Mode::Transpose, 1, T, 0, typename F::Right("", 23, 6));
  const auto plan = A.plan({});
  const auto instances = two_instances<typename F::Exec>();
  if (instances.size() < 2) GTEST_SKIP() << "products of this backend run one after the other";
  std::vector<typename F::Right> results;
  for (int i = 0; i < 2; ++i) results.emplace_back("result", 23, 6);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      for (int time = 0; time < 20; ++time) spmm(instances[i], plan, Mode::Transpose, 1, T, 0, results[i]);
      instances[i].fence();
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_TRUE(F::are_equal(result, product));
}

TYPED_TEST(FirstCallsTest, APlanIsMadeForAnX) {
  using F = FirstCallsTest<TypeParam>;
  const auto A = F::matrix();
  const Rows<TypeParam> rows(A);
  PlanOptions options;
  options.format = Format::Csr;
  const auto says = [](const auto& plan, const std::string& text) {
    EXPECT_NE(plan.stats().find(text), std::string::npos) << plan.stats();
  };
  const auto X = F::numbers(23, 7, 1);
  const typename F::Right Y("Y", 37, 7);
  const auto plan = make_plan(rows, X, options);
  says(plan, "\"num_vectors\": 7");
  EXPECT_EQ(plan.format(), Format::Csr);
  spmm(plan, X, Y);
  auto known = A.plan(options);
  EXPECT_TRUE(F::are_equal(Y, F::expected(known, Mode::NoTranspose, 1, X, 0, typename F::Right("", 37, 7))));
  const typename F::Exec exec;
  says(make_plan(exec, rows, typename F::Vector("x", 23)), "\"num_vectors\": 1");
  says(make_plan(exec, rows, typename F::Left("X", 37, 5)), "\"num_vectors\": 5");  // for transposed products
  says(make_plan(exec, 37, 23, rows.graph.row_map, rows.graph.entries, rows.values, X), "\"num_vectors\": 7");
  says(make_plan(exec, rows), "\"num_vectors\": 32");
  says(make_plan(rows), "\"num_vectors\": 32");
  EXPECT_MESSAGE(std::invalid_argument, make_plan(rows, typename F::Left("X", 22, 5)),
                 "Tessera::make_plan: X has 22 rows and A is 37 x 23; expected X with a row for each column of A");
}

/// The layout of X is a hint for the choice.
TEST(VectorShape, BecomesHints) {
  using Space = Kokkos::HostSpace;
  const auto options = [](const auto& X) {
    return Impl::options_for(Impl::shape_of(X), 10, 10, PlanOptions{.hints = {.num_vectors = 99, .layout_left = true}});
  };
  EXPECT_FALSE(options(Kokkos::View<double**, Kokkos::LayoutRight, Space>("X", 10, 4)).hints.layout_left);
  EXPECT_TRUE(options(Kokkos::View<double**, Kokkos::LayoutLeft, Space>("X", 10, 4)).hints.layout_left);
  EXPECT_FALSE(options(Kokkos::View<double**, Kokkos::LayoutLeft, Space>("X", 10, 1)).hints.layout_left);
  EXPECT_FALSE(options(Kokkos::View<double*, Space>("X", 10)).hints.layout_left);
  const Kokkos::View<double**, Kokkos::LayoutStride, Space> strided("X", Kokkos::LayoutStride(10, 4, 4, 1));
  EXPECT_FALSE(options(strided).hints.layout_left);
  EXPECT_EQ(options(strided).hints.num_vectors, 4);
  EXPECT_FALSE(options(strided).half_vectors);
  EXPECT_TRUE(options(Kokkos::View<Half**, Space>("X", 10, 4)).half_vectors);
  EXPECT_MESSAGE(std::invalid_argument, options(Kokkos::View<double*, Space>("X", 11)), "X has 11 rows");
}

/// load_plan() needs only a file and the scalar types. The default instance is that of the default space.
TEST(LoadPlan, OnTheDefaultInstance) {
  using Exec = Kokkos::DefaultExecutionSpace;
  if constexpr (is_compiled_v<double>) {
    const TemporaryFolder folder;
    const UserMatrix<Exec, double, int> A(random_pattern<int>(20, 30, 0.2, 1));
    save_plan(Exec(), A.plan(with_format(Format::BitTcf)), folder / "plan");
    const Plan<double> plan = load_plan<double>(folder / "plan");
    EXPECT_EQ(plan.format(), Format::BitTcf);
    EXPECT_EQ(plan.columns(), 30);
  }
}

}  // namespace Tessera::Impl::Test
