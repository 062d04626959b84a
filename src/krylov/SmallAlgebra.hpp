// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <tessera/common/Types.hpp>
#include <vector>

/// Matrices of as many rows and columns as a block has columns, in double on the host.
namespace Tessera::Impl {

/// A small matrix, by columns; zeros at first.
class Small {
 public:
  Small() = default;
  Small(Ordinal rows, Ordinal columns)
      : rows_(rows), columns_(columns), elements_(std::size_t(rows) * std::size_t(columns)) {}

  Ordinal rows() const { return rows_; }
  Ordinal columns() const { return columns_; }
  double& operator()(Ordinal i, Ordinal j) { return elements_[std::size_t(i) + std::size_t(j) * std::size_t(rows_)]; }
  double operator()(Ordinal i, Ordinal j) const {
    return elements_[std::size_t(i) + std::size_t(j) * std::size_t(rows_)];
  }

  /// Rows [first, first + count).
  Small some_rows(Ordinal first, Ordinal count) const {
    Small result(count, columns_);
    for (Ordinal j = 0; j < columns_; ++j)
      for (Ordinal i = 0; i < count; ++i) result(i, j) = (*this)(first + i, j);
    return result;
  }
  /// The columns of a list.
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
    for (const double element : elements_)
      if (!std::isfinite(element)) return false;
    return true;
  }

 private:
  Ordinal rows_ = 0, columns_ = 0;
  std::vector<double> elements_;
};

/// A B
inline Small operator*(const Small& A, const Small& B) {
  Small C(A.rows(), B.columns());
  for (Ordinal j = 0; j < B.columns(); ++j)
    for (Ordinal k = 0; k < A.columns(); ++k)
      for (Ordinal i = 0; i < A.rows(); ++i) C(i, j) += A(i, k) * B(k, j);
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

/// The unit matrix.
inline Small identity(Ordinal columns) {
  Small I(columns, columns);
  for (Ordinal j = 0; j < columns; ++j) I(j, j) = 1;
  return I;
}

/// The Cholesky factor of a symmetric matrix, which is scaled so that its diagonal is 1. Columns are taken in order;
/// one whose pivot is not greater than `least`, which is the part of the column that those before it do not explain, is
/// left out as if it were not there. Takes (A + A^T) / 2.
class CholeskyFactor {
 public:
  CholeskyFactor() = default;
  CholeskyFactor(const Small& A, double least)
      : size_(A.rows()), scale_(static_cast<std::size_t>(size_)), S_(size_, size_) {
    for (Ordinal j = 0; j < size_; ++j) {
      const bool is_positive = A(j, j) > 0;
      scale(j) = is_positive ? 1 / std::sqrt(A(j, j)) : 0;
      for (const Ordinal i : kept_) {
        double sum = (A(i, j) + A(j, i)) / 2 * scale(i) * scale(j);
        for (const Ordinal l : kept_) {
          if (l >= i) break;
          sum -= S_(l, i) * S_(l, j);
        }
        S_(i, j) = sum / S_(i, i);
      }
      double pivot = is_positive ? 1 : -1;
      for (const Ordinal l : kept_) pivot -= S_(l, j) * S_(l, j);
      if (!(pivot >= least_pivot_)) least_pivot_ = pivot;
      if (!(pivot > least)) continue;
      S_(j, j) = std::sqrt(pivot);
      kept_.push_back(j);
    }
  }

  /// The columns that are not left out.
  const std::vector<Ordinal>& kept() const { return kept_; }
  bool keeps_all() const { return static_cast<Ordinal>(kept_.size()) == size_; }
  /// The least of all pivots, 1 at most; -1 or less if an element of the diagonal is not positive.
  double least_pivot() const { return least_pivot_; }

  /// A^-1 B, where A has only the rows and columns that are kept; the other rows of the result are 0. Loops go along
  /// columns, so that the compiler makes them vectors.
  Small solve(const Small& B) const {
    Small X = B;
    const Small L = S_.transposed();
    for (Ordinal column = 0; column < B.columns(); ++column) {
      for (Ordinal i = 0; i < size_; ++i) X(i, column) *= scale(i);
      for (const Ordinal i : kept_) {
        const double x = X(i, column) /= L(i, i);
        for (Ordinal row = i + 1; row < size_; ++row) X(row, column) -= L(row, i) * x;
      }
      for (Ordinal i = 0; i < size_; ++i)
        if (!(S_(i, i) > 0)) X(i, column) = 0;
      for (std::size_t k = kept_.size(); k-- > 0;) {
        const Ordinal i = kept_[k];
        const double x = X(i, column) /= S_(i, i);
        for (Ordinal row = 0; row < i; ++row) X(row, column) -= S_(row, i) * x;
      }
      for (Ordinal i = 0; i < size_; ++i) X(i, column) *= scale(i);
    }
    return X;
  }

  /// F with F^T A F = I: a column for each that is kept.
  Small inverse_factor() const {
    Small F(size_, static_cast<Ordinal>(kept_.size()));
    for (Ordinal column = 0; column < F.columns(); ++column) {
      F(kept_[static_cast<std::size_t>(column)], column) = 1;
      for (std::size_t k = static_cast<std::size_t>(column) + 1; k-- > 0;) {
        const Ordinal i = kept_[k];
        double sum = F(i, column);
        for (std::size_t l = k + 1; l <= static_cast<std::size_t>(column); ++l)
          sum -= S_(i, kept_[l]) * F(kept_[l], column);
        F(i, column) = sum / S_(i, i);
      }
    }
    for (Ordinal column = 0; column < F.columns(); ++column)
      for (const Ordinal i : kept_) F(i, column) *= scale(i);
    return F;
  }

 private:
  double& scale(Ordinal i) { return scale_[static_cast<std::size_t>(i)]; }
  double scale(Ordinal i) const { return scale_[static_cast<std::size_t>(i)]; }

  Ordinal size_ = 0;
  std::vector<double> scale_;
  std::vector<Ordinal> kept_;
  Small S_;  // upper triangular, S^T S = scale A scale
  double least_pivot_ = 1;
};

}  // namespace Tessera::Impl
