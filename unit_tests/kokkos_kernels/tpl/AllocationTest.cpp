// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory runs out in a product: Kokkos Kernels multiplies, as if there were no Tessera.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <type_traits>

#include "Application.hpp"
#include "FailingAllocator.hpp"

namespace Tessera::Test {

TEST(TplAllocation, WithoutMemoryKokkosKernelsMultiplies) {
  if (!std::is_same_v<Kokkos::DefaultExecutionSpace::memory_space, Kokkos::HostSpace>)
    GTEST_SKIP() << "memory comes from elsewhere";
  long failures = 0;
  for (bool has_failed = true; has_failed && !HasFailure(); failures += has_failed) {
    const auto before = [&] { fail_allocation(failures + 1, Failing::Arrays); };
    const auto after = [&] {
      has_failed = allocation_has_failed();
      fail_allocation(0);
    };
    EXPECT_LE(Application::multiply_between(before, after), 1) << "allocation " << failures + 1;
  }
  EXPECT_GT(failures, 10);
}

}  // namespace Tessera::Test
