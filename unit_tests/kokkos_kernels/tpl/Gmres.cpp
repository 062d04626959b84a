// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_gmres.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>

#include "Application.hpp"

namespace APPLICATION {

double solve_with_gmres() {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Memory = Exec::memory_space;
  using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
  using Vector = Kokkos::View<double*, Exec::device_type>;
  constexpr int n = 200;
  constexpr double tolerance = 1e-8;
  const Kokkos::View<int*, Exec::device_type> offsets("offsets", n + 1), columns("columns", 3 * n - 2);
  const Vector values("values", 3 * n - 2);
  Kokkos::parallel_for(
      "tridiagonal", Kokkos::RangePolicy<Exec>(0, n), KOKKOS_LAMBDA(int i) {
        int place = offsets(i) = i == 0 ? 0 : 3 * i - 1;
        if (i + 1 == n) offsets(n) = 3 * n - 2;
        for (int j = Kokkos::max(i - 1, 0); j <= Kokkos::min(i + 1, n - 1); ++j, ++place) {
          columns(place) = j;
          values(place) = j == i ? 4 : j < i ? -2 : -1;
        }
      });
  const Matrix A("A", n, n, 3 * n - 2, values, offsets, columns);
  const Vector x("x", n), b("b", n);
  Kokkos::deep_copy(b, 1.0);

  KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, Exec, Memory, Memory> handle;
  handle.create_gmres_handle(15, tolerance);
  KokkosSparse::Experimental::gmres(&handle, A, b, x);

  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  double residual = 0;
  for (int i = 0; i < n; ++i) {
    const double product = 4 * found(i) - (i > 0 ? 2 * found(i - 1) : 0) - (i + 1 < n ? found(i + 1) : 0);
    residual += (1 - product) * (1 - product);
  }
  return std::sqrt(residual / n) / tolerance;
}

}  // namespace APPLICATION
