// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_BsrMatrix.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "Application.hpp"

// Products by KokkosSparse::spmv for any types. Each takes most of a minute to compile.
namespace APPLICATION {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Complex = std::complex<double>;

template <class Scalar>
constexpr bool is_complex = !std::is_floating_point_v<Scalar>;
template <class Scalar>
constexpr bool is_single = sizeof(Scalar) == sizeof(float) * (is_complex<Scalar> ? 2 : 1);

template <class Scalar>
Complex wide(const Scalar& value) {
  if constexpr (is_complex<Scalar>) {
    return {double(value.real()), double(value.imag())};
  } else {
    return double(value);
  }
}
template <class Scalar>
Scalar narrow(const Complex& value) {
  if constexpr (is_complex<Scalar>) {
    return {typename Scalar::value_type(value.real()), typename Scalar::value_type(value.imag())};
  } else {
    return Scalar(value.real());
  }
}

/// A matrix of 61 x 47 blocks, with some empty rows, on the host and on the device.
template <class Scalar, class Offset, bool is_blocked>
struct Matrix {
  using Crs = KokkosSparse::CrsMatrix<Scalar, int, Device, void, Offset>;
  using Bsr = KokkosSparse::Experimental::BsrMatrix<Scalar, int, Device, void, Offset>;
  using Type = std::conditional_t<is_blocked, Bsr, Crs>;
  static constexpr int block = is_blocked ? 3 : 1, rows = 61, columns = 47;

  std::vector<Offset> offsets{0};
  std::vector<int> entries;
  std::vector<Complex> values;  // row-major within each block
  Type device;

  /// \param is_mirrored [in] reverses the order of columns
  explicit Matrix(unsigned seed, bool is_mirrored = false) {
    std::mt19937 random(seed);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        if (i % 7 == 3 || random() % 6 != 0) continue;
        entries.push_back(is_mirrored ? columns - 1 - j : j);
        for (int k = 0; k < block * block; ++k) values.push_back(number(random));
      }
      offsets.push_back(Offset(entries.size()));
    }
    typename Type::row_map_type::non_const_type row_map("row_map", offsets.size());
    typename Type::index_type::non_const_type indices("entries", entries.size());
    typename Type::values_type::non_const_type coefficients("values", values.size());
    copy(row_map, offsets);
    copy(indices, entries);
    if constexpr (is_blocked) {
      device = Type("A", rows, columns, entries.size(), coefficients, row_map, indices, block);
    } else {
      device = Type("A", rows, columns, entries.size(), coefficients, row_map, indices);
    }
    copy_values();
  }

  static Complex number(std::mt19937& random) {
    const auto real = [&] { return double(random() % 2001) / 1000 - 1; };
    const double re = real();
    return {re, is_complex<Scalar> ? real() : 0};
  }
  template <class View, class Element>
  static void copy(const View& to, const std::vector<Element>& from) {
    const auto host = Kokkos::create_mirror_view(to);
    for (std::size_t i = 0; i < from.size(); ++i) host(i) = static_cast<typename View::value_type>(from[i]);
    Kokkos::deep_copy(to, host);
  }
  /// Copies the values to the device, in place.
  void copy_values() {
    const auto host = Kokkos::create_mirror_view(device.values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      host(i) = narrow<Scalar>(values[i]);
      values[i] = wide(host(i));
    }
    Kokkos::deep_copy(device.values, host);
  }

  /// Calls visit(row, column, value) for each element.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (int i = 0; i < rows; ++i) {
      for (Offset k = offsets[i]; k < offsets[i + 1]; ++k) {
        for (int e = 0; e < block * block; ++e)
          visit(i * block + e / block, entries[k] * block + e % block, values[std::size_t(k) * block * block + e]);
      }
    }
  }
};

/// X or Y on the host, column-major.
struct HostVectors {
  int rows, columns;
  std::vector<Complex> elements;

  HostVectors(int m, int n) : rows(m), columns(n), elements(std::size_t(m) * n) {}
  Complex& operator()(int i, int j) { return elements[std::size_t(j) * rows + i]; }
};

template <class View>
View on_device(HostVectors& from) {
  View to;
  if constexpr (View::rank() == 2) {
    to = View("vectors", from.rows, from.columns);
  } else {
    to = View("vector", from.rows);
  }
  const auto host = Kokkos::create_mirror_view(to);
  for (int i = 0; i < from.rows; ++i) {
    for (int j = 0; j < from.columns; ++j) {
      auto& element = [&]() -> auto& {
        if constexpr (View::rank() == 2) return host(i, j);
        if constexpr (View::rank() == 1) return host(i);
      }
      ();
      element = narrow<typename View::non_const_value_type>(from(i, j));
      from(i, j) = wide(element);
    }
  }
  Kokkos::deep_copy(to, host);
  return to;
}

/// Compares one product with sums on the host. Y holds NaN if beta is 0. `call` computes the product.
template <class View, class AnyMatrix, class Call>
double error_of(const AnyMatrix& A, const char mode[], int columns, double beta, const Call& call) {
  using Scalar = typename View::non_const_value_type;
  const bool is_transposed = mode[0] == 'T' || mode[0] == 'H', is_conjugated = mode[0] == 'C' || mode[0] == 'H';
  const int m = AnyMatrix::rows * AnyMatrix::block, n = AnyMatrix::columns * AnyMatrix::block;
  HostVectors x(is_transposed ? m : n, columns), y(is_transposed ? n : m, columns);
  std::mt19937 random(5);
  for (Complex& element : x.elements) element = AnyMatrix::number(random);
  for (Complex& element : y.elements) element = AnyMatrix::number(random);
  if (beta == 0) std::fill(y.elements.begin(), y.elements.end(), Complex(std::nan("")));
  const Scalar alpha = narrow<Scalar>(Complex(1.5, 0.25));
  const View x_device = on_device<View>(x), y_device = on_device<View>(y);
  call(mode, alpha, A.device, x_device, narrow<Scalar>(Complex(beta)), y_device);
  Exec().fence();
  HostVectors expected = y, scale = y;
  for (std::size_t i = 0; i < y.elements.size(); ++i) {
    expected.elements[i] = beta == 0 ? 0 : beta * y.elements[i];
    scale.elements[i] = std::abs(expected.elements[i]);
  }
  A.for_each([&](int i, int j, Complex value) {
    if (is_conjugated) value = std::conj(value);
    if (is_transposed) std::swap(i, j);
    for (int c = 0; c < columns; ++c) {
      const Complex term = wide(alpha) * value * x(j, c);
      expected(i, c) += term;
      scale(i, c) += std::abs(term);
    }
  });
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y_device);
  const double epsilon =
      is_single<Scalar> ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  double worst = 0;
  for (int i = 0; i < expected.rows; ++i) {
    for (int c = 0; c < columns; ++c) {
      Complex found;
      if constexpr (View::rank() == 2) found = wide(result(i, c));
      if constexpr (View::rank() == 1) found = wide(result(i));
      const double error = std::abs(found - expected(i, c)), bound = 64 * epsilon * scale(i, c).real();
      const double ratio = bound > 0 ? error / bound : error > 0 ? 2 : 0;
      if (!(ratio <= worst)) worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    }
  }
  return worst;
}

/// Checks a product with Kokkos Kernels' own handle.
template <class View, class AnyMatrix, class Handle>
double error_with(Handle& handle, const AnyMatrix& A, const char mode[], int columns, double beta) {
  return error_of<View>(A, mode, columns, beta,
                        [&](const char* op, const auto& alpha, const auto& matrix, const auto& x, const auto& b,
                            const auto& y) { KokkosSparse::spmv(Exec(), &handle, op, alpha, matrix, x, b, y); });
}

template <class View, class AnyMatrix>
double two_products(const char mode[], int columns) {
  AnyMatrix A(1);
  KokkosSparse::SPMVHandle<Exec, typename AnyMatrix::Type, View, View> handle;
  double worst = error_with<View>(handle, A, mode, columns, 0);
  A.values[A.values.size() / 2] += 0.5;  // nothing is notified
  A.copy_values();
  return std::max(worst, error_with<View>(handle, A, mode, columns, -0.5));
}

using Left = Kokkos::LayoutLeft;
using Right = Kokkos::LayoutRight;

template <class Scalar, class Offset, class Layout, bool is_blocked>
double multiply(const char mode[], int columns) {
  using AnyMatrix = Matrix<Scalar, Offset, is_blocked>;
  if (columns == 0) return two_products<Kokkos::View<Scalar*, Layout, Device>, AnyMatrix>(mode, 1);
  return two_products<Kokkos::View<Scalar**, Layout, Device>, AnyMatrix>(mode, columns);
}

}  // namespace APPLICATION
