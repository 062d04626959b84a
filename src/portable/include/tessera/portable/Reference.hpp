// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Format.hpp>
#include <tessera/common/Mode.hpp>
#include <tessera/common/Multivector.hpp>
#include <vector>

namespace Tessera {

/// One column of alpha op(A) X + beta Y, computed serially in long double, and how far from it a product may be.
///
/// Everything else in Tessera is compared with this entry by entry: |y - value| <= bound with
///
///   bound = c (n + 2) (u (|alpha| |op(A)| |x| + |beta| |y|) + m max(1, |alpha|, |op(A)|)),
///
/// c = 2 for real types and 4 for complex ones, where n is the number of entries in the row of op(A), u the unit
/// roundoff of the vectors' type and m its smallest normal number: each of the n products and sums, the product with
/// alpha and the sum with beta y round once; a complex product has two terms; what underflows may be multiplied.
template <class VectorScalar>
struct ReferenceColumn {
  using Wide = std::conditional_t<is_complex_v<VectorScalar>, Complex<long double>, long double>;
  std::vector<Wide> value;         // rows of op(A)
  std::vector<long double> bound;  // rows of op(A)
  /// No number on the way to y, in any order of operations that formats take, is larger than this but for rounding.
  std::vector<long double> largest;

  /// The largest |y - value| / bound over the rows; at most 1 if y is right. Where numbers on the way to y may
  /// overflow, y may be infinite or NaN. Where the reference is not finite, y must be the same kind of non-finite;
  /// otherwise, and where y is NaN, the result is infinite.
  double worst_error(const VectorScalar* y, std::ptrdiff_t stride) const;
};

/// \param A, values    [in] any compressed rows (duplicates are separate terms) in host memory
/// \param x            [in] columns(op(A)) elements, `x_stride` apart
/// \param y            [in] rows(op(A)) elements, `y_stride` apart, not read if beta = 0; A and x are not read if alpha
/// = 0
///
/// Cost: one serial pass over the matrix. Instantiated for int and std::size_t offsets and the scalars of the library.
template <class MatrixScalar, class VectorScalar, class Offset>
ReferenceColumn<VectorScalar> reference_column(const CsrPattern<Offset>& A, const MatrixScalar* values, Mode mode,
                                               VectorScalar alpha, const VectorScalar* x, std::ptrdiff_t x_stride,
                                               VectorScalar beta, const VectorScalar* y, std::ptrdiff_t y_stride);

/// How far a precision rounds the operands of products.
struct OperandRounding {
  double unit;   ///< relative, of a normal number
  double least;  ///< absolute, of a smaller one
};
OperandRounding operand_rounding(Precision precision);

/// Widens the bounds of a reference to those of products in a precision. Native ones stay. All others have
///
///   2 c (n + 2) u (|alpha| |op(A)| |x| + |beta| |y|) + |alpha| sum (2 v |a| |x| + e (|a| + |x|))
///
/// with the u of binary32, whose sums tensor cores do not round to nearest; v and e are those of operand_rounding().
///
/// \param A, ..., x_stride [in] those that the reference was made of
template <class MatrixScalar, class VectorScalar, class Offset>
void widen_bound(ReferenceColumn<VectorScalar>& reference, Precision precision, const CsrPattern<Offset>& A,
                 const MatrixScalar* values, Mode mode, VectorScalar alpha, const VectorScalar* x,
                 std::ptrdiff_t x_stride);

}  // namespace Tessera
