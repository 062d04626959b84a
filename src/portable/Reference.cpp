// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tessera/portable/Reference.hpp>

namespace Tessera::Impl {

namespace {

long double magnitude(long double a) { return std::abs(a); }
long double magnitude(Complex<long double> a) { return std::hypot(a.re, a.im); }

long double widen(float a) { return a; }
long double widen(double a) { return a; }
template <class Real>
Complex<long double> widen(Complex<Real> a) {
  return Complex<long double>(a);
}

bool same_special(long double a, long double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same_special(Complex<long double> a, Complex<long double> b) {
  // The order of operations determines which part of a complex number is infinite, but not whether a part is.
  return !std::isfinite(magnitude(a)) && !std::isfinite(magnitude(b));
}

/// The product of a row of op(A) with x.
template <class Wide>
struct RowProduct {
  Wide sum = Wide(0);
  long double absolute_sum = 0;
  long double largest_a = 0, largest_x = 0;  // largest magnitudes
  std::size_t length = 0;

  void add(Wide a, Wide x) {
    sum += a * x;
    absolute_sum += magnitude(a) * magnitude(x);
    largest_a = std::max(largest_a, magnitude(a));
    largest_x = std::max(largest_x, magnitude(x));
    ++length;
  }
};

}  // namespace

template <class VectorScalar>
double ReferenceColumn<VectorScalar>::worst_error(const VectorScalar* y, std::ptrdiff_t stride) const {
  long double worst = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Wide computed = widen(y[static_cast<std::ptrdiff_t>(i) * stride]);
    const bool overflows = largest[i] + bound[i] > std::numeric_limits<real_of_t<VectorScalar>>::max();
    if (overflows && std::isfinite(largest[i]) && !std::isfinite(magnitude(computed))) continue;
    if (!std::isfinite(magnitude(value[i]))) {
      if (!same_special(computed, value[i])) return std::numeric_limits<double>::infinity();
      continue;
    }
    const long double error = magnitude(computed - value[i]);
    if (error == 0) continue;
    const long double ratio = error / bound[i];
    if (!(ratio <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, ratio);
  }
  return static_cast<double>(worst);
}

template <class MatrixScalar, class VectorScalar, class Offset>
ReferenceColumn<VectorScalar> reference_column(const CsrPattern<Offset>& A, const MatrixScalar* values, Mode mode,
                                               VectorScalar alpha, const VectorScalar* x, std::ptrdiff_t x_stride,
                                               VectorScalar beta, const VectorScalar* y, std::ptrdiff_t y_stride) {
  using Wide = typename ReferenceColumn<VectorScalar>::Wide;
  const bool transposed = is_transposed(mode);
  const auto rows = static_cast<std::size_t>(transposed ? A.columns : A.rows);
  std::vector<RowProduct<Wide>> products(rows);
  for (Ordinal i = 0; i < A.rows && alpha != VectorScalar(0); ++i) {
    for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
      const Ordinal j = A.column_indices[k];
      const auto target = static_cast<std::size_t>(transposed ? j : i);
      const Wide a = widen(VectorScalar(is_conjugated(mode) ? conjugate(values[k]) : values[k]));
      const Wide b = widen(x[std::ptrdiff_t(transposed ? i : j) * x_stride]);
      products[target].add(a, b);
    }
  }
  ReferenceColumn<VectorScalar> result{std::vector<Wide>(rows), std::vector<long double>(rows),
                                       std::vector<long double>(rows)};
  const long double unit = std::numeric_limits<real_of_t<VectorScalar>>::epsilon() / 2;
  const long double constant = is_complex_v<VectorScalar> ? 4 : 2;
  const long double factor = magnitude(widen(alpha));
  for (std::size_t i = 0; i < rows; ++i) {
    const RowProduct<Wide>& row = products[i];
    // NOTE: alpha = 0 and beta = 0 mean that the term is absent, not multiplied by zero: see Mode and spmm().
    const Wide old = beta == VectorScalar(0) ? Wide(0) : widen(y[static_cast<std::ptrdiff_t>(i) * y_stride]);
    result.value[i] = widen(alpha) * row.sum;
    if (beta != VectorScalar(0)) result.value[i] += widen(beta) * old;
    const long double scale = factor * row.absolute_sum + magnitude(widen(beta)) * magnitude(old);
    // The smallest normal number accounts for underflow of a x before the factor alpha, or of alpha x before a.
    const long double underflow =
        std::max({1.0L, factor, row.largest_a}) * std::numeric_limits<real_of_t<VectorScalar>>::min();
    result.bound[i] = constant * static_cast<long double>(row.length + 2) * (unit * scale + underflow);
    result.largest[i] = std::max({scale, row.absolute_sum, factor * row.largest_x});
  }
  return result;
}

OperandRounding operand_rounding(Precision precision) {
  switch (precision) {
    case Precision::Native:
    case Precision::Tf32x3:  // the rounding error of the operands is smaller than that of the sums
      return {0, 0};
    case Precision::Tf32:
      return {0x1p-11, 0x1p-137};
    case Precision::Bf16:
      return {0x1p-8, 0x1p-134};
    case Precision::Fp16:
      return {0x1p-11, 0x1p-25};
  }
  throw std::invalid_argument("operand_rounding: there is no such precision");
}

template <class MatrixScalar, class VectorScalar, class Offset>
void widen_bound(ReferenceColumn<VectorScalar>& reference, Precision precision, const CsrPattern<Offset>& A,
                 const MatrixScalar* values, Mode mode, VectorScalar alpha, const VectorScalar* x,
                 std::ptrdiff_t x_stride) {
  if (precision == Precision::Native) return;
  using Real = real_of_t<VectorScalar>;
  const OperandRounding rounding = operand_rounding(precision);
  constexpr long double wider = std::numeric_limits<float>::epsilon() / std::numeric_limits<Real>::epsilon();
  for (long double& bound : reference.bound) bound *= 2 * wider;
  for (Ordinal i = 0; i < A.rows && alpha != VectorScalar(0); ++i) {
    for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
      const Ordinal j = A.column_indices[k];
      const long double a = magnitude(widen(values[k]));
      const long double b = magnitude(widen(x[std::ptrdiff_t(is_transposed(mode) ? i : j) * x_stride]));
      // The factor is slightly above 2 to account for v^2. A product may underflow in binary32.
      const long double error =
          2.01L * rounding.unit * a * b + rounding.least * (a + b) + std::numeric_limits<float>::min();
      reference.bound[static_cast<std::size_t>(is_transposed(mode) ? j : i)] += magnitude(widen(alpha)) * error;
    }
  }
}

#define TESSERA_INSTANTIATE(MatrixScalar, VectorScalar, Offset)                                                        \
  template ReferenceColumn<VectorScalar> reference_column(const CsrPattern<Offset>&, const MatrixScalar*, Mode,        \
                                                          VectorScalar, const VectorScalar*, std::ptrdiff_t,           \
                                                          VectorScalar, const VectorScalar*, std::ptrdiff_t);          \
  template void widen_bound(ReferenceColumn<VectorScalar>&, Precision, const CsrPattern<Offset>&, const MatrixScalar*, \
                            Mode, VectorScalar, const VectorScalar*, std::ptrdiff_t);
#define TESSERA_INSTANTIATE_OFFSETS(MatrixScalar, VectorScalar) \
  TESSERA_INSTANTIATE(MatrixScalar, VectorScalar, int)          \
  TESSERA_INSTANTIATE(MatrixScalar, VectorScalar, std::size_t)

template struct ReferenceColumn<float>;
template struct ReferenceColumn<double>;
template struct ReferenceColumn<Complex<float>>;
template struct ReferenceColumn<Complex<double>>;
TESSERA_INSTANTIATE_OFFSETS(float, float)
TESSERA_INSTANTIATE_OFFSETS(double, double)
TESSERA_INSTANTIATE_OFFSETS(float, double)
TESSERA_INSTANTIATE_OFFSETS(Complex<float>, Complex<float>)
TESSERA_INSTANTIATE_OFFSETS(Complex<double>, Complex<double>)

}  // namespace Tessera::Impl
