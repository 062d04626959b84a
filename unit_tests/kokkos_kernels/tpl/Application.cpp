// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Application.hpp"

#include "Products.hpp"

namespace APPLICATION {

namespace {

using Doubles = Kokkos::View<double**, Left, Device>;
using OneDoubles = Kokkos::View<double*, Left, Device>;
using DoubleMatrix = Matrix<double, int, false>;
template <class View>
using DoubleHandle = KokkosSparse::SPMVHandle<Exec, DoubleMatrix::Type, View, View>;

}  // namespace

double multiply_doubles(const char mode[], int columns) { return multiply<double, int, Left, false>(mode, columns); }

double multiply_without_handle() {
  const DoubleMatrix A(1);
  return error_of<Doubles>(A, "N", 4, 0.5,
                           [](const char* op, const auto& alpha, const auto& matrix, const auto& x, const auto& beta,
                              const auto& y) { KokkosSparse::spmv(op, alpha, matrix, x, beta, y); });
}

double multiply_native() {
  const DoubleMatrix A(1);
  DoubleHandle<Doubles> handle(KokkosSparse::SPMV_NATIVE);
  return error_with<Doubles>(handle, A, "N", 4, 0.5);
}

double multiply_both_ranks() {
  const DoubleMatrix A(1);
  DoubleHandle<Doubles> handle;
  double worst = error_with<Doubles>(handle, A, "N", 4, 0.5);
  worst = std::max(worst, error_with<Doubles>(handle, A, "N", 1, 0.5));  // Kokkos Kernels makes X and Y rank 1
  return std::max(worst, error_with<Doubles>(handle, A, "T", 5, 0));
}

double multiply_two_matrices() {
  const DoubleMatrix A(1), B(2);
  DoubleHandle<Doubles> handle;
  double worst = error_with<Doubles>(handle, A, "N", 4, 0.5);
  worst = std::max(worst, error_with<Doubles>(handle, B, "N", 4, 0.5));
  return std::max(worst, error_with<Doubles>(handle, A, "N", 4, 0.5));
}

double multiply_where_another_lay() {
  DoubleHandle<Doubles> handle;
  double worst = 0;
  {
    const DoubleMatrix A(1);
    worst = error_with<Doubles>(handle, A, "N", 4, 0.5);
  }
  const DoubleMatrix B(1, true);
  return std::max(worst, error_with<Doubles>(handle, B, "N", 4, 0.5));
}

double multiply_twice(const std::function<void()>& before, const std::function<void()>& after) {
  const DoubleMatrix A(1);
  DoubleHandle<Doubles> handle;
  const double first = error_of<Doubles>(
      A, "N", 4, 0.5,
      [&](const char* op, const auto& alpha, const auto& matrix, const auto& x, const auto& beta, const auto& y) {
        before();
        KokkosSparse::spmv(Exec(), &handle, op, alpha, matrix, x, beta, y);
        after();
      });
  return std::max(first, error_with<Doubles>(handle, A, "N", 4, 0.5));
}

double multiply_empty() {
  const DoubleMatrix::Type none;
  DoubleHandle<OneDoubles> handle;
  const OneDoubles x("x", 0), y("y", 0);
  KokkosSparse::spmv(Exec(), &handle, "N", 1.0, none, x, 0.0, y);
  return 0;
}

}  // namespace APPLICATION
