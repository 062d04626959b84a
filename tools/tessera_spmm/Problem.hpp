// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <complex>
#include <tessera/io/HostCsr.hpp>
#include <type_traits>

#include "Result.hpp"
#include "Settings.hpp"

namespace Tessera::Impl::Driver {

/// Y = alpha op(A) X + beta Y on the host. Scalar is float, double or a std::complex of these.
template <class Scalar>
struct Problem {
  HostCsr<Scalar> a;
  Scalar alpha = 1;
  Scalar beta = 0;
  HostDense<Scalar> x;
  HostDense<Scalar> y;  ///< before the product; full of NaN if beta = 0
};

template <class Scalar>
inline constexpr bool is_std_complex = !std::is_floating_point_v<Scalar>;

/// Whether any of the inputs is complex, and hence the product.
bool is_complex(const Settings& settings);

/// Reads or makes A, X and Y, and shows the progress.
///
/// \throws std::runtime_error or std::invalid_argument that names the file or the option and the expectation
template <class Scalar>
Problem<Scalar> make_problem(const Settings& settings);

template <class Scalar>
MatrixSummary summarize(const Settings& settings, const HostCsr<Scalar>& a);

/// Returns the number of rows of X that the product must read: nonempty columns of op(A).
template <class Scalar>
std::size_t rows_of_x_touched(const HostCsr<Scalar>& a, Mode mode);

}  // namespace Tessera::Impl::Driver
