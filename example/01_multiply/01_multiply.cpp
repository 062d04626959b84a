// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Multiplies a generated matrix by 32 columns of ones.
#include <Kokkos_Core.hpp>
#include <iostream>
#include <tessera/Tessera.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <vector>

/// A matrix in the memory of the device, with the members of KokkosSparse::CrsMatrix that make_plan() reads.
struct Matrix {
  struct Graph {
    Kokkos::View<std::size_t*> row_map;
    Kokkos::View<int*> entries;
  } graph;
  Kokkos::View<double*> values;
  int rows, columns;

  int numRows() const { return rows; }
  int numCols() const { return columns; }
};

/// Copies elements of the host to the memory of the device.
template <class T>
Kokkos::View<T*> to_device(const std::vector<T>& host) {
  const Kokkos::View<T*> device("device", host.size());
  Kokkos::deep_copy(device, Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
  return device;
}
Matrix to_device(const Tessera::HostCsr<double>& A) {
  return {{to_device(A.row_offsets), to_device(A.column_indices)}, to_device(A.values), A.rows, A.columns};
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const auto A = to_device(Tessera::generate("stencil27:20"));  // or a KokkosSparse::CrsMatrix
  const Kokkos::View<double**, Kokkos::LayoutRight> X("X", A.numCols(), 32), Y("Y", A.numRows(), 32);
  Kokkos::deep_copy(X, 1.0);

  const auto plan = Tessera::make_plan(A, X);  // once: X says how many columns there are, and in which layout
  Tessera::spmm(plan, X, Y);                   // Y = A X, as often as you like
  Kokkos::fence();
  std::cout << plan.explain();  // format, kernel, memory, and why

  // Row 0 is a corner of the grid: 26 on the diagonal and 7 neighbours, each -1.
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
  return y(0, 0) == 19 && y(0, 31) == 19 ? 0 : 1;
}
