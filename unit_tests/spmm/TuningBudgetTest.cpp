// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "TuningBudget.hpp"

namespace Tessera::Impl {
namespace {

TuningBudget budget_for(Tuning tuning, int products, double spent = 0) {
  PlanOptions options;
  options.tuning = tuning;
  options.expected_products = products;
  return TuningBudget(options, spent);
}

TEST(TuningBudget, MeasureHasNoLimit) {
  TuningBudget budget = budget_for(Tuning::Measure, 0, 1e6);
  EXPECT_TRUE(budget.pays_for_two());
  budget.spend(1e9, 1e-6);
  EXPECT_TRUE(budget.pays_for_another());
}

/// Two candidates are taken to cost 40 products, of which there must be ten times as many.
TEST(TuningBudget, FewProductsPayForNothing) {
  EXPECT_FALSE(budget_for(Tuning::Automatic, 0).pays_for_two());
  EXPECT_FALSE(budget_for(Tuning::Automatic, 399).pays_for_two());
  EXPECT_TRUE(budget_for(Tuning::Automatic, 400).pays_for_two());
}

TEST(TuningBudget, ATenthOfTheProductsPays) {
  TuningBudget budget = budget_for(Tuning::Automatic, 1000);  // for 100 products: .1 s
  EXPECT_TRUE(budget.pays_for_another());
  budget.spend(0.04, 1e-3);
  EXPECT_TRUE(budget.pays_for_another());  // .04 as before makes .08
  budget.spend(0.04, 2e-3);
  EXPECT_FALSE(budget.pays_for_another());  // .12, though the slower product would pay for more
}

TEST(TuningBudget, TheNextCostsAsMuchAsTheDearest) {
  TuningBudget cheap = budget_for(Tuning::Automatic, 1000), dear = cheap;
  cheap.spend(0.001, 1e-3);
  EXPECT_TRUE(cheap.pays_for_another());
  dear.spend(0.051, 1e-3);
  EXPECT_FALSE(dear.pays_for_another());
}

TEST(TuningBudget, OtherOrdersHaveSpent) {
  TuningBudget budget = budget_for(Tuning::Automatic, 1000, 0.05);
  budget.spend(0.02, 1e-3);
  EXPECT_TRUE(budget.pays_for_another());
  budget.spend(0.02, 1e-3);
  EXPECT_FALSE(budget.pays_for_another());
}

}  // namespace
}  // namespace Tessera::Impl
