// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of docs/guides/graphs.md, for a ring: each vertex gets half of its own and half of the next one's features.
#include "Documents.hpp"

namespace Tessera::Documents {

namespace {

TEST(Graphs, AreMultipliedInBothDirections) {
  const Space exec;
  const int vertices = 5, features = 3, layers = 2, steps = 10;
  const auto row_offsets = to_device<int>(std::vector<int>{0, 2, 4, 6, 8, 10});
  const auto targets = to_device<int>(std::vector<int>{1, 0, 2, 1, 3, 2, 4, 3, 0, 4});
  auto weights = to_device<float>(std::vector<double>(10, 0.5));
  const auto X = make_block<float>(vertices, features, 0), H = make_block<float>(vertices, features, 9);
  const auto dX = make_block<float>(vertices, features, 9), dH = X;
  Kokkos::deep_copy(Kokkos::subview(X, 0, Kokkos::ALL), 4.0F);  // vertex 0 alone has features

  Tessera::PlanOptions options;
  options.hints.expected_products = 2 * layers * steps;
  options.tuning = Tessera::Tuning::Adaptive;  // measures where predictions cannot tell, if that pays for so many
  auto plan = Tessera::make_plan(exec, vertices, vertices, row_offsets, targets, weights, X, options);

  auto forward = plan.prepare(exec, features);
  auto backward = plan.prepare(exec, features, Tessera::Mode::Transpose);  // builds the transpose, once a plan
  Tessera::spmm(exec, plan, forward, X, H);
  Tessera::spmm(exec, plan, backward, Tessera::Mode::Transpose, 1.0f, dH, 0.0f, dX);
  exec.fence();
  EXPECT_EQ(element(H, 4, 2), 2);   // the one before vertex 0
  EXPECT_EQ(element(dX, 1, 2), 2);  // the one behind it
  EXPECT_EQ(element(H, 1, 2), 0);

  weights = to_device<float>(std::vector<double>(10, 0.25));
  plan.update_values(exec, weights);  // in the order in which edges were given to make_plan
  Tessera::spmm(exec, plan, backward, Tessera::Mode::Transpose, 1.0f, dH, 0.0f, dX);
  exec.fence();
  EXPECT_EQ(element(dX, 1, 2), 1);
}

}  // namespace

}  // namespace Tessera::Documents
