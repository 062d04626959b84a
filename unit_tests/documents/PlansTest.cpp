// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines about plans in docs/using.md, formats.md, precision.md, published-kernels.md, plan-files.md and
// guides/tuning.md.
#include <cstdio>
#include <iostream>
#include <string>
#include <tessera/Tessera.hpp>

#include "Documents.hpp"

namespace Tessera::Documents {

namespace {

TEST(Plans, AreOperators) {
  const Space exec;
  const auto matrix = make_matrix<double>();
  const int n = matrix.rows, k = 4;
  const auto X = make_block<double>(n, k, 1), Y = make_block<double>(n, k, 0), R = make_block<double>(n, k, 1);
  const auto P = X, Q = make_block<double>(n, k, 0), B = Y;
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> rho("rho", k, k);
  const Kokkos::View<double*, Kokkos::HostSpace> squared_norms("squared_norms", k);

  const Tessera::PlanOperator A(exec, Tessera::make_plan(exec, matrix));
  A(X, Y);                                    // Y = A X
  A.multiply_with_inner_products(P, Q, rho);  // Q = A P and rho = P^T Q
  A.residual(X, B, R, squared_norms);         // R = B - A X
  exec.fence();
  EXPECT_EQ(element(Y, 0, k - 1), first_sum);
  EXPECT_EQ(element(Q, 0, k - 1), first_sum);
  EXPECT_GE(rho(k - 1, k - 1), first_sum);
  for (int j = 0; j < k; ++j) EXPECT_EQ(squared_norms(j), 0);
}

TEST(Plans, TakeOrdersFormatsAndKernels) {
  const Space exec;
  const auto A = make_matrix<double>();
  {
    Tessera::PlanOptions options;
    options.reordering = Tessera::Reordering::Search;  // tries all that may pay; Auto leaves out what takes long
    EXPECT_NE(Tessera::make_plan(exec, A, options).explain(), "");
  }
  {
    Tessera::PlanOptions options;
    options.format = Tessera::Format::RowGroups;
    options.parameters.group_rows = 2;
    EXPECT_EQ(Tessera::make_plan(exec, A, options).format(), Format::RowGroups);
  }
  {
    Tessera::PlanOptions options;
    options.format = Tessera::Format::Bmat;
    options.kernel = Tessera::Kernel::Published;
    options.on_unsupported = OnUnsupported::FallBack;  // hosts have none
    EXPECT_EQ(Tessera::make_plan(exec, A, options).format(), Format::Bmat);
  }
}

TEST(Plans, AreTuned) {
  const Space exec;
  const auto A = make_matrix<double>();
  Tessera::PlanOptions options;
  options.tuning = Tessera::Tuning::Adaptive;
  options.hints.expected_products = 5000;
  options.tuning_file = "tessera.tuning";
  options.reordering = Tessera::Reordering::Search;
  const auto plan = Tessera::make_plan(exec, A, options);
  std::remove("tessera.tuning");
  testing::internal::CaptureStdout();
  std::cout << plan.explain();
  EXPECT_NE(testing::internal::GetCapturedStdout().find("format: "), std::string::npos);
}

TEST(Plans, TakeOptionsAsText) {
  auto options = Tessera::parse_plan_options("num_vectors=64,tuning=adaptive,tuning_file=tessera.tuning", "--plan");
  EXPECT_EQ(options.hints.num_vectors, 64);
  EXPECT_EQ(options.tuning, Tuning::Adaptive);
  EXPECT_EQ(options.tuning_file, "tessera.tuning");
}

TEST(Plans, TakeVectorsOf16Bits) {
  const Space exec;
  const auto A = make_matrix<float>();
  const auto X = make_block<Kokkos::Experimental::half_t>(A.columns, 128, 1);
  const auto Y = make_block<Kokkos::Experimental::half_t>(A.rows, 128, 0);

  const auto plan = Tessera::make_plan(exec, A, X);  // A is a matrix of float, X a View of half_t
  Tessera::spmm(exec, plan, X, Y);                   // so is Y
  exec.fence();
  EXPECT_EQ(element(Y, 0, 127), first_sum);
}

TEST(Plans, TakeAPrecision) {
  const Space exec;
  const auto A = make_matrix<float>();
  const auto X = make_block<float>(A.columns, 128, 1), Y = make_block<float>(A.rows, 128, 0);

  Tessera::PlanOptions options;
  options.precision = Tessera::Precision::Tf32x3;             // the accuracy of FP32, on tensor cores
  options.on_unsupported = Tessera::OnUnsupported::FallBack;  // native floats on hosts and on older GPUs
  const auto plan = Tessera::make_plan(exec, A, X, options);

  spmm(exec, plan, X, Y);
  exec.fence();
  EXPECT_EQ(element(Y, 0, 127), first_sum);
}

TEST(Plans, AreKeptInFiles) {
  const Space exec;
  const auto A = make_matrix<double>();
  const auto values = A.values;
  const auto X = make_block<double>(A.columns, 2, 1), Y = make_block<double>(A.rows, 2, 0);
  auto plan = make_plan(exec, A);

  Tessera::save_plan(exec, plan, "A.plan");
  plan = Tessera::load_plan<double>(exec, "A.plan");
  plan.update_values(exec, values);  // as with the plan that was saved

  std::remove("A.plan");
  spmm(exec, plan, X, Y);
  exec.fence();
  EXPECT_EQ(element(Y, 0, 1), first_sum);
}

}  // namespace

}  // namespace Tessera::Documents
