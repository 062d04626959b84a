// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of docs/tutorial.md, and their output. Tests only check that times and machine-dependent output are
// printed.
#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <string>
#include <tuple>

#include "Documents.hpp"

namespace Tessera::Documents {

namespace {

/// Returns the output of a function.
template <class Function>
std::string printed(const Function& function) {
  testing::internal::CaptureStdout();
  function();
  std::fflush(stdout);
  std::cout.flush();
  return testing::internal::GetCapturedStdout();
}

/// Returns the result of a step, and discards its output.
template <class Step>
auto quietly(const Step& step) {
  testing::internal::CaptureStdout();
  auto result = step();
  testing::internal::GetCapturedStdout();
  return result;
}

auto first_step() {
  const auto A = to_device(Tessera::generate("stencil27:20"));  // or Tessera::read_matrix<double>("A.mtx.gz")
  const Vectors X("X", A.numCols(), 32), Y("Y", A.numRows(), 32);
  Kokkos::deep_copy(X, 1.0);

  auto plan = Tessera::make_plan(A, X);  // once
  Tessera::spmm(plan, X, Y);             // Y = A X, as often as you like
  print("Y", Y);

  return std::tuple(A, X, Y, plan);
}

TEST(Tutorial, Step1Multiplies) { EXPECT_EQ(printed(first_step), "Y(0, :) = 19 19 19 ...\nY(1, :) = 15 15 15 ...\n"); }

/// Returns the time of a product in milliseconds.
template <class Layout>
double milliseconds(const auto& A, int columns) {
  const Kokkos::View<double**, Layout> X("X", A.numCols(), columns), Y("Y", A.numRows(), columns);
  const auto plan = Tessera::make_plan(A, X);  // for this layout and this number of columns
  Tessera::spmm(plan, X, Y);                   // the first product allocates, and on a GPU loads the kernel
  Kokkos::fence();
  const Kokkos::Timer timer;
  for (int i = 0; i < 20; ++i) Tessera::spmm(plan, X, Y);
  Kokkos::fence();
  return 1000 * timer.seconds() / 20;
}

void measure(int size) {
  const auto A = to_device(Tessera::generate("elasticity:" + std::to_string(size)));
  for (const int columns : {1, 8, 32}) {
    const double right = milliseconds<Kokkos::LayoutRight>(A, columns);
    const double left = milliseconds<Kokkos::LayoutLeft>(A, columns);
    std::printf("%2d columns: LayoutRight %.2f ms, LayoutLeft %.2f ms\n", columns, right, left);
  }
}

TEST(Tutorial, Step2MeasuresColumnsAndLayouts) {
  const std::string lines = printed([] { measure(4); });
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 3);
  EXPECT_NE(lines.find("32 columns: LayoutRight "), std::string::npos) << lines;
}

auto third_step() {
  auto [A, X, Y, plan] = first_step();

  const Kokkos::DefaultExecutionSpace exec;
  auto stencil = Tessera::generate("stencil27:20");
  for (double& value : stencil.values) value *= 2;
  const auto twice = to_device(stencil.values);

  plan.update_values(exec, twice);  // one pass over them, without analysis
  Tessera::spmm(plan, X, Y);
  print("Y", Y);

  return std::tuple(A, X, Y, plan);
}

TEST(Tutorial, Step3TakesNewValues) {
  EXPECT_EQ(printed(third_step),
            "Y(0, :) = 19 19 19 ...\nY(1, :) = 15 15 15 ...\nY(0, :) = 38 38 38 ...\nY(1, :) = 30 30 30 ...\n");
}

TEST(Tutorial, Step4TransposesAndAdds) {
  const Kokkos::DefaultExecutionSpace exec;
  testing::internal::CaptureStdout();

  const auto graph = to_device(Tessera::generate("rmat:10,8"));  // an entry (i, j) is an edge from i to j
  Kokkos::deep_copy(graph.values, 1.0);
  const Vectors ones("ones", graph.numRows(), 32), degrees("degrees", graph.numRows(), 32);
  Kokkos::deep_copy(ones, 1.0);

  const auto edges = Tessera::make_plan(graph, ones);
  Tessera::spmm(edges, ones, degrees);  // the edges that leave each vertex
  print("leave", degrees);
  Tessera::spmm(exec, edges, Tessera::Mode::Transpose, 1.0, ones, 0.0, degrees);  // those that arrive
  print("arrive", degrees);
  Tessera::spmm(exec, edges, Tessera::Mode::NoTranspose, 0.5, ones, 0.5, degrees);  // the mean of both
  print("mean", degrees);

  const std::string lines = testing::internal::GetCapturedStdout();
  EXPECT_EQ(lines,
            "leave(0, :) = 244 244 244 ...\nleave(1, :) = 117 117 117 ...\n"
            "arrive(0, :) = 235 235 235 ...\narrive(1, :) = 120 120 120 ...\n"
            "mean(0, :) = 239.5 239.5 239.5 ...\nmean(1, :) = 118.5 118.5 118.5 ...\n");
}

TEST(Tutorial, Step5Solves) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto [A, X, Y, plan] = quietly(third_step);
  testing::internal::CaptureStdout();

  const Vectors B("B", A.numRows(), 8), S("S", A.numCols(), 8);  // S begins with zeros: the initial guess
  const auto b = Kokkos::create_mirror_view(B);
  for (int i = 0; i < A.numRows(); ++i)
    for (int j = 0; j < 8; ++j) b(i, j) = std::cos(i * (j + 1));
  Kokkos::deep_copy(B, b);

  const Tessera::PlanOperator multiply(exec, plan);  // multiply(P, Q) makes Q = A P
  const auto result = Tessera::block_cg(exec, multiply, B, S, {.tolerance = 1e-10});
  const double residual = *std::max_element(result.residuals.begin(), result.residuals.end());
  std::printf("%s, %d iterations, residual %.0e\n", to_string(result.stop).c_str(), result.iterations, residual);

  const std::string line = testing::internal::GetCapturedStdout();
  EXPECT_EQ(line.substr(0, 11), "converged, ") << line;
  EXPECT_LE(residual, 1e-10);
}

TEST(Tutorial, Step6SavesLimitsAndExplains) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto [A, X, Y, plan] = quietly(third_step);
  testing::internal::CaptureStdout();

  Tessera::save_plan(exec, plan, "stencil.plan");
  const auto loaded = Tessera::load_plan<double>(exec, "stencil.plan");  // no analysis
  Tessera::spmm(loaded, X, Y);
  print("Y", Y);

  Tessera::PlanOptions options;
  options.memory_limit = 1000000;  // bytes
  try {
    Tessera::make_plan(A, X, options);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }

  std::cout << plan.explain();
  std::cout << plan.stats() << '\n';

  std::cout.flush();
  const std::string lines = testing::internal::GetCapturedStdout();
  std::remove("stencil.plan");
  EXPECT_EQ(lines.substr(0, 46), "Y(0, :) = 38 38 38 ...\nY(1, :) = 30 30 30 ...\n") << lines;
  EXPECT_NE(lines.find("memory_limit allows 1000000"), std::string::npos) << lines;
  EXPECT_NE(lines.find("\n  format: "), std::string::npos) << lines;
  EXPECT_NE(lines.find("\"products\""), std::string::npos) << lines;
}

}  // namespace

}  // namespace Tessera::Documents
