// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of two translation units, one with the adapter: each handle must use its own library in both.
#include "SpmvCheck.hpp"
#include "ToolEvents.hpp"
#include "TwoUnits.hpp"

namespace Tessera::Impl::Test {

namespace {

/// Checks a product in every mode, with one and with several vectors.
template <class Multiply>
void expect_executions(std::size_t expected, const Multiply& multiply) {
  const CrsCase<double> A(random_pattern<int>(31, 22, 0.2, 1));
  for (const Mode mode : every_mode) {
    const auto expect_one = [&](const auto& x, const auto& y) {
      expect_right(A.elements, mode, 2, -0.5, x, y, [&](double a, double b) {
        const ToolEvents events;
        multiply(A.matrix, letter(mode), a, x, b, y);
        EXPECT_EQ(events.executions(), expected) << events.text();
        EXPECT_EQ(events.analyses(), expected) << events.text();
      });
    };
    const int rows = x_rows(A.elements, mode), result_rows = y_rows(A.elements, mode);
    expect_one(UnitVector("x", rows), UnitVector("y", result_rows));
    for (const int columns : {1, 5}) {
      expect_one(UnitVectors("x", rows, columns), UnitVectors("y", result_rows, columns));
    }
  }
}

}  // namespace

TEST(TwoUnitsTest, OwnHandleWithoutTheAdapter) {
  expect_executions(0, [](const auto&... arguments) { own_product_without_adapter(arguments...); });
}

TEST(TwoUnitsTest, OwnHandleBesideTheAdapter) {
  expect_executions(0, [](const auto&... arguments) { own_product_with_adapter(arguments...); });
}

TEST(TwoUnitsTest, TesserasHandle) {
  expect_executions(1, [](const auto&... arguments) { tessera_product(arguments...); });
}

}  // namespace Tessera::Impl::Test
