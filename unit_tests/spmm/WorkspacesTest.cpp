// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/Teams.hpp>
#include <tessera/spmm/impl/Workspaces.hpp>

#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class WorkspacesTest : public ::testing::Test {};
TYPED_TEST_SUITE(WorkspacesTest, UserOffsetCases);

TYPED_TEST(WorkspacesTest, GrowAndNeverShrink) {
  using Exec = typename TypeParam::ExecutionSpace;
  const UserMatrix<Exec, double, typename TypeParam::Offset> A{
      random_pattern<typename TypeParam::Offset>(20, 30, 0.2, 1)};
  auto plan = A.plan({});
  Impl::Workspaces<Exec> workspaces;
  const Exec exec;
  EXPECT_EQ(workspaces.get(exec, plan, Mode::NoTranspose, 0).num_vectors(), 0);
  for (const auto& [asked, held] : {std::pair{3, 3}, {8, 8}, {5, 8}, {1, 8}, {9, 9}}) {
    const auto& workspace = workspaces.get(exec, plan, Mode::NoTranspose, asked);
    EXPECT_EQ(workspace.num_vectors(), held);
    EXPECT_EQ(workspace.mode(), Mode::NoTranspose);
  }
  const auto* memory = Impl::Access::data(workspaces.get(exec, plan, Mode::NoTranspose, 2));
  EXPECT_EQ(workspaces.get(exec, plan, Mode::Transpose, 2).num_vectors(), 2);  // of its own
  EXPECT_EQ(Impl::Access::data(workspaces.get(exec, plan, Mode::NoTranspose, 2)), memory);
  workspaces.reset();
  EXPECT_EQ(workspaces.get(exec, plan, Mode::NoTranspose, 2).num_vectors(), 2);
}

TYPED_TEST(WorkspacesTest, AnEmptyOneHasNoMemory) {
  const Workspace<typename TypeParam::ExecutionSpace> none;
  EXPECT_EQ(none.bytes(), 0u);
  EXPECT_EQ(none.num_vectors(), 0);
}

/// On hosts, sorted columns read X in place, in any layout.
TYPED_TEST(WorkspacesTest, SortedColumnsNeedNoMemory) {
  using Exec = typename TypeParam::ExecutionSpace;
  if (!is_host_space<Exec>) return;
  const UserMatrix<Exec, double, typename TypeParam::Offset> A{
      random_pattern<typename TypeParam::Offset>(20, 30, 0.2, 1)};
  PlanOptions options;
  options.format = Format::SortedColumns;
  auto plan = A.plan(options);
  EXPECT_EQ(plan.prepare(Exec(), 8).bytes(), 0u);
}

int products = 0;  // number of regions "Tessera::spmm" entered

/// Profilers see one named region for each product.
TYPED_TEST(WorkspacesTest, AProductIsARegion) {
  using Exec = typename TypeParam::ExecutionSpace;
  const UserMatrix<Exec, double, typename TypeParam::Offset> A{
      random_pattern<typename TypeParam::Offset>(20, 30, 0.2, 1)};
  auto plan = A.plan({});
  const Exec exec;
  auto work = plan.prepare(exec, 4, Mode::NoTranspose);
  const Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space> x("x", 30, 4), y("y", 20, 4);
  namespace Tools = Kokkos::Tools::Experimental;
  const auto before = Tools::get_callbacks();
  products = 0;
  Tools::set_push_region_callback([](const char* name) { products += std::string(name) == "Tessera::spmm"; });
  spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
  spmm(exec, plan, work, Mode::NoTranspose, 0.0, x, 1.0, y);
  exec.fence();
  Tools::set_callbacks(before);
  EXPECT_EQ(products, 2);
}

}  // namespace Tessera::Impl::Test
