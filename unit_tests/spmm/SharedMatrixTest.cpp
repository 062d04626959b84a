// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans that leave pattern and values where the caller has them, and trust a pattern.
#include <climits>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/PlanFile.hpp>
#include <tessera/parallel/Teams.hpp>
#include <utility>
#include <vector>

#include "GrowingPlans.hpp"
#include "PlanCheck.hpp"
#include "TestFiles.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class SharedMatrixTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Offset = typename T::Offset;
  using Matrix = UserMatrix<Exec, double, Offset>;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;

  static PlanOptions sharing_all() {
    PlanOptions options;
    options.shares_pattern = options.shares_values = options.trusts_pattern = true;
    options.hints.num_vectors = 32;
    return options;
  }

  /// Expects products in both modes that are right for the values that A has now.
  static void expect_products(const Matrix& A, Plan<double, Exec>& plan, const std::string& what) {
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) expect_product<View>(A, plan, 5, mode, 2, 0.5, what);
  }
};
TYPED_TEST_SUITE(SharedMatrixTest, EverySpace<OffsetCasesOf>::type);

/// A plan that may share the pattern holds the Views and counts less memory, as long as it stores compressed rows.
TYPED_TEST(SharedMatrixTest, SharesThePatternOfTheCaller) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;
  const UserMatrix<Exec, double, Offset> A(random_pattern<Offset>(200, 300, 0.1, 1));
  PlanOptions options = with_format(Format::Csr);
  const std::size_t copied = A.plan(options).bytes();
  const auto holders = A.pattern.column_indices.use_count();
  options.shares_pattern = true;
  {
    auto plan = A.plan(options);
    const std::size_t columns = A.host.nonzeros() * sizeof(int), offsets = 201 * sizeof(int);
    EXPECT_EQ(plan.bytes(), copied - columns - (sizeof(Offset) == sizeof(int) ? offsets : 0));
    EXPECT_GT(A.pattern.column_indices.use_count(), holders);
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
      expect_product<View>(A, plan, 5, mode, 2, 0.5, "shared");
  }
  EXPECT_EQ(A.pattern.column_indices.use_count(), holders);
  options.format = Format::BitTcf;
  const auto tiled = A.plan(options);
  EXPECT_EQ(A.pattern.column_indices.use_count(), holders);
}

TYPED_TEST(SharedMatrixTest, CopiesAPatternThatCannotBeShared) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;
  PlanOptions options = with_format(Format::Csr);
  options.shares_pattern = true;
  const UserMatrix<Exec, double, Offset> unsorted(unsorted_pattern<Offset>(50, 30, 9, 2));
  auto sorted = unsorted.plan(options);
  EXPECT_EQ(sorted.bytes(), unsorted.plan(with_format(Format::Csr)).bytes());
  expect_product<View>(unsorted, sorted, 5, Mode::NoTranspose, 1, 0, "unsorted");

  const UserMatrix<Exec, double, Offset> A(random_pattern<Offset>(60, 40, 0.2, 3));
  const Kokkos::View<int*, typename Exec::memory_space> moved("moved", A.host.nonzeros() + 1);
  const auto unaligned = Kokkos::subview(moved, std::pair<std::size_t, std::size_t>(1, A.host.nonzeros() + 1));
  Kokkos::deep_copy(unaligned, A.pattern.column_indices);
  auto copied = make_plan(Exec(), 60, 40, A.pattern.row_offsets, unaligned, A.values, options);
  Kokkos::deep_copy(moved, -1);
  expect_product<View>(A, copied, 5, Mode::NoTranspose, 1, 0, "unaligned");
}

/// Products read the values in the caller's array until update_values() copies others.
TYPED_TEST(SharedMatrixTest, SharesTheValuesOfTheCaller) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto pattern = random_pattern<typename TypeParam::Offset>(200, 300, 0.1, 1);
  for (const Format format : {Format::Csr, Format::CompactRows}) {
    const typename TestFixture::Matrix A(pattern), other(pattern, 2);
    PlanOptions options = with_format(format);
    const std::size_t copied = A.plan(options).bytes(), values = A.host.nonzeros() * sizeof(double);
    options.shares_values = true;
    auto plan = A.plan(options);
    EXPECT_EQ(plan.bytes(), copied - values);
    EXPECT_EQ(plan.format_bytes(), A.plan(with_format(format)).format_bytes() - values);
    Kokkos::deep_copy(A.values, other.values);
    expect_product<typename TestFixture::View>(other, plan, 5, Mode::NoTranspose, 2, 0.5, "in place");
    auto updated = plan;
    updated.update_values(Exec(), other.values);
    EXPECT_EQ(updated.bytes(), copied);
    Kokkos::deep_copy(A.values, 7.0);
    TestFixture::expect_products(other, updated, "updated");
  }
}

TYPED_TEST(SharedMatrixTest, KeepsSharedValuesWhenTheSourceGoes) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto pattern = random_pattern<typename TypeParam::Offset>(200, 300, 0.1, 1);
  const typename TestFixture::Matrix A(pattern), changed(pattern);
  auto plan = changed.plan(TestFixture::sharing_all());
  const TemporaryFolder folder;
  save_plan(Exec(), plan, folder / "plan");
  Kokkos::deep_copy(changed.values, 7.0);
  auto loaded = load_plan<double, Exec>(Exec(), folder / "plan");
  TestFixture::expect_products(A, loaded, "loaded");

  const typename TestFixture::Matrix released(pattern);
  auto kept = released.plan(TestFixture::sharing_all());
  kept.release_source(Exec());
  Kokkos::deep_copy(released.values, 7.0);
  TestFixture::expect_products(A, kept, "released");
}

/// Values of duplicates are summed and those of blocks of rows follow each other: the latter are read in place, too.
TYPED_TEST(SharedMatrixTest, ValuesOfDuplicatesAndOfBlocks) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  PlanOptions options = with_format(Format::Csr);
  options.shares_values = true;
  const auto duplicates = unsorted_pattern<Offset>(50, 30, 9, 2);
  const typename TestFixture::Matrix unsorted(duplicates), same(duplicates);
  auto sums = unsorted.plan(options);
  Kokkos::deep_copy(unsorted.values, 7.0);
  TestFixture::expect_products(same, sums, "sums are copies");

  const typename TestFixture::Matrix A(random_pattern<Offset>(200, 300, 0.1, 1));
  const auto most = A.host.nonzeros() / 3;
  auto blocks = plan_of(Exec(), A.host.rows, A.host.columns, 1, A.pattern.row_offsets, A.pattern.column_indices,
                        A.values, options, most);
  EXPECT_NE(blocks.stats().find("\"first_row\""), std::string::npos) << "has one block";
  TestFixture::expect_products(A, blocks, "blocks");
}

/// A plan that shares all grows like one that has copies, and follows values then.
TYPED_TEST(SharedMatrixTest, SharedRowsGrow) {
  using Exec = typename TypeParam::ExecutionSpace;
  const FastTiles tiles;
  const auto blocks = dense_blocks(is_host_space<Exec> ? 40 : 3000);
  const UserMatrix<Exec, double, int> A(blocks), other(blocks, 2);
  auto plan = A.plan(TestFixture::sharing_all());
  EXPECT_EQ(plan.format(), Format::Csr);
  plan.settle(Exec());
  auto copied = A.plan({});
  copied.settle(Exec());
  EXPECT_NE(plan.format(), Format::Csr) << plan.explain();
  EXPECT_EQ(plan.format(), copied.format());
  expect_product<typename TestFixture::View>(A, plan, 5, Mode::NoTranspose, 2, 0.5, "grown");
  Kokkos::deep_copy(A.values, other.values);
  plan.follow_values(Exec(), A.values);
  expect_product<typename TestFixture::View>(other, plan, 5, Mode::NoTranspose, 2, 0.5, "followed");
}

/// Rows that were worth an analysis, and stay, go on with the caller's values.
TYPED_TEST(SharedMatrixTest, RowsThatStayKeepSharing) {
  using Exec = typename TypeParam::ExecutionSpace;
  const FastTiles tiles;
  const int rows = is_host_space<Exec> ? 3000 : 30000;
  const auto pattern = random_pattern<typename TypeParam::Offset>(rows, rows, 10.0 / rows, 1);
  const typename TestFixture::Matrix A(pattern), other(pattern, 2);
  auto plan = A.plan(TestFixture::sharing_all());
  ASSERT_NE(plan.explain().find("the matrix is analysed before product"), std::string::npos) << plan.explain();
  const std::size_t bytes = plan.bytes();
  plan.settle(Exec());
  ASSERT_EQ(plan.format(), Format::Csr) << plan.explain();
  EXPECT_EQ(plan.bytes(), bytes);
  Kokkos::deep_copy(A.values, other.values);
  expect_product<typename TestFixture::View>(other, plan, 5, Mode::NoTranspose, 2, 0.5, "settled");
}

/// There is no room for a copy of the values, and the plan goes on as it is.
TYPED_TEST(SharedMatrixTest, AnUpdateBeyondTheLimitChangesNothing) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto pattern = random_pattern<typename TypeParam::Offset>(200, 300, 0.1, 1);
  const typename TestFixture::Matrix A(pattern), other(pattern, 2);
  PlanOptions options = TestFixture::sharing_all();
  options.memory_limit = A.host.nonzeros() * sizeof(double) - 1;
  auto plan = A.plan(options);
  EXPECT_THROW(plan.update_values(Exec(), other.values), FormatTooLarge);
  EXPECT_THROW(plan.release_source(Exec()), FormatTooLarge);
  expect_product<typename TestFixture::View>(A, plan, 5, Mode::NoTranspose, 2, 0.5, "as it was");
}

/// On a host no column of a trusted pattern is read before another format is due; a device always checks.
TYPED_TEST(SharedMatrixTest, TrustedColumnsAreReadLate) {
  using Exec = typename TypeParam::ExecutionSpace;
  const FastTiles tiles;
  auto pattern = dense_blocks(is_host_space<Exec> ? 40 : 3000);
  pattern.column_indices[17] = INT_MAX;
  const UserMatrix<Exec, double, int> wrong(pattern);
  if (!is_host_space<Exec>) {
    EXPECT_THROW(wrong.plan(TestFixture::sharing_all()), std::invalid_argument);
    return;
  }
  auto plan = wrong.plan(TestFixture::sharing_all());
  plan.settle(Exec());
  EXPECT_NE(plan.explain().find("column outside the matrix"), std::string::npos) << plan.explain();
  PlanOptions named = TestFixture::sharing_all();
  named.format = Format::BitTcf;
  EXPECT_THROW(wrong.plan(named), std::invalid_argument) << "another format needs columns";
  EXPECT_THROW(plan.prepare(Exec(), 5, Mode::Transpose), std::invalid_argument) << "so does the transpose";
}

/// The first and the last offset are always read, before offsets of 8 bytes become ints.
TYPED_TEST(SharedMatrixTest, TheLastOffsetIsNotTrusted) {
  using Offset = typename TypeParam::Offset;
  for (const Offset wrong : {Offset(1), static_cast<Offset>(std::uint64_t(1) << 32)}) {
    auto pattern = random_pattern<Offset>(200, 300, 0.1, 1);
    if (wrong == 0) continue;  // an int
    pattern.row_offsets.back() += wrong;
    const typename TestFixture::Matrix beyond(pattern);
    EXPECT_THROW(beyond.plan(TestFixture::sharing_all()), std::invalid_argument) << wrong;
  }
}

/// Trusted rows that are unsorted, with duplicates, multiply as they are, and for good.
TYPED_TEST(SharedMatrixTest, TrustedRowsMayBeUnsorted) {
  using Exec = typename TypeParam::ExecutionSpace;
  const typename TestFixture::Matrix A(unsorted_pattern<typename TypeParam::Offset>(50, 30, 9, 2));
  auto plan = A.plan(TestFixture::sharing_all());
  TestFixture::expect_products(A, plan, "unsorted");
  plan.settle(Exec());
  TestFixture::expect_products(A, plan, "settled");
  if (!is_host_space<Exec>) return;
  EXPECT_EQ(plan.nonzeros(), A.host.nonzeros());
  EXPECT_EQ(plan.format(), Format::Csr);
  const TemporaryFolder folder;
  EXPECT_THROW(save_plan(Exec(), plan, folder / "plan"), std::logic_error);
}

}  // namespace Tessera::Impl::Test
