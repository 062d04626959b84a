// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Kokkos Kernels program that declares Tessera's handle: y = 2 A x with A = [1 0 2; 0 0 0; 0 3 4].
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <cstdlib>
#include <tessera/kokkos_kernels/SpmvHandle.hpp>

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Device = Space::device_type;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
using Vector = Kokkos::View<double*, Device>;

int wrong_entries() {
  int row_map[] = {0, 2, 2, 4}, entries[] = {0, 2, 1, 2};
  double values[] = {1, 2, 3, 4};
  const Matrix A("A", 3, 3, 4, values, row_map, entries);
  const Vector x("x", 3), y("y", 3);
  for (int i = 0; i < 3; ++i) x(i) = i + 1;
  Tessera::SpmvHandle<Space, Matrix, Vector, Vector> handle;
  KokkosSparse::spmv(Space(), &handle, "N", 2.0, A, x, 0.0, y);
  Space().fence();
  return (y(0) != 14) + (y(1) != 0) + (y(2) != 36) + (handle.plan().nonzeros() != 4);
}

}  // namespace

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard guard(argc, argv);
  return wrong_entries() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
