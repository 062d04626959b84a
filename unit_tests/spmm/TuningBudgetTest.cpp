// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "TuningBudget.hpp"

namespace Tessera::Impl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A budget for products of predicted 0.1 ms. A candidate is predicted to take 1 ms: building it takes as long as five
/// products, and five follow.
TuningBudget budget_for(Tuning tuning, int products, double spent = 0, double build_seconds = 5e-4,
                        double product_seconds = 1e-4) {
  PlanOptions options;
  options.tuning = tuning;
  options.hints.expected_products = products;
  return TuningBudget(options, spent, build_seconds, product_seconds);
}

TEST(TuningBudget, MeasureHasNoLimit) {
  TuningBudget budget = budget_for(Tuning::Measure, 0, 1e6);
  EXPECT_TRUE(budget.pays_for(1));
  budget.spend(1e9, 1e-6);
  EXPECT_TRUE(budget.pays_for(5));
}

TEST(TuningBudget, FewProductsPayForNothing) {
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 1).pays_for(1));
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 199).pays_for(2));
  EXPECT_TRUE(budget_for(Tuning::Adaptive, 201).pays_for(2));
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 201).pays_for(3));
  EXPECT_TRUE(budget_for(Tuning::Adaptive, 0, 0, 5e-5, 1e-5).pays_for(4));  // unknown: a thousand, 1 ms
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 0, 0, 5e-5, 1e-5).pays_for(5));
}

TEST(TuningBudget, NoMoreThanTenMilliseconds) {
  EXPECT_TRUE(budget_for(Tuning::Adaptive, 1000000000).pays_for(9));
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 1000000000).pays_for(11));
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 1000000000, 9.5e-3).pays_for(1));  // for all orders together
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 1000000000, 0, 0, 1.5e-3).pays_for(2));
  TuningBudget budget = budget_for(Tuning::Adaptive, 1000000000);
  budget.spend(0.006, 1e-4);
  EXPECT_FALSE(budget.pays_for(1));
}

TEST(TuningBudget, SamplesOfShortProductsCost) {
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 1500, 0, 0, 1e-6).pays_for(1));  // .15 ms are three samples of 50 us
  EXPECT_TRUE(budget_for(Tuning::Adaptive, 3100, 0, 0, 1e-6).pays_for(2));
}

TEST(TuningBudget, FormatsThatTakeLongToBuildCost) {
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 500, 0, 5e-3).pays_for(1));
  EXPECT_TRUE(budget_for(Tuning::Adaptive, 600, 0, 5e-3).pays_for(1));
}

TEST(TuningBudget, ATenthOfTheProductsPays) {
  TuningBudget budget = budget_for(Tuning::Adaptive, 500);  // the budget is the time of 50 products: 5 ms
  budget.spend(0.002, 1e-4);
  EXPECT_TRUE(budget.pays_for(1));  // 4 ms, if it costs 2 ms again
  EXPECT_FALSE(budget.pays_for(2));
  budget.spend(0.002, 2e-4);
  EXPECT_FALSE(budget.pays_for(1));  // 6 ms; the slower product does not increase the budget
}

TEST(TuningBudget, TheNextCostsAsMuchAsTheDearest) {
  TuningBudget cheap = budget_for(Tuning::Adaptive, 500), dear = cheap;
  cheap.spend(0.0001, 1e-4);
  EXPECT_TRUE(cheap.pays_for(4));  // as predicted
  EXPECT_FALSE(cheap.pays_for(5));
  dear.spend(0.0026, 1e-4);
  EXPECT_FALSE(dear.pays_for(1));
}

TEST(TuningBudget, OtherOrdersHaveSpent) {
  EXPECT_FALSE(budget_for(Tuning::Adaptive, 500, 1e6).pays_for(1));
  TuningBudget budget = budget_for(Tuning::Adaptive, 500, 0.0025);
  budget.spend(0.001, 1e-4);
  EXPECT_TRUE(budget.pays_for(1));
  budget.spend(0.001, 1e-4);
  EXPECT_FALSE(budget.pays_for(1));
}

/// Measured times replace predicted ones, faster or slower. A rejected candidate changes nothing.
TEST(TuningBudget, GoesByMeasuredProducts) {
  TuningBudget budget = budget_for(Tuning::Adaptive, 100);  // 1 ms
  budget.spend(0.0001, infinity);
  EXPECT_FALSE(budget.pays_for(1));
  TuningBudget slower = budget;
  slower.spend(0.0001, 5e-4);  // 5 ms, and a candidate takes 3 ms
  EXPECT_TRUE(slower.pays_for(1));
  EXPECT_FALSE(slower.pays_for(2));
  TuningBudget faster = budget_for(Tuning::Adaptive, 300);
  EXPECT_TRUE(faster.pays_for(1));
  faster.spend(0.0001, 1e-5);
  EXPECT_FALSE(faster.pays_for(1));
}

}  // namespace
}  // namespace Tessera::Impl
