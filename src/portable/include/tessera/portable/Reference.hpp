// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/Format.hpp>
#include <tessera/Mode.hpp>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Multivector.hpp>
#include <vector>

namespace Tessera::Impl {

/// A column of alpha op(A) X + beta Y, computed serially in long double, with an error bound for products.
///
/// All products of Tessera are compared with the reference entry by entry, |y - value| <= bound, where
///
/// ```{.unparsed}
///   bound = c (n + 2) (u (|alpha| |op(A)| |x| + |beta| |y|) + m max(1, |alpha|, |op(A)|)).
/// ```
///
/// Here c is 2 for real types and 4 for complex ones, n is the number of entries in the row of op(A), u is the unit
/// roundoff of the vectors' type and m is its smallest normal number. Each of the n products and sums, the product with
/// alpha and the sum with beta y rounds once. A complex product has two terms. Underflowed results may be multiplied.
template <class VectorScalar>
struct ReferenceColumn {
  /// The type of the values: long double or its complex.
  using Wide = std::conditional_t<is_complex_v<VectorScalar>, Complex<long double>, long double>;
  std::vector<Wide> value;         ///< the value of each row of op(A)
  std::vector<long double> bound;  ///< upper bound on the error of each row
  /// For each row, an upper bound on the magnitude of every intermediate result (before rounding), for all formats.
  std::vector<long double> largest;

  /// Returns the largest |y - value| / bound over the rows; at most 1 if y is right. y may be infinite or NaN where an
  /// intermediate result may overflow. Where the reference is not finite, y must be the same infinity or NaN. Any other
  /// y that is not finite makes the result infinite.
  double worst_error(const VectorScalar* y, std::ptrdiff_t stride) const;
};

/// Computes a reference column.
///
/// \param A        [in] any compressed rows in host memory, not read if alpha = 0. Duplicates are separate terms
/// \param values   [in] the values of A
/// \param mode     [in] selects op(A)
/// \param alpha    [in] the factor of op(A) X
/// \param x        [in] one element for each column of op(A), not read if alpha = 0
/// \param x_stride [in] stride of x, in elements
/// \param beta     [in] the factor of Y
/// \param y        [in] one element for each row of op(A), not read if beta = 0
/// \param y_stride [in] stride of y, in elements
///
/// Cost: one serial pass over the matrix. Instantiated for int and std::size_t offsets and the scalars of the library.
template <class MatrixScalar, class VectorScalar, class Offset>
ReferenceColumn<VectorScalar> reference_column(const CsrPattern<Offset>& A, const MatrixScalar* values, Mode mode,
                                               VectorScalar alpha, const VectorScalar* x, std::ptrdiff_t x_stride,
                                               VectorScalar beta, const VectorScalar* y, std::ptrdiff_t y_stride);

/// Bounds on the rounding error of operands in a precision.
struct OperandRounding {
  double unit;   ///< upper bound on the relative error of a normal number
  double least;  ///< upper bound on the absolute error of a smaller number
};
/// Returns the rounding of operands in this precision.
OperandRounding operand_rounding(Precision precision);

/// Widens the bounds of a reference to bounds for products in a precision. For Precision::Native they do not change.
/// All others become
///
/// ```{.unparsed}
///   2 c (n + 2) u (|alpha| |op(A)| |x| + |beta| |y|) + |alpha| sum (2 v |a| |x| + e (|a| + |x|))
/// ```
///
/// with the u of binary32. The factor 2 is there because tensor cores do not round sums to nearest. v is
/// OperandRounding::unit, e is OperandRounding::least. The other arguments are those of the reference.
template <class MatrixScalar, class VectorScalar, class Offset>
void widen_bound(ReferenceColumn<VectorScalar>& reference, Precision precision, const CsrPattern<Offset>& A,
                 const MatrixScalar* values, Mode mode, VectorScalar alpha, const VectorScalar* x,
                 std::ptrdiff_t x_stride);

}  // namespace Tessera::Impl
