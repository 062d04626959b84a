// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times products that also sum over the rows of their result (SpmmWithSums.hpp), against a product followed by dense
// algebra, X and Y row-major in double:
//   fused_products [MATRIX]... [--format csr] [--num_vecs 4 16] [other options: --help]
// The sums are those of conjugate gradients (XtY: Y = A X and X^T Y), those of eigensolvers (both: Y^T Y, too), and the
// norms of a residual. In each iteration the two ways take turns; a turn is ten successive calls.
//   Time         a call that multiplies and sums
//   baseline_ms  the separate calls
//   ratio        baseline_ms / Time
#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <tessera/PlanOperator.hpp>
#include <vector>

#include "CommandLine.hpp"
#include "Turns.hpp"

using namespace Tessera::Impl::Benchmarks;
using Tessera::Format;
using Tessera::Mode;
using Tessera::Impl::TallBlock;

namespace {

using Rows = Vectors<Kokkos::LayoutRight>;

TallBlock<double> block(const Rows& X) {
  return {X.data(), int(X.extent(0)), int(X.extent(1)), std::ptrdiff_t(X.extent(1)), nullptr};
}
TallBlock<const double> read(const Rows& X) { return block(X); }

/// A product with sums in one pass and in several passes, on the same operands.
struct Operands {
  Space exec;
  DevicePlan plan;
  Tessera::Workspace<Space> work;
  Tessera::Impl::DenseWorkspace<Space> dense_work;
  int columns;
  Rows X, Y, Z, B;
  std::vector<double> XtY, both;

  Operands(const DeviceMatrix& A, Format format, int count) : columns(count) {
    Tessera::PlanOptions options;
    options.format = format;
    options.hints.num_vectors = columns;
    options.hints.expected_products = countless;
    plan = A.plan(exec, options);
    work = plan.prepare(exec, columns, Mode::NoTranspose);
    X = Rows("X", A.columns, columns);
    Y = Rows("Y", A.rows, columns);
    Z = Rows("Z", A.rows, columns);
    B = Rows("B", A.rows, columns);
    scatter_values(X);
    scatter_values(B);
    XtY.resize(std::size_t(columns) * std::size_t(columns));
    both.resize(2 * XtY.size());
  }

  void multiply(const Rows& target) { Tessera::spmm(exec, plan, work, Mode::NoTranspose, 1.0, X, 0.0, target); }
  void multiply_with(bool is_both) {
    using Matrix = Tessera::InnerProducts<double>::Matrix;
    const Matrix xy(XtY.data(), columns, columns), yy(both.data(), columns, columns);
    const Tessera::InnerProducts<double> sums{xy, is_both ? yy : Matrix()};
    Tessera::spmm_with_inner_products(exec, plan, work, Mode::NoTranspose, 1, X, 0, Y, sums);
  }
  void multiply_then(bool is_both) {
    multiply(Z);
    const TallBlock<const double> blocks[] = {read(X), read(Z)};
    const int rows = (is_both ? 2 : 1) * columns;
    Tessera::Impl::inner_products<Space, double>(exec, dense_work, std::span(blocks, is_both ? 2 : 1), read(Z),
                                                 {both.data(), rows, columns, rows});
  }
  void residual() {
    const Kokkos::View<double*, Kokkos::HostSpace> norms(XtY.data(), std::size_t(columns));
    Tessera::residual(exec, plan, work, Mode::NoTranspose, X, B, Y, norms);
  }
  void residual_in_steps() {
    Tessera::Impl::copy<Space, double>(exec, read(B), block(Z));
    Tessera::spmm(exec, plan, work, Mode::NoTranspose, -1.0, X, 1.0, Z);
    Tessera::Impl::dots<Space, double>(exec, dense_work, read(Z), read(Z), both.data());
  }
};

void time_sums(benchmark::State& state, const std::string& sums, const DeviceMatrix& A, Format format, int columns) {
  Operands o(A, format, columns);
  const bool is_both = sums == "both", is_residual = sums == "residual";
  const auto fused = [&] { is_residual ? o.residual() : o.multiply_with(is_both); };
  const auto separate = [&] { is_residual ? o.residual_in_steps() : o.multiply_then(is_both); };
  const double elements = double(A.rows) * columns;
  const double flops = 2.0 * double(A.nonzeros()) * columns + elements * (is_residual ? 3.0
                                                                          : is_both   ? 3.0 * columns
                                                                                      : 2.0 * columns);
  time_in_turns(state, o.exec, flops, fused, separate);
  state.SetLabel(std::string(to_string(o.plan.format())));
  report_difference(state, o.Y, o.Z);
}

void register_benchmarks(const Settings& settings) {
  for (const Case& one : all_cases(settings)) {
    if (matrix_of(one.matrix).rows != matrix_of(one.matrix).columns) continue;
    for (const std::string sums : {"XtY", "both", "residual"}) {
      add_benchmark(one.name("fused", settings, {{"sums", sums}}), 5, [=](benchmark::State& state) {
        time_sums(state, sums, matrix_of(one.matrix), one.format, one.columns);
      });
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  return run_benchmarks(argc, argv, "Times products with sums over rows beside products and sums.",
                        {.matrices = {"stencil27:64", "elasticity:24", "uniform:200000,16"},
                         .formats = {Format::Csr},
                         .columns = {1, 4, 16, 64}},
                        register_benchmarks);
}
