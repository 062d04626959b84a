// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans that store rows and columns in another order. Results are the same for users.
#include <algorithm>
#include <tessera/Reordering.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class ReorderTest : public ::testing::Test {};
TYPED_TEST_SUITE(ReorderTest, UserOffsetCases);

/// Groups of rows that draw from the same columns (each column with probability 1/one_in), shuffled, so every
/// reordering has an effect.
template <class Offset>
HostPattern<Offset> scattered_groups(int groups, int rows_of_group, int columns, int one_in, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<int>> columns_of(static_cast<std::size_t>(groups));
  for (auto& group : columns_of) {
    for (int j = 0; j < columns; ++j)
      if (random.below(one_in) == 0) group.push_back(j);
  }
  HostPattern<Offset> A;
  A.columns = columns;
  for (const int row : shuffled(groups * rows_of_group, seed + 1)) {
    for (const int j : columns_of[static_cast<std::size_t>(row / rows_of_group)])
      if (random.below(8) > 0) A.column_indices.push_back(j);
    A.end_row();
    if (row % 13 == 0) A.end_row();
  }
  return A;
}

PlanOptions in_order(Format format, Reordering reordering) {
  PlanOptions options = with_format(format);
  options.reordering = reordering;
  options.always_reorder = true;
  return options;
}

template <class Exec>
struct Views {
  using Left = Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  using Right = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;
};

TYPED_TEST(ReorderTest, EveryFormatInEveryOrder) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const int columns : {60, 224}) {  // A is square for 224
    const auto pattern = scattered_groups<Offset>(13, 16, columns, 6, 3);
    const UserMatrix<Exec, double, Offset> A(pattern);
    for (const Format format : every_format) {
      for (const Reordering reordering : every_reordering) {
        auto plan = A.plan(in_order(format, reordering));
        const std::string what = std::string(to_string(format)) + ", " + std::string(to_string(reordering)) + ", " +
                                 std::to_string(pattern.rows) + " rows";
        const bool changes = format != Format::SortedColumns && reordering != Reordering::None &&
                             (reordering != Reordering::ColumnSort || format == Format::Bcsr);
        EXPECT_EQ(Impl::choice_of(plan).reordering, changes ? reordering : Reordering::None) << what;
        for (const Mode mode : every_mode) {
          expect_product<typename Views<Exec>::Left>(A, plan, 9, mode, 2, 0, what + ", left");
          expect_product<typename Views<Exec>::Right>(A, plan, 33, mode, -1, 0.5, what + ", right");
          expect_product<typename Views<Exec>::Left>(A, plan, 1, mode, 1, 0, what + ", one column");
        }
      }
    }
  }
}

TYPED_TEST(ReorderTest, NewValuesInTheCallersOrder) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto pattern = unsorted_pattern<Offset>(90, 90, 12, 8);
  const UserMatrix<Exec, double, Offset> A(pattern), other(pattern, 77);
  for (const Format format : every_format) {
    for (const Reordering reordering : every_reordering) {
      auto plan = A.plan(in_order(format, reordering));
      plan.prepare(Exec(), 3, Mode::Transpose);
      plan.update_values(Exec(), other.values);
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
        expect_product<typename Views<Exec>::Right>(other, plan, 3, mode, 1, 0, "updated");
    }
  }
}

TYPED_TEST(ReorderTest, EmptyShapes) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 6}, {6, 0}, {1, 1}, {40, 40}}) {
    HostPattern<Offset> empty;
    empty.columns = columns;
    while (empty.rows < rows) empty.end_row();
    const UserMatrix<Exec, double, Offset> A(empty);
    for (const Format format : every_format) {
      for (const Reordering reordering : every_reordering) {
        auto plan = A.plan(in_order(format, reordering));
        for (const Mode mode : every_mode) expect_product<typename Views<Exec>::Left>(A, plan, 4, mode, 1, 2, "empty");
      }
    }
  }
}

/// Clustering rows that share columns fills the tiles.
TYPED_TEST(ReorderTest, IsKeptWhereItIsPredictedToPay) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const UserMatrix<Exec, double, Offset> A(scattered_groups<Offset>(200, 16, 20000, 1000, 5));
  PlanOptions options = with_format(Format::BitTcf);
  const auto natural = A.plan(options);
  for (const Reordering reordering : {Reordering::Search, Reordering::DataAffinity, Reordering::JaccardRows}) {
    options.reordering = reordering;
    const auto plan = A.plan(options);
    EXPECT_NE(Impl::choice_of(plan).reordering, Reordering::None) << plan.explain();
    EXPECT_LT(Impl::tile_metrics_of(plan).tiles, Impl::tile_metrics_of(natural).tiles * 2 / 3) << plan.explain();
    EXPECT_NE(plan.explain().find("order: " + std::string(to_string(Impl::choice_of(plan).reordering))),
              std::string::npos)
        << plan.explain();
    EXPECT_GT(plan.format_bytes(), static_cast<std::size_t>(plan.rows()) * sizeof(int));  // includes the row order
  }
}

/// By default, plans on hosts keep the order of rows, because finding an order is slow there.
TYPED_TEST(ReorderTest, TheDefaultLeavesTheRowsOfHosts) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  if (!std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>) GTEST_SKIP() << "the default of devices";
  const UserMatrix<Exec, double, Offset> A(scattered_groups<Offset>(200, 16, 20000, 1000, 5));
  EXPECT_EQ(PlanOptions().reordering, Reordering::Auto);
  PlanOptions options = with_format(Format::BitTcf);
  options.always_reorder = true;
  const auto plan = A.plan(options);
  EXPECT_EQ(Impl::choice_of(plan).reordering, Reordering::None) << plan.explain();
  EXPECT_TRUE(Impl::choice_of(plan).reorderings.empty());
}

/// If BCSR does not fit and the plan falls back to CSR, the product is still right and columns are not permuted.
TYPED_TEST(ReorderTest, FallsBackWithoutTheOrderOfBlocks) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto pattern = scattered_groups<Offset>(13, 16, 224, 6, 3);
  const UserMatrix<Exec, double, Offset> A(pattern);
  ASSERT_EQ(pattern.rows, pattern.columns);
  const auto bytes = A.plan(with_format(Format::Bcsr)).bytes();
  // Kernels for a device also store lists with CSR.
  const std::size_t least = std::max(3 * bytes / 4, least_memory_limit(A, with_format(Format::Csr)));
  for (const std::size_t limit : {least, bytes, 2 * bytes}) {
    for (const Reordering reordering : {Reordering::Search, Reordering::DataAffinity, Reordering::JaccardRows}) {
      for (const bool always : {false, true}) {
        PlanOptions options = in_order(Format::Bcsr, reordering);
        options.always_reorder = always;
        options.on_unsupported = OnUnsupported::FallBack;
        options.memory_limit = limit;
        auto plan = A.plan(options);
        if (limit < bytes) {
          EXPECT_EQ(plan.format(), Format::Csr);
        }
        expect_product<typename Views<Exec>::Right>(A, plan, 5, Mode::NoTranspose, 1, 0, plan.explain());
        if (least > 3 * bytes / 4 && limit < 2 * bytes) continue;  // no memory for the transpose
        expect_product<typename Views<Exec>::Right>(A, plan, 5, Mode::Transpose, 1, 0, plan.explain());
      }
    }
  }
}

TYPED_TEST(ReorderTest, OfSeveralOrdersTheBestIsInsistedOn) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const Format format : {Format::BitTcf, Format::Bcsr, Format::Brp}) {
    for (const int one_in : {4, 40, 400}) {
      SCOPED_TRACE(std::string(to_string(format)) + ", one in " + std::to_string(one_in));
      const UserMatrix<Exec, double, Offset> A(scattered_groups<Offset>(60, 16, 4000, one_in, 5));
      const auto choice = Impl::choice_of(A.plan(in_order(format, Reordering::Search)));
      ASSERT_GE(choice.reorderings.size(), 2u);
      const auto best = std::min_element(
          choice.reorderings.begin(), choice.reorderings.end(),
          [](const auto& one, const auto& other) { return one.relative_seconds < other.relative_seconds; });
      EXPECT_EQ(choice.reordering, best->reordering);
    }
  }
}

TYPED_TEST(ReorderTest, TheTransposeIsMadeOfNewValuesAndWithoutTheSource) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto pattern = unsorted_pattern<Offset>(90, 90, 12, 8);
  const UserMatrix<Exec, double, Offset> A(pattern), other(pattern, 77);
  for (const Format format : every_format) {
    auto plan = A.plan(in_order(format, Reordering::DataAffinity));
    plan.update_values(Exec(), other.values);
    plan.release_source(Exec());
    expect_product<typename Views<Exec>::Right>(other, plan, 3, Mode::Transpose, 1, 0, "transposed afterwards");
    EXPECT_EQ(plan.explain().find("order of the transpose: affinity") != std::string::npos,
              format != Format::SortedColumns)
        << plan.explain();
  }
}

/// Reordering does not help a band.
TYPED_TEST(ReorderTest, IsNotKeptWhereItDoesNotPay) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> band;
  band.columns = 2000;
  while (band.rows < band.columns) {
    for (int j = std::max(0, band.rows - 8); j < std::min(band.columns, band.rows + 9); ++j)
      band.column_indices.push_back(j);
    band.end_row();
  }
  const UserMatrix<Exec, double, Offset> A(band);
  for (const Format format : every_format) {
    for (const Reordering reordering : every_reordering) {
      PlanOptions options = with_format(format);
      options.reordering = reordering;
      auto plan = A.plan(options);
      EXPECT_EQ(Impl::choice_of(plan).reordering, Reordering::None) << plan.explain();
      if (reordering == Reordering::DataAffinity && format != Format::SortedColumns) {
        EXPECT_NE(plan.explain().find("order: as it is"), std::string::npos) << plan.explain();
      }
      expect_product<typename Views<Exec>::Right>(A, plan, 2, Mode::NoTranspose, 1, 0, "band");
    }
  }
}

/// Orders are compared by predicted times only. A measured time that contradicts the prediction does not change this.
TYPED_TEST(ReorderTest, IsComparedByPredictionsWhereFormatsAreMeasured) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const UserMatrix<Exec, double, Offset> A(scattered_groups<Offset>(60, 16, 4000, 10, 5));
  PlanOptions options;
  options.reordering = Reordering::DataAffinity;
  options.hints.expected_products = 1000000000;
  double predicted = 0;
  for (const Tuning tuning : {Tuning::Predict, Tuning::Measure, Tuning::Adaptive}) {
    options.tuning = tuning;
    auto plan = A.plan(options);
    ASSERT_EQ(Impl::choice_of(plan).reorderings.size(), 1u);
    if (tuning == Tuning::Predict) predicted = Impl::choice_of(plan).reorderings[0].relative_seconds;
    EXPECT_EQ(Impl::choice_of(plan).reorderings[0].relative_seconds, predicted) << plan.explain();
    expect_product<typename Views<Exec>::Right>(A, plan, 8, Mode::NoTranspose, 1, 0, plan.explain());
  }
}

/// No order is sought for CSR on hosts if X fits in cache, or for small products on devices, which take as long as a
/// launch. On hosts, an order may still reduce the number of tiles.
TYPED_TEST(ReorderTest, IsSoughtOnlyWhereItMayPay) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  constexpr bool is_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;
  const UserMatrix<Exec, double, Offset> A(scattered_groups<Offset>(is_host ? 60 : 2, 16, 4000, is_host ? 10 : 400, 5));
  PlanOptions options = with_format(Format::Csr);
  options.reordering = Reordering::Search;
  const auto rows = A.plan(options);
  EXPECT_TRUE(Impl::choice_of(rows).reorderings.empty()) << rows.explain();
  EXPECT_NE(rows.explain().find("note: no order was sought"), std::string::npos) << rows.explain();
  options.always_reorder = true;
  EXPECT_FALSE(Impl::choice_of(A.plan(options)).reorderings.empty());
  options.always_reorder = false;
  options.reordering = Reordering::DataAffinity;
  EXPECT_EQ(Impl::choice_of(A.plan(options)).reorderings.size(), 1u);
  if (is_host) {
    const UserMatrix<Exec, double, Offset> many(scattered_groups<Offset>(400, 16, 4000, 40, 5));
    options = with_format(Format::BitTcf);
    options.reordering = Reordering::Search;
    EXPECT_FALSE(Impl::choice_of(many.plan(options)).reorderings.empty()) << many.plan(options).explain();
  }
}

}  // namespace Tessera::Impl::Test
