// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit that is compiled against Kokkos Kernels' own headers does not multiply with Tessera, even in the same program.
#include <gtest/gtest.h>

#define APPLICATION OtherApplication
#include "Application.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

TEST(TplTest, UnitsWithoutTheTplAreAsTheyWere) {
  for (const int columns : {0, 1, 7}) {
    const ToolEvents events;
    EXPECT_LE(OtherApplication::multiply_doubles("N", columns), 1) << columns << " columns";
    EXPECT_EQ(events.executions(), 0u) << columns << " columns" << events.text();
  }
}

}  // namespace Tessera::Impl::Test
