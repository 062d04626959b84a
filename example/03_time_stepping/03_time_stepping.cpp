// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Simulates heat in a material whose conductivity changes with time: u' = -c(t) L u, by explicit steps
// u(t + dt) = u(t) - dt A(t) u(t). A(t) = c(t) L keeps its pattern and has new values in each step. The simulation has
// several initial states at once. Each is a mode of the grid, whose decay is known.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <tessera/Tessera.hpp>
#include <tessera/io/Generators.hpp>
#include <utility>
#include <vector>

#include "Greatest.hpp"
#include "ToDevice.hpp"

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Values = Kokkos::View<double*, Space>;
// LayoutLeft: columns are contiguous, as solvers keep them. LayoutRight works as well, and is read a little faster.
using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

constexpr int grid = 16, modes = 16, steps = 100;
constexpr double dt = 0.002;

double conductivity(int step) { return 1 + 0.5 * std::sin(0.1 * step); }

/// Computes the values of A, in the order of the matrix that the plan was made from, as a simulation would.
void assemble(const Space& exec, double c, const Kokkos::View<const double*, Space>& L, const Values& A) {
  Kokkos::parallel_for(
      "assemble", Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(exec, 0, A.extent(0)),
      KOKKOS_LAMBDA(std::size_t k) { A(k) = c * L(k); });
}

/// Column m is the eigenvector of L that has m + 1, 1 and 2 half waves along the grid's directions.
void set_modes(const Vectors& U) {
  const auto u = Kokkos::create_mirror_view(U);
  const auto wave = [](int half_waves, int point) {
    return std::sin(half_waves * (point + 1) * std::numbers::pi / (grid + 1));
  };
  for (int m = 0; m < modes; ++m)
    for (int row = 0; row < grid * grid * grid; ++row)
      u(row, m) = wave(m + 1, row % grid) * wave(1, row / grid % grid) * wave(2, row / grid / grid);
  Kokkos::deep_copy(U, u);
}

/// Returns the share of mode m that remains at the end. Each step multiplies it by 1 - dt c lambda, where lambda is the
/// mode's eigenvalue of L = 27 I - T x T x T (Kronecker products).
double remaining(int m) {
  const auto t = [](int i) { return 1 + 2 * std::cos(i * std::numbers::pi / (grid + 1)); };
  const double eigenvalue = 27 - t(m + 1) * t(1) * t(2);
  double factor = 1;
  for (int step = 0; step < steps; ++step) factor *= 1 - dt * conductivity(step) * eigenvalue;
  return factor;
}

/// Returns the greatest error of an element, relative to the rest of its mode.
double greatest_error(const Vectors& start, const Vectors& end) {
  const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), start);
  const auto v = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), end);
  double most = 0;
  for (int m = 0; m < modes; ++m) {
    const double share = remaining(m);
    for (int row = 0; row < v.extent_int(0); ++row)
      Example::keep_greatest(most, std::abs(v(row, m) / share - u(row, m)));
  }
  return most;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Space exec;
  const auto host = Tessera::generate("stencil27:" + std::to_string(grid));
  const auto L = Example::to_device(host.values);
  const Vectors start("start", host.rows, modes);
  auto plan = Tessera::make_plan(exec, host.rows, host.columns, Example::to_device(host.row_offsets),
                                 Example::to_device(host.column_indices), L, start);
  auto work = plan.prepare(exec, modes);  // the steps below allocate nothing

  const Values A("A", L.extent(0));
  Vectors now("now", host.rows, modes), next("next", host.rows, modes);
  set_modes(start);
  Kokkos::deep_copy(now, start);
  for (int step = 0; step < steps; ++step) {
    // The plan holds a copy of the values. Updating it takes one pass and no analysis.
    assemble(exec, conductivity(step), L, A);
    plan.update_values(exec, A);
    // Calls on one execution space instance run in order, so no waits are needed in between.
    Kokkos::deep_copy(exec, next, now);
    Tessera::spmm(exec, plan, work, Tessera::Mode::NoTranspose, -dt, now, 1.0, next);  // next -= dt A now
    std::swap(now, next);
  }
  exec.fence();

  const double error = greatest_error(start, now);
  std::printf("%d points, %d modes, %d steps: the slowest mode has faded to %.3e, the fastest to %.3e\n", host.rows,
              modes, steps, remaining(0), remaining(modes - 1));
  std::printf("greatest relative error %.1e, expected at most 1e-10\n", error);
  return error <= 1e-10 ? 0 : 1;
}
