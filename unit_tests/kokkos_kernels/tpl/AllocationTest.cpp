// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If Tessera runs out of memory in a product, Kokkos Kernels multiplies instead, also in later products of this matrix.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <optional>
#include <type_traits>

#include "Application.hpp"
#include "FailingAllocator.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

TEST(TplAllocation, WithoutMemoryKokkosKernelsMultiplies) {
  if (!std::is_same_v<Kokkos::DefaultExecutionSpace::memory_space, Kokkos::HostSpace>)
    GTEST_SKIP() << "memory comes from elsewhere";
  long failures = 0, remembered = 0;
  for (bool has_failed = true; has_failed && !HasFailure(); failures += has_failed) {
    std::optional<ToolEvents> second;
    const auto before = [&] { fail_allocation(failures + 1, Failing::Arrays); };
    const auto after = [&] {
      has_failed = allocation_has_failed();
      fail_allocation(0);
      second.emplace();
    };
    EXPECT_LE(Application::multiply_twice(before, after), 1) << "allocation " << failures + 1;
    if (!has_failed) {
      EXPECT_EQ(second->executions(), 1U) << second->text();
    }
    remembered += second->executions() == 0;
  }
  EXPECT_GE(failures, 5);
  EXPECT_GE(remembered, failures - 2);  // nothing is remembered if the entry itself cannot be allocated
}

}  // namespace Tessera::Impl::Test
