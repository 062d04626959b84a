// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of docs/solvers.md, and the lines of docs/guides/mpi.md without Trilinos.
#include <iostream>
#include <string>

#include "Documents.hpp"

namespace Tessera::Documents {

namespace {

TEST(Solvers, SolveWithAPlan) {
  const Space exec;
  const auto A = make_matrix<double>();
  auto plan = make_plan(exec, A);
  const auto B = make_block<double>(A.rows, 3, 1), X = make_block<double>(A.rows, 3, 0);
  const auto precondition = [&](const auto& R, const auto& Z) { Kokkos::deep_copy(exec, Z, R); };

  const Tessera::PlanOperator multiply(exec, std::move(plan));  // multiply(P, Q) makes Q = A P
  Tessera::BlockCgWorkspace<Space, double> workspace;           // solutions after the first allocate no Views
  const auto result = Tessera::block_cg(exec, multiply, precondition, B, X, {.tolerance = 1e-10}, workspace);
  if (!result.has_converged) std::cerr << to_string(result.stop) << '\n';

  EXPECT_TRUE(result.has_converged);
  for (const double residual : result.residuals) EXPECT_LE(residual, 1e-10);
}

/// An operator that counts the calls of multiply_with_inner_products().
class Counting {
 public:
  explicit Counting(const Matrix<double>& A) : multiply_(Space(), make_plan(Space(), A)) {}

  void operator()(const auto& P, const auto& Q) { multiply_(P, Q); }
  void multiply_with_inner_products(const auto& P, const auto& Q, const auto& PtQ);
  int count() const { return count_; }

 private:
  PlanOperator<double> multiply_;
  int count_ = 0;
};

void Counting::multiply_with_inner_products(const auto& P, const auto& Q, const auto& PtQ) {
  ++count_;
  multiply_.multiply_with_inner_products(P, Q, PtQ);
}

TEST(Solvers, TakeInnerProductsFromProducts) {
  const Space exec;
  const auto A = make_matrix<double>();
  const auto B = make_block<double>(A.rows, 1, 1), X = make_block<double>(A.rows, 1, 0);
  Counting multiply(A);
  EXPECT_TRUE(block_cg(exec, multiply, B, X).has_converged);
  EXPECT_GT(multiply.count(), 0);
}

/// Columns first, ..., end - 1 of a matrix, renumbered from 0.
Matrix<double> columns_of(const HostCsr<double>& A, int first, int end) {
  std::vector<std::size_t> row_offsets{0};
  std::vector<int> columns;
  std::vector<double> values;
  for (int row = 0; row < A.rows; ++row) {
    for (auto k = A.row_offsets[std::size_t(row)]; k < A.row_offsets[std::size_t(row) + 1]; ++k) {
      const int column = A.column_indices[k];
      if (column < first || column >= end) continue;
      columns.push_back(column - first);
      values.push_back(A.values[k]);
    }
    row_offsets.push_back(columns.size());
  }
  return {
      A.rows, end - first, {to_device<std::size_t>(row_offsets), to_device<int>(columns)}, to_device<double>(values)};
}

TEST(Solvers, AddTheProductWithTheHalo) {
  const Space exec;
  const auto A = generate("stencil27:4");
  const int columns = 2, cut = 40;
  const auto own = make_plan(exec, columns_of(A, 0, cut)), halo = make_plan(exec, columns_of(A, cut, A.columns));
  const auto X = make_block<double>(cut, columns, 1), X_halo = make_block<double>(A.columns - cut, columns, 0);
  const auto Y = make_block<double>(A.rows, columns, 5);
  const auto start_exchange = [](const auto&, const auto& to) { Kokkos::deep_copy(to, 1.0); };
  const auto finish_exchange = [&](const auto&) { exec.fence(); };

  start_exchange(X, X_halo);  // yours
  Tessera::spmm(exec, own, X, Y);
  finish_exchange(X_halo);  // yours
  Tessera::spmm(exec, halo, Tessera::Mode::NoTranspose, 1.0, X_halo, 1.0, Y);

  exec.fence();
  EXPECT_EQ(element(Y, 0, 1), first_sum);
  EXPECT_EQ(element(Y, A.rows - 1, 1), first_sum);  // the corner on the other side
}

}  // namespace

}  // namespace Tessera::Documents
