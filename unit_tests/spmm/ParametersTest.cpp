// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PlanOptions::parameters apply to A and to its transpose. Also tests formats that are too large.
#include <stdexcept>
#include <tessera/spmm/impl/PlanInternals.hpp>
#include <utility>

#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class ParametersTest : public ::testing::Test {};
TYPED_TEST_SUITE(ParametersTest, UserOffsetCases);

template <class T>
using UserView = Kokkos::View<double**, Kokkos::LayoutLeft, typename T::ExecutionSpace::memory_space>;

/// A full 64 x 32 matrix, so all tiles are full.
template <class T>
UserMatrix<typename T::ExecutionSpace, double, typename T::Offset> full_matrix() {
  return UserMatrix<typename T::ExecutionSpace, double, typename T::Offset>(
      random_pattern<typename T::Offset>(64, 32, 1.0, 1));
}

/// Options for BCSR with blocks of 2 x 5.
PlanOptions in_small_blocks() {
  PlanOptions options = with_format(Format::Bcsr);
  options.parameters.bcsr_block_rows = 2;
  options.parameters.bcsr_block_columns = 5;
  return options;
}

TYPED_TEST(ParametersTest, ReachBrp) {
  const auto A = full_matrix<TypeParam>();
  PlanOptions options = with_format(Format::Brp);
  for (const auto& [f, g] : {std::pair(2, 1), {1, 4}, {4, 2}}) {
    options.parameters.brp_nonzeros_per_column = f;
    options.parameters.brp_tiles_per_group = g;
    EXPECT_EQ(Impl::tile_metrics_of(A.plan(options)).mean_nonzeros, 8 * f * g) << "f " << f << ", g " << g;
  }
}

TYPED_TEST(ParametersTest, ReachSortedColumns) {
  const auto A = full_matrix<TypeParam>();
  PlanOptions options = with_format(Format::SortedColumns);
  for (const auto& [width, height] : {std::pair(16, 8), {8, 16}, {8, 4}}) {
    options.parameters.sorted_columns_width = width;
    options.parameters.sorted_columns_height = height;
    const auto tiles = Impl::tile_metrics_of(A.plan(options));
    EXPECT_EQ(tiles.mean_nonzeros, width * height) << width << " x " << height;
  }
}

/// Groups of full rows have the maximum number of rows.
TYPED_TEST(ParametersTest, ReachRowGroups) {
  const auto A = full_matrix<TypeParam>();
  PlanOptions options = with_format(Format::RowGroups);
  EXPECT_EQ(Impl::tile_metrics_of(A.plan(options)).mean_nonzeros, 4);
  for (const int group_rows : {1, 2, 4}) {
    options.parameters.group_rows = group_rows;
    EXPECT_EQ(Impl::tile_metrics_of(A.plan(options)).mean_nonzeros, group_rows);
  }
  for (const int group_rows : {-1, 5}) {
    options.parameters.group_rows = group_rows;
    EXPECT_MESSAGE(std::invalid_argument, A.plan(options),
                   "group_rows is " + std::to_string(group_rows) + "; expected 1 to 4, or 0 for 4");
  }
}

/// 64 x 32 elements are 32 x 7 blocks of 2 x 5, or 13 x 16 blocks of 5 x 2.
TYPED_TEST(ParametersTest, ReachBcsr) {
  const auto A = full_matrix<TypeParam>();
  const std::size_t offset_bytes = sizeof(int), block_bytes = 4 + 8 + 10 * 8;
  PlanOptions options = in_small_blocks();
  EXPECT_EQ(Impl::tile_metrics_of(A.plan(options)).tiles, 32u * 7);
  EXPECT_EQ(A.plan(options).format_bytes(), 33 * offset_bytes + 32 * 7 * block_bytes);
  std::swap(options.parameters.bcsr_block_rows, options.parameters.bcsr_block_columns);
  EXPECT_EQ(Impl::tile_metrics_of(A.plan(options)).tiles, 13u * 16);
}

TYPED_TEST(ParametersTest, BlocksOfTheTransposeAreTransposed) {
  const auto A = full_matrix<TypeParam>();
  const std::size_t offset_bytes = sizeof(int), block_bytes = 4 + 8 + 10 * 8;
  auto plan = A.plan(in_small_blocks());
  plan.prepare(typename TypeParam::ExecutionSpace(), 3, Mode::Transpose);
  const std::size_t transpose_bytes = plan.bytes() - plan.format_bytes() - plan.slot_map_bytes() - plan.kernel_bytes();
  EXPECT_EQ(transpose_bytes, 8 * offset_bytes + 32 * 7 * block_bytes);
  expect_product<UserView<TypeParam>>(A, plan, 3, Mode::Transpose, 1, 0, "blocks of 5 x 2");
}

/// Two rows of many columns: A has few block rows, its transpose many. The limit is `less` bytes below A's need.
template <class T>
struct Wide {
  UserMatrix<typename T::ExecutionSpace, double, typename T::Offset> A{
      random_pattern<typename T::Offset>(2, 3000, 0.1, 1)};
  PlanOptions options = in_small_blocks();

  explicit Wide(std::size_t less) { options.memory_limit = least_memory_limit(A, options) - less; }

  /// Sets the limit to one byte less than A and its transpose need.
  void allow_less_than_both() {
    options.memory_limit = no_memory_limit;
    auto plan = A.plan(options);
    plan.prepare(typename T::ExecutionSpace(), 0, Mode::Transpose);
    const std::string text = plan.stats(), key = "\"peak\": ";
    options.memory_limit = std::stoull(text.substr(text.find(key) + key.size())) - 1;
  }
};

TYPED_TEST(ParametersTest, TheMemoryLimitRejectsThePlan) {
  const Wide<TypeParam> wide(1);
  const std::string limit = std::to_string(wide.options.memory_limit);
  EXPECT_MESSAGE(std::invalid_argument, wide.A.plan(wide.options), "memory_limit allows " + limit);
}

TYPED_TEST(ParametersTest, TheMemoryLimitRejectsTheTransposeAlone) {
  const Wide<TypeParam> wide(0);
  auto plan = wide.A.plan(wide.options);
  const typename TypeParam::ExecutionSpace exec;
  for (const char* part : {"Tessera::Plan::prepare: the transpose of A is rejected", " bytes beside ",
                           "memory_limit allows ", "a larger limit"}) {
    EXPECT_MESSAGE(std::invalid_argument, plan.prepare(exec, 3, Mode::Transpose), part);
  }
  expect_product<UserView<TypeParam>>(wide.A, plan, 3, Mode::NoTranspose, 1, 0, "after a rejection");
}

TYPED_TEST(ParametersTest, AFallBackFromAFormatThatIsTooLargeIsCsr) {
  Wide<TypeParam> wide(1);
  wide.options.on_unsupported = OnUnsupported::FallBack;
  auto plan = wide.A.plan(wide.options);
  EXPECT_EQ(plan.format(), Format::Csr);
  EXPECT_EQ(plan.format_bytes(), wide.A.plan(with_format(Format::Csr)).format_bytes());
  const std::string text = plan.explain();
  EXPECT_NE(text.find("csr: bcsr was asked for, but does not fit"), std::string::npos) << text;
  EXPECT_NE(text.find("note: Tessera: a plan with the format bcsr is rejected"), std::string::npos) << text;
  for (const Mode mode : every_mode) expect_product<UserView<TypeParam>>(wide.A, plan, 3, mode, 1, 0, "fall-back");
}

TYPED_TEST(ParametersTest, TheTransposeFallsBackAlone) {
  Wide<TypeParam> wide(0);
  wide.allow_less_than_both();
  wide.options.on_unsupported = OnUnsupported::FallBack;
  auto plan = wide.A.plan(wide.options);
  EXPECT_EQ(plan.format(), Format::Bcsr);
  for (const Mode mode : every_mode)
    expect_product<UserView<TypeParam>>(wide.A, plan, 3, mode, 1, 0, "transpose falls back");
  EXPECT_EQ(plan.format(), Format::Bcsr);
  const std::string text = plan.explain();
  EXPECT_NE(text.find("note: transpose: Tessera: a plan with the format bcsr is rejected"), std::string::npos)
      << "limit " << wide.options.memory_limit << '\n'
      << text << '\n'
      << plan.stats();
  EXPECT_EQ(text.find("note: Tessera"), std::string::npos) << text;
}

TYPED_TEST(ParametersTest, WhatIsWrongInItselfThrowsInSpiteOfFallBack) {
  const auto A = full_matrix<TypeParam>();
  PlanOptions options = with_format(Format::Bcsr);
  options.on_unsupported = OnUnsupported::FallBack;
  options.parameters.bcsr_block_rows = 65;
  EXPECT_MESSAGE(std::invalid_argument, A.plan(options), "bcsr_block_rows is 65");
}

}  // namespace Tessera::Impl::Test
