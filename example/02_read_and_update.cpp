// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A matrix from a file, whose values change from step to step while its pattern stays, as in time stepping or Newton's
// method; each step multiplies by A and by its transpose:
//   02_read_and_update [FILE]
// FILE is a real matrix, Matrix Market or binary CSR, plain or gzip; without it, a graph is generated. Everything is
// checked against plain loops on the host.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <tessera/io/Generators.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <tessera/spmm/Spmm.hpp>
#include <vector>

namespace {

using Tessera::Mode;
using Space = Kokkos::DefaultExecutionSpace;
using Values = Kokkos::View<double*, Space>;
// LayoutLeft: columns are contiguous, as solvers keep them. LayoutRight works as well, and is read a little faster.
using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

constexpr int vector_columns = 16;

template <class T>
auto to_device(const std::vector<T>& host) {
  Kokkos::View<T*, Space> device(Kokkos::view_alloc(Kokkos::WithoutInitializing, "to_device"), host.size());
  Kokkos::deep_copy(device, Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
  return device;
}

/// What a simulation would compute in each step: here, all values are scaled.
void assemble(const Space& exec, int step, const Values& first_values, const Values& values) {
  const double scale = 1 + 0.25 * step;
  Kokkos::parallel_for(
      "assemble", Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(exec, 0, values.extent(0)),
      KOKKOS_LAMBDA(std::size_t k) { values(k) = scale * first_values(k); });
}

/// Whether Y = op(A) X entry by entry, up to rounding: a sum of n products may be off by about n units in the last
/// place of the sum of their magnitudes.
bool is_product(const Tessera::HostCsr<double>& A, double scale, Mode mode, const Vectors& X, const Vectors& Y) {
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), X);
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
  for (std::size_t c = 0; c < y.extent(1); ++c) {
    std::vector<double> sum(y.extent(0)), magnitude(y.extent(0)), terms(y.extent(0));
    for (int row = 0; row < A.rows; ++row) {
      for (std::size_t k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
        const int column = A.column_indices[k];
        const int target = mode == Mode::Transpose ? column : row;
        const double term = scale * A.values[k] * x(mode == Mode::Transpose ? row : column, c);
        sum[target] += term;
        magnitude[target] += std::abs(term);
        ++terms[target];
      }
    }
    for (std::size_t i = 0; i < y.extent(0); ++i) {
      const double bound = 2 * (terms[i] + 2) * std::numeric_limits<double>::epsilon() * magnitude[i];
      if (!(std::abs(y(i, c) - sum[i]) <= bound)) return false;
    }
  }
  return true;
}

/// Y = A X and Z = A^T Y for the values of each step. Returns whether all were right.
bool run(const Tessera::HostCsr<double>& A) {
  const Space exec;
  const auto row_offsets = to_device(A.row_offsets);
  const auto column_indices = to_device(A.column_indices);
  const auto first_values = to_device(A.values);

  Tessera::PlanOptions options;
  options.columns = vector_columns;  // the choice of the format depends on it; any number of columns works
  auto plan = Tessera::make_plan(exec, A.rows, A.columns, row_offsets, column_indices, first_values, options);

  // Everything is allocated here. The first call with a transposed mode also builds the transpose, once.
  auto forward = plan.prepare(exec, vector_columns, Mode::NoTranspose);
  auto backward = plan.prepare(exec, vector_columns, Mode::Transpose);
  std::cout << plan.explain();

  const Values values("values", A.values.size());
  const Vectors X("X", A.columns, vector_columns), Y("Y", A.rows, vector_columns), Z("Z", A.columns, vector_columns);
  Kokkos::deep_copy(X, 1.0);
  bool correct = true;
  for (int step = 0; step < 4; ++step) {
    // The plan holds a copy of the values: it learns of new ones here, in the order that make_plan() was given.
    assemble(exec, step, first_values, values);
    plan.update_values(exec, values);

    // Calls on one execution space instance run in order, so that nothing need be waited for in between.
    Tessera::spmm(exec, plan, forward, Mode::NoTranspose, 1.0, X, 0.0, Y);
    Tessera::spmm(exec, plan, backward, Mode::Transpose, 1.0, Y, 0.0, Z);
    exec.fence();

    const double scale = 1 + 0.25 * step;
    const bool step_is_correct =
        is_product(A, scale, Mode::NoTranspose, X, Y) && is_product(A, scale, Mode::Transpose, Y, Z);
    std::cout << "step " << step << (step_is_correct ? ": correct\n" : ": WRONG\n");
    correct = correct && step_is_correct;
  }
  return correct;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    const auto A = argc > 1 ? Tessera::read_matrix<double>(argv[1]) : Tessera::generate_rmat(12, 8, 1);
    return run(A) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << "02_read_and_update: " << error.what() << '\n';
    return 2;
  }
}
