// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <tessera/Tessera.hpp>
#include <tessera/io/ReadMatrix.hpp>

/// The layout of types that programs make themselves, or hold. A change of it breaks programs that
/// were compiled before: docs/releases.md, section ABI, allows that in a new minor version only.
namespace Tessera::Impl::Test {

#if defined(__x86_64__) && defined(__GLIBCXX__)
template <class Type>
void expect_layout(const char* type, std::size_t size, std::size_t alignment) {
  EXPECT_EQ(sizeof(Type), size) << type;
  EXPECT_EQ(alignof(Type), alignment) << type;
}

TEST(Layout, StaysInPatches) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  expect_layout<PlanHints>("PlanHints", 12, 4);
  expect_layout<FormatParameters>("FormatParameters", 36, 4);
  expect_layout<PlanOptions>("PlanOptions", 128, 8);
  expect_layout<Plan<double, Exec>>("Plan", 16, 8);
  expect_layout<Workspace<Exec>>("Workspace", 32, 8);
  expect_layout<BlockCgOptions<double>>("BlockCgOptions", 72, 8);
  expect_layout<BlockCgIteration>("BlockCgIteration", 32, 8);
  expect_layout<BlockCgResult>("BlockCgResult", 88, 8);
  expect_layout<BlockCgWorkspace<Exec, double>>("BlockCgWorkspace", 8, 8);
  expect_layout<FormatTooLarge>("FormatTooLarge", 16, 8);
  expect_layout<Version>("Version", 152, 8);
  expect_layout<HostCsr<double>>("HostCsr", 80, 8);
  expect_layout<HostDense<double>>("HostDense", 40, 8);
  expect_layout<MatrixHeader>("MatrixHeader", 24, 8);
  expect_layout<ReadOptions>("ReadOptions", 56, 8);
}
#endif

}  // namespace Tessera::Impl::Test
