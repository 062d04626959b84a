// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <tessera/portable/Reference.hpp>

#include "TestDense.hpp"

namespace Tessera::Impl::Test {

/// The operands of a product in host memory, and the expected result.
template <class MatrixScalar, class VectorScalar, class Offset>
struct HostProduct {
  HostPattern<Offset> pattern;
  std::vector<MatrixScalar> values;
  Mode mode = Mode::NoTranspose;
  VectorScalar alpha = VectorScalar(1), beta = VectorScalar(0);
  Dense<VectorScalar> x, y;

  HostProduct(const HostPattern<Offset>& A, int columns, Layout x_layout, Layout y_layout, std::uint64_t seed,
              Mode mode_ = Mode::NoTranspose)
      : pattern(A),
        values(random_values<MatrixScalar>(A.nonzeros(), seed)),
        mode(mode_),
        x(is_transposed(mode_) ? A.rows : A.columns, columns, x_layout),
        y(is_transposed(mode_) ? A.columns : A.rows, columns, y_layout) {
    x.randomize(seed + 1);
  }
  /// Sets the factors, and fills Y with numbers or, if beta is 0, with NaN.
  void set_factors(VectorScalar alpha_, VectorScalar beta_, std::uint64_t seed) {
    alpha = alpha_;
    beta = beta_;
    if (beta != VectorScalar(0)) y.randomize(seed);
    references_.clear();
  }
  /// Checks each element of `result` (the new y) against its error bound, and that padding is untouched. The references
  /// are computed at the first call, so the operands must not change afterwards.
  void expect_right(Dense<VectorScalar>& result, const std::string& what) {
    EXPECT_TRUE(result.gaps_are_untouched()) << what;
    for (int j = static_cast<int>(references_.size()); j < x.columns(); ++j) {
      references_.push_back(reference_column(pattern.view(), values.data(), mode, alpha, x.column(j), x.row_stride(),
                                             beta, y.column(j), y.row_stride()));
    }
    for (int j = 0; j < x.columns(); ++j) {
      const auto& reference = references_[static_cast<std::size_t>(j)];
      ASSERT_LE(reference.worst_error(result.column(j), result.row_stride()), 1.0) << what << ", column " << j;
    }
  }

 private:
  std::vector<ReferenceColumn<VectorScalar>> references_;
};

inline std::string describe(int rows, int columns, int vectors, Layout x, Layout y) {
  return std::to_string(rows) + " x " + std::to_string(columns) + ", " + std::to_string(vectors) +
         " columns, layouts " + std::to_string(int(x)) + " " + std::to_string(int(y));
}

}  // namespace Tessera::Impl::Test
