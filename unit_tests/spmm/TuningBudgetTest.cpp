// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "TuningBudget.hpp"

namespace Tessera::Impl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A budget with a predicted product time of 1 ms by default.
TuningBudget budget_for(Tuning tuning, int products, double spent = 0, double product_seconds = 1e-3) {
  PlanOptions options;
  options.tuning = tuning;
  options.hints.expected_products = products;
  return TuningBudget(options, spent, product_seconds);
}

TEST(TuningBudget, MeasureHasNoLimit) {
  TuningBudget budget = budget_for(Tuning::Measure, 0, 1e6);
  EXPECT_TRUE(budget.pays_for(1));
  budget.spend(1e9, 1e-6);
  EXPECT_TRUE(budget.pays_for(5));
}

/// Measuring a candidate is assumed to cost 20 products. At least ten times this number must be expected.
TEST(TuningBudget, FewProductsPayForNothing) {
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 1).pays_for(1));
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 399).pays_for(2));
  EXPECT_TRUE(budget_for(Tuning::Adaptive, 401).pays_for(2));
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 401).pays_for(3));
  EXPECT_TRUE(budget_for(Tuning::Adaptive, 0).pays_for(5));  // unknown: a thousand
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 0).pays_for(6));
}

TEST(TuningBudget, SamplesOfShortProductsCost) {
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 1000, 0, 1e-6).pays_for(1));  // has .1 ms for three samples of 50 us
  EXPECT_TRUE(budget_for(Tuning::Adaptive, 3100, 0, 1e-6).pays_for(2));
}

TEST(TuningBudget, ATenthOfTheProductsPays) {
  TuningBudget budget = budget_for(Tuning::Adaptive, 1000);  // the budget is the time of 100 products: .1 s
  budget.spend(0.04, 1e-3);
  EXPECT_TRUE(budget.pays_for(1));  // 0.08 s, if it costs 0.04 s again
  EXPECT_FALSE(budget.pays_for(2));
  budget.spend(0.04, 2e-3);
  EXPECT_FALSE(budget.pays_for(1));  // 0.12 s; the slower product does not increase the budget
}

TEST(TuningBudget, TheNextCostsAsMuchAsTheDearest) {
  TuningBudget cheap = budget_for(Tuning::Adaptive, 1000), dear = cheap;
  cheap.spend(0.001, 1e-3);
  EXPECT_TRUE(cheap.pays_for(1));
  dear.spend(0.051, 1e-3);
  EXPECT_FALSE(dear.pays_for(1));
}

TEST(TuningBudget, OtherOrdersHaveSpent) {
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 1000, 1e6).pays_for(1));
  TuningBudget budget = budget_for(Tuning::Adaptive, 1000, 0.05);
  budget.spend(0.02, 1e-3);
  EXPECT_TRUE(budget.pays_for(1));
  budget.spend(0.02, 1e-3);
  EXPECT_FALSE(budget.pays_for(1));
}

/// Measured times replace predicted ones, faster or slower. A rejected candidate changes nothing.
TEST(TuningBudget, GoesByMeasuredProducts) {
  TuningBudget budget = budget_for(Tuning::Adaptive, 1000);
  budget.spend(0.01, infinity);
  EXPECT_TRUE(budget.pays_for(1));
  TuningBudget slower = budget, faster = budget;
  slower.spend(0.01, 1e-2);
  EXPECT_TRUE(slower.pays_for(4));
  faster.spend(0.01, 2e-4);
  EXPECT_FALSE(faster.pays_for(1));
}

}  // namespace
}  // namespace Tessera::Impl
