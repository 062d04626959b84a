// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tessera/common/Types.hpp>
#include <tessera/dense/DenseAlgebra.hpp>
#include <vector>

/// Small matrices, in double on the host, with a row and a column for each column of blocks.
namespace Tessera::Impl {

/// A small column-major matrix, initially 0. Inner loops run along columns, so compilers can vectorise them.
class Small {
 public:
  Small() = default;
  Small(Ordinal rows, Ordinal columns)
      : rows_(rows), columns_(columns), elements_(std::size_t(rows) * std::size_t(columns)) {}
  template <class Scalar>
  explicit Small(const SmallMatrix<Scalar>& from) : Small(from.rows, from.columns) {
    for (Ordinal j = 0; j < columns_; ++j)
      for (Ordinal i = 0; i < rows_; ++i) (*this)(i, j) = double(from(i, j));
  }
  template <class Scalar>
  void copy_to(const SmallMatrix<Scalar>& to) const {
    for (Ordinal j = 0; j < columns_; ++j)
      for (Ordinal i = 0; i < rows_; ++i) to(i, j) = Scalar((*this)(i, j));
  }

  Ordinal rows() const { return rows_; }
  Ordinal columns() const { return columns_; }
  double& operator()(Ordinal i, Ordinal j) { return elements_[std::size_t(i) + std::size_t(j) * std::size_t(rows_)]; }
  double operator()(Ordinal i, Ordinal j) const {
    return elements_[std::size_t(i) + std::size_t(j) * std::size_t(rows_)];
  }

  /// Returns rows [first, first + count).
  Small some_rows(Ordinal first, Ordinal count) const {
    Small result(count, columns_);
    for (Ordinal j = 0; j < columns_; ++j)
      for (Ordinal i = 0; i < count; ++i) result(i, j) = (*this)(first + i, j);
    return result;
  }
  /// Returns the listed columns.
  Small some_columns(const std::vector<Ordinal>& list) const {
    Small result(rows_, static_cast<Ordinal>(list.size()));
    for (Ordinal j = 0; j < result.columns(); ++j)
      for (Ordinal i = 0; i < rows_; ++i) result(i, j) = (*this)(i, list[static_cast<std::size_t>(j)]);
    return result;
  }
  Small transposed() const {
    Small result(columns_, rows_);
    for (Ordinal j = 0; j < columns_; ++j)
      for (Ordinal i = 0; i < rows_; ++i) result(j, i) = (*this)(i, j);
    return result;
  }
  bool is_finite() const {
    return std::all_of(elements_.begin(), elements_.end(), [](double element) { return std::isfinite(element); });
  }
  /// Computes *this += A B. Neither A nor B may be this matrix.
  void add_product(const Small& A, const Small& B) {
    for (Ordinal j = 0; j < columns_; ++j)
      for (Ordinal k = 0; k < A.columns(); ++k)
        for (Ordinal i = 0; i < rows_; ++i) (*this)(i, j) += A(i, k) * B(k, j);
  }

 private:
  Ordinal rows_ = 0, columns_ = 0;
  std::vector<double> elements_;
};

/// Returns A B.
inline Small operator*(const Small& A, const Small& B) {
  Small C(A.rows(), B.columns());
  C.add_product(A, B);
  return C;
}

inline Small operator+(Small A, const Small& B) {
  for (Ordinal j = 0; j < A.columns(); ++j)
    for (Ordinal i = 0; i < A.rows(); ++i) A(i, j) += B(i, j);
  return A;
}

inline Small operator-(Small A) {
  for (Ordinal j = 0; j < A.columns(); ++j)
    for (Ordinal i = 0; i < A.rows(); ++i) A(i, j) = -A(i, j);
  return A;
}

/// Returns the unit matrix.
inline Small identity(Ordinal columns) {
  Small I(columns, columns);
  for (Ordinal j = 0; j < columns; ++j) I(j, j) = 1;
  return I;
}

/// Returns the upper triangular S with S^T S = A for a symmetric A, whose upper triangle is read. For the columns in
/// order, calls keeps(j, pivot), which returns whether column j is kept. `pivot` is what remains of A(j, j) after the
/// kept columns before j. If a column is not kept, its row of S is 0, and it does not affect later columns.
template <class Keeps>
Small cholesky(const Small& A, const Keeps& keeps) {
  Small S(A.rows(), A.columns());
  for (Ordinal j = 0; j < A.columns(); ++j) {
    const auto rest = [&](Ordinal i) {
      double sum = A(i, j);
      for (Ordinal l = 0; l < i; ++l) sum -= S(l, i) * S(l, j);
      return sum;
    };
    for (Ordinal i = 0; i < j; ++i)
      if (S(i, i) > 0) S(i, j) = rest(i) / S(i, i);
    const double pivot = rest(j);
    if (keeps(j, pivot)) S(j, j) = std::sqrt(pivot);
  }
  return S;
}

/// Returns S^-1 for an upper triangular S. Ignores rows and columns whose diagonal element is 0: they are 0 in the
/// result.
inline Small inverse_of_triangle(const Small& S) {
  Small inverse(S.rows(), S.columns());
  for (Ordinal j = 0; j < S.columns(); ++j) {
    if (!(S(j, j) > 0)) continue;
    inverse(j, j) = 1 / S(j, j);
    for (Ordinal i = j; i-- > 0;) {
      if (!(S(i, i) > 0)) continue;
      double sum = 0;
      for (Ordinal l = i + 1; l <= j; ++l) sum -= S(i, l) * inverse(l, j);
      inverse(i, j) = sum / S(i, i);
    }
  }
  return inverse;
}

/// The Cholesky factor of the symmetric matrix (A + A^T) / 2, scaled to a unit diagonal. A pivot is the part of a
/// column that is independent of earlier columns. Columns whose pivot is at most `least` are left out.
class CholeskyFactor {
 public:
  CholeskyFactor() = default;
  CholeskyFactor(const Small& A, double least) : scale_(static_cast<std::size_t>(A.rows())) {
    Small scaled(A.rows(), A.columns());
    for (Ordinal j = 0; j < A.columns(); ++j) {
      const bool is_positive = A(j, j) > 0;
      scale(j) = is_positive ? 1 / std::sqrt(A(j, j)) : 0;
      for (Ordinal i = 0; i < j; ++i) scaled(i, j) = (A(i, j) + A(j, i)) / 2 * scale(i) * scale(j);
      scaled(j, j) = is_positive ? 1 : -1;
    }
    S_ = cholesky(scaled, [&](Ordinal j, double pivot) {
      if (!(pivot >= least_pivot_)) least_pivot_ = pivot;
      if (!(pivot > least)) return false;
      kept_.push_back(j);
      return true;
    });
  }

  /// Returns the indices of the columns that are kept.
  const std::vector<Ordinal>& kept() const { return kept_; }
  bool keeps_all() const { return kept_.size() == scale_.size(); }
  /// Returns the least pivot, at most 1. It is -1 or less if an element of the diagonal is not positive.
  double least_pivot() const { return least_pivot_; }

  /// Returns A^-1 B for the kept rows and columns of A. The other rows of the result are 0.
  Small solve(const Small& B) const {
    Small X = B;
    const Small L = S_.transposed();
    const Ordinal size = S_.rows();
    for (Ordinal column = 0; column < B.columns(); ++column) {
      for (Ordinal i = 0; i < size; ++i) X(i, column) *= scale(i);
      for (const Ordinal i : kept_) {
        const double x = X(i, column) /= L(i, i);
        for (Ordinal row = i + 1; row < size; ++row) X(row, column) -= L(row, i) * x;
      }
      for (Ordinal i = 0; i < size; ++i)
        if (!(S_(i, i) > 0)) X(i, column) = 0;
      for (std::size_t k = kept_.size(); k-- > 0;) {
        const Ordinal i = kept_[k];
        const double x = X(i, column) /= S_(i, i);
        for (Ordinal row = 0; row < i; ++row) X(row, column) -= S_(row, i) * x;
      }
      for (Ordinal i = 0; i < size; ++i) X(i, column) *= scale(i);
    }
    return X;
  }

  /// Returns the kept rows of X; the other rows are 0.
  Small only_kept(Small X) const {
    for (Ordinal j = 0; j < X.columns(); ++j)
      for (Ordinal i = 0; i < X.rows(); ++i)
        if (!(S_(i, i) > 0)) X(i, j) = 0;
    return X;
  }

  /// Returns the upper triangular S with S^T S = A, if all columns are kept.
  Small factor() const {
    Small S = S_;
    for (Ordinal j = 0; j < S.columns(); ++j)
      for (Ordinal i = 0; i <= j; ++i) S(i, j) /= scale(j);
    return S;
  }

  /// Returns F with F^T A F = I, with a column for each kept column.
  Small inverse_factor() const {
    Small F = inverse_of_triangle(S_).some_columns(kept_);
    for (Ordinal j = 0; j < F.columns(); ++j)
      for (Ordinal i = 0; i < F.rows(); ++i) F(i, j) *= scale(i);
    return F;
  }

 private:
  double& scale(Ordinal i) { return scale_[static_cast<std::size_t>(i)]; }
  double scale(Ordinal i) const { return scale_[static_cast<std::size_t>(i)]; }

  std::vector<double> scale_;
  std::vector<Ordinal> kept_;
  Small S_;  // S^T S = scale A scale
  double least_pivot_ = 1;
};

}  // namespace Tessera::Impl
