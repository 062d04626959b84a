// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples of docs/api, and their output.
#include <cstdio>
#include <iostream>
#include <string>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadMatrix.hpp>

#include "Documents.hpp"

namespace Tessera::Documents {

namespace {

/// The 64 x 64 matrix of the examples, and X and Y of eight columns. X holds ones. Tests compare the printed output.
class Api : public testing::Test {
 protected:
  Api() : A(to_device(generate("stencil27:4"))), X("X", A.numCols(), 8), Y("Y", A.numRows(), 8) {
    Kokkos::deep_copy(X, 1.0);
    testing::internal::CaptureStdout();
  }

  static std::string printed() {
    std::cout.flush();
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }

  const Kokkos::DefaultExecutionSpace exec;
  const Matrix<double> A;
  const Vectors X, Y;
};

TEST_F(Api, MakePlan) {
  const auto plan = Tessera::make_plan(A, X);
  std::cout << plan.rows() << " x " << plan.columns() << ", " << plan.nonzeros() << " nonzeros\n";

  const Kokkos::View<double**, Kokkos::LayoutRight> wrong("wrong", 10, 8);
  try {
    Tessera::make_plan(A, wrong);
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << '\n';
  }

  EXPECT_EQ(
      printed(),
      "64 x 64, 1000 nonzeros\n"
      "Tessera::make_plan: X has 10 rows and A is 64 x 64; expected X with a row for each column of A, or for each "
      "row if the products are transposed\n");
}

TEST_F(Api, MakePlanOfViews) {
  const auto plan = Tessera::make_plan(exec, 64, 64, A.graph.row_map, A.graph.entries, A.values, X);
  std::cout << plan.nonzeros() << " nonzeros\n";

  EXPECT_EQ(printed(), "1000 nonzeros\n");
}

TEST_F(Api, Spmm) {
  const auto plan = Tessera::make_plan(A, X);
  Tessera::spmm(plan, X, Y);  // Y = A X
  print("Y", Y);
  Tessera::spmm(exec, plan, Tessera::Mode::Transpose, 2.0, X, 1.0, Y);  // Y = 2 A^T X + Y, with a symmetric A
  print("Y", Y);

  EXPECT_EQ(printed(),
            "Y(0, :) = 19 19 19 ...\nY(1, :) = 15 15 15 ...\nY(0, :) = 57 57 57 ...\nY(1, :) = 45 45 45 ...\n");
}

TEST_F(Api, Workspaces) {
  auto plan = Tessera::make_plan(A, X);
  auto work = plan.prepare(exec, 8);      // for products of up to 8 columns on `exec`
  Tessera::spmm(exec, plan, work, X, Y);  // allocates nothing
  print("Y", Y);
  std::cout << "mode " << to_string(work.mode()) << ", up to " << work.num_vectors() << " columns\n";

  EXPECT_EQ(printed(), "Y(0, :) = 19 19 19 ...\nY(1, :) = 15 15 15 ...\nmode N, up to 8 columns\n");
}

TEST_F(Api, UpdateValues) {
  auto plan = Tessera::make_plan(A, X);
  Kokkos::deep_copy(A.values, 1.0);
  plan.update_values(exec, A.values);
  Tessera::spmm(plan, X, Y);
  print("Y", Y);

  EXPECT_EQ(printed(), "Y(0, :) = 8 8 8 ...\nY(1, :) = 12 12 12 ...\n");
}

TEST_F(Api, FollowValues) {
  Tessera::PlanOptions options;
  options.hints.follow_values = true;  // the format is chosen for this
  auto plan = Tessera::make_plan(A, X, options);
  for (const double value : {1.0, 2.0}) {
    Kokkos::deep_copy(A.values, value);  // by code that does not know the plan
    plan.follow_values(exec, A.values);  // before each product
    Tessera::spmm(plan, X, Y);
    print("Y", Y);
  }

  EXPECT_EQ(printed(), "Y(0, :) = 8 8 8 ...\nY(1, :) = 12 12 12 ...\nY(0, :) = 16 16 16 ...\nY(1, :) = 24 24 24 ...\n");
}

TEST_F(Api, InnerProducts) {
  const auto plan = Tessera::make_plan(A, X);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> XtY("XtY", 8, 8), YtY("YtY", 8, 8);
  Tessera::spmm_with_inner_products(exec, plan, Tessera::Mode::NoTranspose, 1.0, X, 0.0, Y, {.XtY = XtY, .YtY = YtY});
  std::cout << "X^T Y: " << XtY(0, 7) << ", Y^T Y: " << YtY(0, 7) << '\n';  // both are there: the call has waited

  EXPECT_EQ(printed(), "X^T Y: 728, Y^T Y: 10232\n");
}

TEST_F(Api, Residual) {
  const auto plan = Tessera::make_plan(A, X);
  const Vectors B("B", A.numRows(), 8), R("R", A.numRows(), 8);
  Kokkos::deep_copy(B, 20.0);
  const Kokkos::View<double*, Kokkos::HostSpace> squared_norms("squared_norms", 8);
  Tessera::residual(exec, plan, Tessera::Mode::NoTranspose, X, B, R, squared_norms);  // R = B - A X
  print("R", R);
  std::cout << "|r|^2 = " << squared_norms(0) << '\n';

  EXPECT_EQ(printed(), "R(0, :) = 1 1 1 ...\nR(1, :) = 5 5 5 ...\n|r|^2 = 6712\n");
}

TEST_F(Api, Batches) {
  const auto plan = Tessera::make_batch_plan(A);
  const Kokkos::View<double**, Kokkos::LayoutRight> values("values", 3, plan.entries());
  const Kokkos::View<double***, Kokkos::LayoutRight> Xs("Xs", 3, A.numCols(), 8), Ys("Ys", 3, A.numRows(), 8);
  for (int b = 0; b < 3; ++b) Kokkos::deep_copy(Kokkos::subview(values, b, Kokkos::ALL), b + 1.0);
  Kokkos::deep_copy(Xs, 1.0);
  Tessera::spmm_batch(plan, values, Xs, Ys);
  print("Y of the last", Vectors(Kokkos::subview(Ys, 2, Kokkos::ALL, Kokkos::ALL)));
  Tessera::spmm_batch(exec, plan, Tessera::Mode::Transpose, 1.0, A.values, X, 1.0, Ys);  // one A and one X for all
  print("Y of the last", Vectors(Kokkos::subview(Ys, 2, Kokkos::ALL, Kokkos::ALL)));

  EXPECT_EQ(printed(),
            "Y of the last(0, :) = 24 24 24 ...\nY of the last(1, :) = 36 36 36 ...\nY of the last(0, :) = 43 43 43 "
            "...\nY of the last(1, :) = 51 51 51 ...\n");
}

TEST_F(Api, PlanOperator) {
  const Tessera::PlanOperator multiply(exec, Tessera::make_plan(A, X));
  multiply(X, Y);  // Y = A X
  print("Y", Y);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> XtY("XtY", 8, 8);
  multiply.multiply_with_inner_products(X, Y, XtY);
  std::cout << multiply.rows() << " rows, X^T Y: " << XtY(0, 7) << '\n';

  EXPECT_EQ(printed(), "Y(0, :) = 19 19 19 ...\nY(1, :) = 15 15 15 ...\n64 rows, X^T Y: 728\n");
}

TEST_F(Api, PlanFiles) {
  const auto plan = Tessera::make_plan(A, X);
  Tessera::save_plan(exec, plan, "matrix.plan");
  const auto loaded = Tessera::load_plan<double>("matrix.plan");  // on the default instance
  Tessera::spmm(loaded, X, Y);
  print("Y", Y);
  try {
    Tessera::load_plan<float>("matrix.plan");
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
  }

  std::remove("matrix.plan");
  EXPECT_EQ(
      printed(),
      "Y(0, :) = 19 19 19 ...\nY(1, :) = 15 15 15 ...\n"
      "matrix.plan: the plan is of numbers of 8 bytes; expected numbers of 4 bytes, which the type of the plan to be "
      "loaded has\n");
}

TEST_F(Api, BlockCg) {
  const Vectors B("B", A.numRows(), 8), S("S", A.numCols(), 8);
  Kokkos::deep_copy(B, 1.0);  // eight equal right-hand sides: one direction is enough
  const Tessera::PlanOperator multiply(exec, Tessera::make_plan(A, B));
  const auto result = Tessera::block_cg(exec, multiply, B, S, {.tolerance = 1e-10});
  std::cout << to_string(result.stop) << ", " << result.products << " products of a column\n";

  EXPECT_EQ(printed().substr(0, 11), "converged, ");
}

TEST_F(Api, BlockCgWithPreconditioner) {
  const Vectors B("B", A.numRows(), 8), S("S", A.numCols(), 8);
  Kokkos::deep_copy(B, 1.0);
  const Tessera::PlanOperator multiply(exec, Tessera::make_plan(A, B));
  const auto precondition = [&](const auto& R, const auto& Z) { Kokkos::deep_copy(exec, Z, R); };  // Z = M R
  Tessera::BlockCgOptions<double> options;
  options.max_iterations = 2;
  Tessera::BlockCgWorkspace<Kokkos::DefaultExecutionSpace, double> workspace;  // kept from one solution to the next
  const auto result = Tessera::block_cg(exec, multiply, precondition, B, S, options, workspace);
  std::cout << to_string(result.stop) << ": " << advice(result) << '\n';

  EXPECT_EQ(printed().substr(0, 46), "iterations ran out: residuals may still fall: ");
}

TEST_F(Api, PlanOptions) {
  Tessera::PlanOptions options;
  options.format = Tessera::Format::Bcsr;
  options.parameters.bcsr_block_rows = 2;
  options.parameters.bcsr_block_columns = 2;
  const auto plan = Tessera::make_plan(A, X, options);
  std::cout << "format " << to_string(plan.format()) << '\n';

  EXPECT_EQ(printed(), "format bcsr\n");
}

TEST_F(Api, ParsePlanOptions) {
  const auto options = Tessera::parse_plan_options("format=row_groups, group_rows=2, num_vectors=8", "--plan");
  std::cout << to_string(options.format) << ", " << options.hints.num_vectors << " columns\n";
  try {
    Tessera::parse_plan_options("format=fast", "--plan");
  } catch (const std::invalid_argument& error) {
    std::cout << error.what() << '\n';
  }

  EXPECT_EQ(printed(),
            "row_groups, 8 columns\n"
            "--plan: format is \"fast\"; expected one of auto, csr, bittcf, bmat, brp, bcsr, sorted_columns, staged, "
            "row_groups, compact_rows\n");
}

TEST_F(Api, Explain) {
  const auto plan = Tessera::make_plan(A, X);
  std::cout << plan.explain();
  std::cout << plan.stats() << '\n';
  std::cout << plan.bytes() << " bytes, of which format: " << plan.format_bytes() << '\n';

  const std::string lines = printed();
  EXPECT_EQ(lines.substr(0, 52), "Plan for 64 x 64, 1000 nonzeros, 8 columns of X, on ");
  EXPECT_NE(lines.find("\n  format: "), std::string::npos) << lines;
  EXPECT_NE(lines.find("\n{\"rows\": 64, "), std::string::npos) << lines;
}

TEST_F(Api, Version) {
  static_assert(TESSERA_VERSION >= 300, "needs Tessera 0.3.0");
  std::cout << to_string(Tessera::version()) << '\n';

  EXPECT_EQ(printed().substr(0, 22), "Tessera 0.3.0\ncommit: ");
}

TEST_F(Api, ReadMatrix) {
  const auto path = testing::TempDir() + "tessera_documents.mtx";
  write_matrix_market(path, generate("stencil27:4"));

  const auto host = Tessera::read_matrix<double>(path);  // Matrix Market, Harwell-Boeing, ...; plain or gzip
  std::cout << host.rows << " x " << host.columns << ", " << host.values.size() << " nonzeros\n";
  const auto header = Tessera::read_matrix_header(path);  // of the head of the file alone
  std::cout << header.rows << " rows, " << (header.is_complex ? "complex" : "real") << '\n';

  std::remove(path.c_str());
  EXPECT_EQ(printed(), "64 x 64, 1000 nonzeros\n64 rows, real\n");
}

}  // namespace

}  // namespace Tessera::Documents
