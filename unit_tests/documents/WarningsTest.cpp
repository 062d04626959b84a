// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of docs/using.md about warnings.
#include <gtest/gtest.h>

#include <string_view>
#include <tessera/Warnings.hpp>

namespace {

void log(std::string_view) {}

TEST(Warnings, AreTakenOrDropped) {
  const Tessera::WarningHandler at_first = Tessera::set_warning_handler(nullptr);
  Tessera::set_warning_handler([](std::string_view warning) { log(warning); });
  EXPECT_NE(Tessera::set_warning_handler(nullptr), nullptr);
  Tessera::set_warning_handler(nullptr);  // nothing is printed
  EXPECT_EQ(Tessera::set_warning_handler(at_first), nullptr);
}

}  // namespace
