// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's program: y = 2 A x + y with a matrix given as three arrays, and a system of equations.
#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tessera/Tessera.hpp>

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Memory = Space::memory_space;

template <class T, std::size_t size>
Kokkos::View<T*, Memory> view_of(const std::array<T, size>& values) {
  Kokkos::View<T*, Memory> view("values", size);
  for (std::size_t i = 0; i < size; ++i) view(i) = values[i];
  return view;
}

// Computes with A = [1 0 2; 0 0 0; 0 3 4], X(i, c) = i + 1 + 10 c, Y = 1. Returns the number of wrong entries.
int wrong_entries() {
  const int rows = 3, columns = 5;
  const Space exec;
  const auto row_offsets = view_of<int>(std::array{0, 2, 2, 4});
  const auto column_indices = view_of<int>(std::array{0, 2, 1, 2});
  const auto values = view_of<double>(std::array{1.0, 2.0, 3.0, 4.0});
  const Kokkos::View<double**, Kokkos::LayoutLeft, Memory> x("x", rows, columns), y("y", rows, columns);
  for (int i = 0; i < rows; ++i) {
    for (int c = 0; c < columns; ++c) x(i, c) = i + 1 + 10 * c;
  }
  Kokkos::deep_copy(y, 1.0);

  auto plan = Tessera::make_plan(exec, rows, rows, row_offsets, column_indices, values);
  auto work = plan.prepare(exec, columns, Tessera::Mode::NoTranspose);
  Tessera::spmm(exec, plan, work, Tessera::Mode::NoTranspose, 2.0, x, 1.0, y);
  exec.fence();

  int wrong = 0;
  for (int c = 0; c < columns; ++c) {
    const std::array<double, 3> expected{2 * (x(0, c) + 2 * x(2, c)) + 1, 1, 2 * (3 * x(1, c) + 4 * x(2, c)) + 1};
    for (int i = 0; i < rows; ++i) wrong += y(i, c) != expected[i];
  }
  return wrong;
}

// Solves diag(1, 2, 4) x = (1, 4, 12). Returns the number of wrong entries.
int wrong_solutions() {
  const Kokkos::View<double*, Memory> b = view_of<double>(std::array{1.0, 4.0, 12.0}), x("x", 3);
  const auto multiply = [](const auto& P, const auto& Q) {
    for (int i = 0; i < 3; ++i) Q(i, 0) = (1 << i) * P(i, 0);
  };
  const auto result = Tessera::block_cg(Space(), multiply, b, x, {.tolerance = 1e-12});
  int wrong = !result.has_converged;
  for (int i = 0; i < 3; ++i) wrong += !(std::abs(x(i) - (i + 1)) < 1e-10);
  return wrong;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const bool has_version = to_string(Tessera::version()).starts_with("Tessera " TESSERA_VERSION_STRING "\n");
  const int wrong = wrong_entries() + wrong_solutions() + !has_version;
  std::printf("%d wrong entries\n", wrong);
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
