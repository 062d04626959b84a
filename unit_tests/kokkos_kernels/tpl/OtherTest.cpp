// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit of the same program that was compiled against Kokkos Kernels' own headers multiplies as these say.
#include <gtest/gtest.h>

#define APPLICATION OtherApplication
#include "Application.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Test {

TEST(TplTest, UnitsWithoutTheTplAreAsTheyWere) {
  for (const auto& each : OtherApplication::cases()) {
    for (const int columns : {0, 1, 7}) {
      const ToolEvents events;
      EXPECT_LE(each.multiply("N", columns), 1) << each.name << ", " << columns << " columns";
      EXPECT_EQ(events.executions(), 0u) << each.name << ", " << columns << " columns" << events.text();
    }
  }
}

}  // namespace Tessera::Test
