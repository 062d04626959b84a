// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <string>
#include <tessera/Tessera.hpp>
#include <tessera/io/HostCsr.hpp>
#include <type_traits>
#include <vector>

namespace Tessera::Impl::Smoke {

/// A product that was compared with a serial one.
struct Check {
  std::string space, type, matrix, format, mode;
  int columns = 0;
  std::string built;    ///< the format that the plan has
  std::string kernels;  ///< which multiplied, in words; empty on hosts
  double seconds = 0;   ///< of make_plan and the first product, which loads kernels
  double error = 0;     ///< greatest error of an element, as a multiple of its bound
  std::string failure;  ///< the message of an exception; empty if there was none

  bool is_right() const { return failure.empty() && error <= 1; }
};

template <class Scalar>
struct RealOf {
  using type = Scalar;
};
template <class Real>
struct RealOf<Kokkos::complex<Real>> {
  using type = Real;
};

/// A value as it is on the device, in double precision.
inline std::complex<double> wide(double value) { return value; }
template <class Real>
std::complex<double> wide(const Kokkos::complex<Real>& value) {
  return {double(value.real()), double(value.imag())};
}

/// Sums and their magnitudes, row after row.
struct Reference {
  std::vector<std::complex<double>> sums;
  std::vector<double> magnitudes;  ///< sums of |a| |x|
  std::vector<int> lengths;        ///< entries of each row of op(A)
};

/// Returns Y = op(A) X, computed serially.
///
/// \param values [in] of the entries of A
/// \param x      [in] rows x columns elements, row by row
template <class Scalar>
Reference reference(const HostCsr<double>& A, const std::vector<Scalar>& values, Mode mode, int columns,
                    const std::vector<Scalar>& x) {
  const bool is_transposed = mode != Mode::NoTranspose;
  const auto rows = static_cast<std::size_t>(is_transposed ? A.columns : A.rows), n = static_cast<std::size_t>(columns);
  Reference y{std::vector<std::complex<double>>(rows * n), std::vector<double>(rows * n), std::vector<int>(rows)};
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[i]); k < static_cast<std::size_t>(A.row_offsets[i + 1]); ++k) {
      const auto j = static_cast<std::size_t>(A.column_indices[k]);
      const std::size_t to = is_transposed ? j : i, from = is_transposed ? i : j;
      auto a = wide(values[k]);
      if (mode == Mode::ConjugateTranspose) a = std::conj(a);
      ++y.lengths[to];
      for (std::size_t c = 0; c < n; ++c) {
        y.sums[to * n + c] += a * wide(x[from * n + c]);
        y.magnitudes[to * n + c] += std::abs(a) * std::abs(wide(x[from * n + c]));
      }
    }
  }
  return y;
}

/// Returns the greatest error of an element of y, as a multiple of 4 (n + 2) u times the sum of magnitudes; infinity if
/// an element is not a number.
template <class Scalar>
double error_over_bound(const Reference& expected, int columns, const std::vector<Scalar>& y) {
  const double unit = std::numeric_limits<typename RealOf<Scalar>::type>::epsilon() / 2;
  double worst = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double error = std::abs(wide(y[i]) - expected.sums[i]);
    if (std::isnan(error)) return std::numeric_limits<double>::infinity();
    const double bound =
        4 * (expected.lengths[i / static_cast<std::size_t>(columns)] + 2) * unit * expected.magnitudes[i];
    if (error > 0) worst = std::max(worst, bound > 0 ? error / bound : std::numeric_limits<double>::infinity());
  }
  return worst;
}

}  // namespace Tessera::Impl::Smoke
