// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <iostream>
#include <tessera/Tessera.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <vector>

template <class T>
auto to_device(const std::vector<T>& host) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::DefaultExecutionSpace(),
                                             Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::DefaultExecutionSpace exec;
  const auto A = Tessera::generate_stencil27(20);  // or Tessera::read_matrix<double>("A.mtx.gz")
  const auto row_offsets = to_device(A.row_offsets);
  const auto column_indices = to_device(A.column_indices);
  const auto values = to_device(A.values);

  auto plan = Tessera::make_plan(exec, A.rows, A.columns, row_offsets, column_indices, values);
  auto work = plan.prepare(exec, 8, Tessera::Mode::NoTranspose);  // for up to 8 columns; products allocate nothing
  const Kokkos::View<double**> X("X", A.columns, 8), Y("Y", A.rows, 8);
  Kokkos::deep_copy(X, 1.0);
  Tessera::spmm(exec, plan, work, Tessera::Mode::NoTranspose, 1.0, X, 0.0, Y);  // Y = 1 A X + 0 Y
  exec.fence();
  std::cout << plan.explain();

  // Row 0 is a corner of the grid: 26 on the diagonal and 7 neighbours, each -1.
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
  return y(0, 0) == 19 && y(0, 7) == 19 ? 0 : 1;
}
