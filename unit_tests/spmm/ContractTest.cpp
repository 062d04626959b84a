// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guarantees that solvers rely on, for each format: side effects of products and updates, and calls that are rejected.
// docs/maintainers/contract.md lists these tests and related ones in other files.
#include <algorithm>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "Instances.hpp"
#include "PlanCheck.hpp"
#include "TestTypes.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

template <class Exec>
using DoubleCasesOf = ::testing::Types<Case<Exec, int>>;

template <class T>
class ContractTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Memory = typename Exec::memory_space;
  using Matrix = UserMatrix<Exec, double, int>;
  using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Memory>;
  using Right = Kokkos::View<double**, Kokkos::LayoutRight, Memory>;
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Memory>;

  template <class View>
  static View random_vectors(int rows, int columns, std::uint64_t seed) {
    const View view("vectors", rows, columns);
    const auto host = Kokkos::create_mirror_view(view);
    Random random(seed);
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < rows; ++i) host(i, j) = random.real();
    Kokkos::deep_copy(view, host);
    return view;
  }
};
TYPED_TEST_SUITE(ContractTest, EverySpace<DoubleCasesOf>::type);

/// \param allowed [in] another prefix that names may have
void expect_kernels_of_tessera(const ToolEvents& events, const std::string& what,
                               const std::string& allowed = "Tessera::") {
  EXPECT_FALSE(events.kernels().empty()) << what;
  for (const std::string& name : events.kernels())
    EXPECT_TRUE(name.starts_with("Tessera::") || name.starts_with(allowed)) << what << ": " << name;
}

void expect_launches_alone(const ToolEvents& events, const std::string& what) {
  EXPECT_EQ(events.waits_and_memory(), 0u) << what << '\n' << events.text();
  expect_kernels_of_tessera(events, what);
}

/// Products allocate, free, copy and wait for nothing, and their kernels have names.
TYPED_TEST(ContractTest, ProductsOnlyLaunchKernels) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(random_pattern<int>(70, 50, 0.2, 1));
  const Exec exec;
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    for (const Mode mode : every_mode) {
      for (const int columns : {1, 3, 64, 70}) {
        auto work = plan.prepare(exec, columns, mode);
        const auto expect_no_more = [&]<class View>(const View&, const char* layout) {
          const View x("x", is_transposed(mode) ? 70 : 50, columns), y("y", is_transposed(mode) ? 50 : 70, columns);
          exec.fence();
          const ToolEvents events;
          spmm(exec, plan, work, mode, 1.0, x, 0.0, y);
          spmm(exec, plan, work, mode, -2.0, x, 0.5, y);
          spmm(exec, plan, work, mode, 0.0, x, 2.0, y);
          const std::string what = std::string(to_string(format)) + ", mode " + std::string(to_string(mode)) + ", " +
                                   std::to_string(columns) + " columns, " + layout;
          expect_launches_alone(events, what);
          EXPECT_EQ(events.regions(), std::vector<std::string>(3, "Tessera::spmm")) << what;
          EXPECT_EQ(events.open_regions(), 0) << what;
        };
        expect_no_more(typename TestFixture::Left(), "left");
        expect_no_more(typename TestFixture::Right(), "right");
      }
    }
  }
}

/// Updates of values also only launch kernels: with and without a transpose, for sorted and unsorted rows.
TYPED_TEST(ContractTest, UpdatesOnlyLaunchKernels) {
  using Exec = typename TestFixture::Exec;
  const Exec exec;
  for (const auto& pattern : {random_pattern<int>(70, 50, 0.2, 1), unsorted_pattern<int>(70, 50, 9, 2)}) {
    const typename TestFixture::Matrix A(pattern);
    for (const Format format : every_format) {
      auto plan = A.plan(with_format(format));
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
        plan.prepare(exec, 4, mode);
        exec.fence();
        const ToolEvents events;
        plan.update_values(exec, A.values);
        const std::string what = std::string(to_string(format)) + ", prepared for " + std::string(to_string(mode));
        expect_launches_alone(events, what);
        EXPECT_EQ(events.analyses(), 0u) << what;
        EXPECT_EQ(events.regions(), std::vector<std::string>{"Tessera::update_values"}) << what;
      }
    }
  }
}

std::size_t count_of(const std::vector<std::string>& names, const char* name) {
  return static_cast<std::size_t>(std::count(names.begin(), names.end(), name));
}

/// Making a plan is divided into regions for profilers. A kernel of Kokkos that fills a View has the View's name.
TYPED_TEST(ContractTest, MakingAPlanIsRegions) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(unsorted_pattern<int>(200, 200, 9, 2));
  const Exec exec;
  for (const Format format : every_format) {
    const std::string what(to_string(format));
    PlanOptions options = with_format(format);
    options.reordering = Reordering::WindowGrowing;
    const bool reorders = format != Format::SortedColumns;
    ToolEvents events;
    auto plan = A.plan(options);
    expect_kernels_of_tessera(events, what, "Kokkos::View");
    EXPECT_EQ(events.regions().front(), "Tessera::make_plan") << what;
    EXPECT_EQ(count_of(events.regions(), "Tessera::make_plan"), 1u) << what;
    EXPECT_GE(count_of(events.regions(), "Tessera::analysis"), 1u) << what;
    EXPECT_EQ(count_of(events.regions(), "Tessera::reordering"), reorders ? 1u : 0u) << what;
    EXPECT_GE(count_of(events.regions(), "Tessera::build_format"), 1u) << what;
    EXPECT_EQ(count_of(events.regions(), "Tessera::build_kernels"), 1u) << what;
    EXPECT_EQ(count_of(events.regions(), "Tessera::fill_values"), 1u) << what;
    EXPECT_EQ(events.open_regions(), 0) << what;
    const std::size_t before = events.regions().size();
    for (int run = 0; run < 2; ++run) plan.prepare(exec, 4, Mode::Transpose);
    EXPECT_EQ(events.regions()[before], "Tessera::prepare") << what;
    EXPECT_EQ(count_of(events.regions(), "Tessera::prepare"), 2u) << what;
    EXPECT_EQ(count_of(events.regions(), "Tessera::transpose"), 1u) << what;
    EXPECT_EQ(events.open_regions(), 0) << what;
    expect_kernels_of_tessera(events, what, "Kokkos::View");
  }
}

/// Two host threads multiply by one plan at the same time, many times, each on its own instance. Every result is
/// bitwise equal to the result without the other thread.
TYPED_TEST(ContractTest, TwoInstancesRunOnePlanAtOnce) {
  using Exec = typename TestFixture::Exec;
  using Left = typename TestFixture::Left;
  constexpr int rounds = 60, columns = 9;
  const typename TestFixture::Matrix A(random_pattern<int>(400, 300, 0.1, 1));
  const auto instances = two_instances<Exec>();
  if (instances.empty()) GTEST_SKIP() << "instances are one queue";
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    struct Stream {
      Workspace<Exec> work;
      Left x, y, expected;
      int different = 0;
    };
    std::vector<Stream> streams(2);
    for (std::size_t s = 0; s < 2; ++s) {
      Stream& stream = streams[s];
      stream.work = plan.prepare(instances[s], columns, Mode::NoTranspose);
      stream.x = TestFixture::template random_vectors<Left>(300, columns, s + 1);
      stream.y = Left("y", 400, columns);
      stream.expected = Left("expected", 400, columns);
      spmm(instances[s], plan, stream.work, Mode::NoTranspose, 1.5, stream.x, 0.0, stream.expected);
      instances[s].fence();
    }
    const auto multiply = [&](std::size_t s) {
      Stream& stream = streams[s];
      const auto expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), stream.expected);
      const auto y = Kokkos::create_mirror_view(stream.y);
      for (int round = 0; round < rounds; ++round) {
        spmm(instances[s], plan, stream.work, Mode::NoTranspose, 1.5, stream.x, 0.0, stream.y);
        Kokkos::deep_copy(instances[s], y, stream.y);
        instances[s].fence();
        for (int j = 0; j < columns; ++j)
          for (int i = 0; i < 400; ++i) stream.different += y(i, j) != expected(i, j);
      }
    };
    std::thread other(multiply, 1);
    multiply(0);
    other.join();
    EXPECT_EQ(streams[0].different, 0) << to_string(format);
    EXPECT_EQ(streams[1].different, 0) << to_string(format);
  }
}

/// Deflation must not change the columns that remain: the bits of a column do not depend on the number of columns (1 to
/// 64), its position or the layout.
TYPED_TEST(ContractTest, AColumnIsTheSameAmongAnyNumber) {
  using Exec = typename TestFixture::Exec;
  using Left = typename TestFixture::Left;
  using Right = typename TestFixture::Right;
  const Exec exec;
  HostPattern<int> pattern = random_pattern<int>(90, 120, 0.3, 3, 11);
  for (int j = 0; j < 120; ++j) pattern.column_indices.push_back(j);
  pattern.end_row();
  const typename TestFixture::Matrix A(pattern);
  for (const Format format : every_format) {
    PlanOptions options = with_format(format);
    options.same_bits_alone = true;
    auto plan = A.plan(options);
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
      const int x_rows = is_transposed(mode) ? 91 : 120, y_rows = is_transposed(mode) ? 120 : 91;
      auto work = plan.prepare(exec, 64, mode);
      const auto x_left = TestFixture::template random_vectors<Left>(x_rows, 64, 4);
      const auto x_right = TestFixture::template random_vectors<Right>(x_rows, 64, 4);
      const Left all("all", y_rows, 64);
      spmm(exec, plan, work, mode, 3.0, x_left, 0.0, all);
      exec.fence();
      const auto expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
      const auto expect_same = [&](const auto& x, const auto& y, int first, const char* layout) {
        const auto width = static_cast<int>(y.extent(1));
        spmm(exec, plan, work, mode, 3.0, Kokkos::subview(x, Kokkos::ALL, std::pair(first, first + width)), 0.0, y);
        exec.fence();
        const auto some = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
        int different = 0;
        for (int j = 0; j < width; ++j)
          for (int i = 0; i < y_rows; ++i) different += some(i, j) != expected(i, first + j);
        ASSERT_EQ(different, 0) << to_string(format) << ", mode " << to_string(mode) << ", columns from " << first
                                << " of " << width << ", " << layout;
      };
      for (int width = 1; width <= 64; ++width) {
        for (const int first : {0, (64 - width) / 3, 64 - width}) {
          if (!is_chosen_on<Exec>(5)) continue;
          expect_same(x_left, Left("y", y_rows, width), first, "left");
          expect_same(x_right, Right("y", y_rows, width), first, "right");
        }
      }
    }
  }
}

TYPED_TEST(ContractTest, RejectsXAndYThatShareMemory) {
  using Exec = typename TestFixture::Exec;
  using Left = typename TestFixture::Left;
  using std::pair;
  const Exec exec;
  const typename TestFixture::Matrix A(random_pattern<int>(20, 20, 0.2, 1));
  auto plan = A.plan({});
  auto work = plan.prepare(exec, 8, Mode::NoTranspose);
  const Left memory("memory", 60, 8);
  const auto all = Kokkos::ALL;
  const auto part = [&](int row, int first, int last) {
    return Kokkos::subview(memory, pair(row, row + 20), pair(first, last));
  };
  const auto multiply = [&](const auto& x, const auto& y, double alpha = 1) {
    spmm(exec, plan, work, Mode::NoTranspose, alpha, x, 0.0, y);
  };
  EXPECT_MESSAGE(std::invalid_argument, multiply(part(0, 0, 8), part(0, 0, 8)), "Y begins 0 bytes after X");
  EXPECT_MESSAGE(std::invalid_argument, multiply(part(0, 0, 4), part(19, 3, 7)),
                 "X (20 x 4) and Y (20 x 4) are the same memory, wholly or in part: Y begins 1592 bytes after X");
  EXPECT_MESSAGE(std::invalid_argument, multiply(part(5, 4, 8), part(0, 3, 7)), "Y begins -520 bytes after X");
  EXPECT_MESSAGE(std::invalid_argument, multiply(part(0, 0, 8), part(0, 0, 8), 0.0), "are the same memory");
  // Interleaved parts of one block that share no element, as in a block Krylov basis.
  EXPECT_NO_THROW(multiply(part(0, 0, 8), part(20, 0, 8)));
  EXPECT_NO_THROW(multiply(part(40, 2, 5), part(20, 1, 4)));
  EXPECT_NO_THROW(multiply(part(0, 0, 4), part(0, 4, 8)));
  EXPECT_NO_THROW(multiply(Kokkos::subview(part(0, 0, 8), all, 3), Kokkos::subview(part(0, 0, 8), all, 4)));
  // X has the even columns, Y the odd columns.
  const typename TestFixture::Strided even(memory.data(), Kokkos::LayoutStride(20, 1, 4, 120)),
      odd(memory.data() + 60, Kokkos::LayoutStride(20, 1, 4, 120));
  EXPECT_NO_THROW(multiply(even, odd));
  exec.fence();
}

TYPED_TEST(ContractTest, RejectsViewsWithoutMemory) {
  using Exec = typename TestFixture::Exec;
  using Unmanaged = Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  using Values = Kokkos::View<double*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  using Indices = Kokkos::View<int*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
  using std::invalid_argument;
  const Exec exec;
  const typename TestFixture::Matrix A(random_pattern<int>(20, 30, 0.2, 1));
  auto plan = A.plan({});
  auto work = plan.prepare(exec, 4, Mode::NoTranspose);
  const typename TestFixture::Left x("x", 30, 4), y("y", 20, 4);
  const Unmanaged no_x(nullptr, 30, 4), no_y(nullptr, 20, 4);
  EXPECT_MESSAGE(invalid_argument, spmm(exec, plan, work, Mode::NoTranspose, 1.0, no_x, 0.0, y),
                 "X is 30 x 4 and has no memory");
  EXPECT_MESSAGE(invalid_argument, spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, no_y),
                 "Y is 20 x 4 and has no memory");
  const Unmanaged nothing_x(nullptr, 30, 0), nothing_y(nullptr, 20, 0);
  EXPECT_NO_THROW(spmm(exec, plan, work, Mode::NoTranspose, 1.0, nothing_x, 0.0, nothing_y));
  const auto entries = static_cast<int>(A.host.nonzeros());
  const Values no_values(nullptr, entries);
  EXPECT_MESSAGE(invalid_argument, plan.update_values(exec, no_values),
                 "values has " + std::to_string(entries) + " elements and no memory");
  EXPECT_MESSAGE(invalid_argument, make_plan(exec, 20, 30, A.pattern.row_offsets, A.pattern.column_indices, no_values),
                 "values has " + std::to_string(entries) + " elements and no memory");
  EXPECT_MESSAGE(invalid_argument, make_plan(exec, 20, 30, Indices(nullptr, 21), A.pattern.column_indices, A.values),
                 "row_offsets has 21 elements and no memory");
  EXPECT_MESSAGE(invalid_argument, make_plan(exec, 20, 30, A.pattern.row_offsets, Indices(nullptr, entries), A.values),
                 "column_indices has " + std::to_string(entries) + " elements and no memory");
}

TYPED_TEST(ContractTest, RejectsAnotherInstancesWorkspace) {
  using Exec = typename TestFixture::Exec;
  const auto instances = two_instances<Exec>();
  if (instances.empty() || instances[0] == instances[1]) GTEST_SKIP() << "this backend has one instance";
  const typename TestFixture::Matrix A(random_pattern<int>(20, 30, 0.2, 1));
  auto plan = A.plan({});
  auto work = plan.prepare(instances[0], 4, Mode::NoTranspose);
  const typename TestFixture::Left x("x", 30, 4), y("y", 20, 4);
  const auto multiply_on = [&](const Exec& exec) {
    spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
    exec.fence();
  };
  EXPECT_NO_THROW(multiply_on(instances[0]));
  const std::string expected = std::string("prepared for another instance of ") + Exec::name();
  EXPECT_MESSAGE(std::invalid_argument, multiply_on(instances[1]), expected);
  EXPECT_MESSAGE(std::invalid_argument, multiply_on(Exec()), expected);
  work.move_to(instances[1]);
  EXPECT_NO_THROW(multiply_on(instances[1]));
  EXPECT_MESSAGE(std::invalid_argument, multiply_on(instances[0]), expected);
}

/// A rejected product writes nothing.
TYPED_TEST(ContractTest, RejectedProductsLeaveYAsItWas) {
  using Exec = typename TestFixture::Exec;
  using Left = typename TestFixture::Left;
  const Exec exec;
  const typename TestFixture::Matrix A(random_pattern<int>(20, 30, 0.2, 1));
  auto plan = A.plan({});
  auto work = plan.prepare(exec, 3, Mode::NoTranspose);
  const auto x = TestFixture::template random_vectors<Left>(30, 4, 1);
  const auto y = TestFixture::template random_vectors<Left>(20, 4, 2);
  const auto before = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const ToolEvents events;
  EXPECT_THROW(spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, y), std::invalid_argument);
  EXPECT_TRUE(events.kernels().empty()) << events.text();
  const auto after = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 20; ++i) ASSERT_EQ(after(i, j), before(i, j));
}

}  // namespace Tessera::Impl::Test
