// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>

#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class UpdateTest : public ::testing::Test {};
TYPED_TEST_SUITE(UpdateTest, UserProductCases);

/// Updates values in the caller's order, before or after the transpose is built.
TYPED_TEST(UpdateTest, NewValuesNeedNoAnalysis) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using Offset = typename TypeParam::Offset;
  using View =
      Kokkos::View<user_scalar_t<typename TypeParam::VectorScalar>**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  const HostPattern<Offset> sorted = random_pattern<Offset>(41, 37, 0.2, 1);
  const HostPattern<Offset> unsorted = unsorted_pattern<Offset>(41, 37, 9, 2);
  for (const auto& pattern : {sorted, unsorted}) {
    for (const Format format : every_format) {
      UserMatrix<Exec, M, Offset> A(pattern, 3);
      auto plan = A.plan(with_format(format));
      expect_product<View>(A, plan, 4, Mode::NoTranspose, 1, 0, "before");
      for (const std::uint64_t seed : {10, 11}) {  // the second time the transpose exists
        const UserMatrix<Exec, M, Offset> B(pattern, seed);
        plan.update_values(Exec(), B.values);
        expect_product<View>(B, plan, 4, Mode::NoTranspose, 1, 0, "after");
        expect_product<View>(B, plan, 4, Mode::Transpose, 1, 0, "after");
        expect_product<View>(B, plan, 4, Mode::ConjugateTranspose, 1, 1, "after");
      }
    }
  }
}

TYPED_TEST(UpdateTest, EditsOfTheCallersValuesAreNotSeen) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using Offset = typename TypeParam::Offset;
  using View =
      Kokkos::View<user_scalar_t<typename TypeParam::VectorScalar>**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  for (const Format format : every_format) {
    const UserMatrix<Exec, M, Offset> A(random_pattern<Offset>(20, 20, 0.3, 5), 6);
    auto plan = A.plan(with_format(format));
    Kokkos::deep_copy(A.values, user_scalar_t<M>(0));
    Kokkos::deep_copy(A.pattern.column_indices, 0);
    expect_product<View>(A, plan, 2, Mode::NoTranspose, 1, 0, "edited");
  }
}

TYPED_TEST(UpdateTest, ReleasedSource) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using Offset = typename TypeParam::Offset;
  using View =
      Kokkos::View<user_scalar_t<typename TypeParam::VectorScalar>**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  for (const Format format : every_format) {
    const UserMatrix<Exec, M, Offset> A(unsorted_pattern<Offset>(30, 20, 6, 7), 8);
    auto plan = A.plan(with_format(format));
    const std::size_t before = plan.bytes(), maps = plan.slot_map_bytes();
    EXPECT_GT(maps, 0u);
    plan.release_source(Exec());
    EXPECT_EQ(plan.slot_map_bytes(), 0u);
    EXPECT_EQ(plan.bytes(), before - maps);
    EXPECT_THROW(plan.update_values(Exec(), A.values), std::logic_error);
    expect_product<View>(A, plan, 3, Mode::NoTranspose, 1, 0, "released");
    expect_product<View>(A, plan, 3, Mode::Transpose, 1, 0, "released");
    EXPECT_EQ(plan.slot_map_bytes(), 0u);
  }
}

}  // namespace Tessera::Impl::Test
