// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Product.hpp>
#include <type_traits>

#include "DeviceSpmm.hpp"
#include "HostSpmm.hpp"

/// The product on a host for any format that can be visited by windows (for_each_entry_of_window()). The sums of a
/// window's rows are in cache, and each entry adds a multiple of its row of X to the sums of its row.
namespace Tessera::Impl {

/// Returns the first row of a window. For window = windows(), this is the number of rows.
template <class Pattern>
Ordinal first_row_of(const Pattern& A, Ordinal window) {
  if constexpr (requires { A.first_rows; }) {
    return A.first_rows[window];
  } else if constexpr (requires { A.window_rows(); }) {
    return window == A.windows() ? A.rows : window * A.window_rows();
  } else {
    return window == A.windows() ? A.rows : window * A.window_rows;
  }
}

/// Adds factor x to y. The arrays must not overlap, so that the compiler can vectorise the loop.
template <bool is_fused, class Real, class Lanes>
void add_multiple(Real factor, const Real* KOKKOS_RESTRICT x, Real* KOKKOS_RESTRICT y, Lanes lanes) {
  for (int l = 0; l < lanes; ++l) {
    if constexpr (is_fused) {
      y[l] = std::fma(factor, x[l], y[l]);
    } else {
      y[l] += factor * x[l];
    }
  }
}

/// Computes the rows of one window, some columns at a time.
///
/// Each row adds its entries one after another in the order of their places. Complex numbers are split, so that the
/// compiler can vectorise over columns: a complex row of n columns is a real row of 2 n lanes, and products with real
/// and with imaginary parts of A have separate sums. A column has the same rounding errors whatever the other columns
/// are: operations are fused where this code says so, and CMakeLists.txt forbids the compiler to fuse others.
template <class Pattern, class MatrixScalar, class VectorScalar>
class WindowSums {
 public:
  WindowSums(const Pattern& A, const Product<MatrixScalar, VectorScalar>& product, SimdTarget target)
      : A_(A), product_(product), has_avx2_(has_avx2(target)) {}

  void multiply(Ordinal window) {
    first_row_ = first_row_of(A_, window);
    rows_ = first_row_of(A_, window + 1) - first_row_;
    const Ordinal width = std::min(most_sums / (rows_ * parts * parts), 32 / parts);
    for_each_part(product_.x.columns, width, [&](Ordinal first, Ordinal count) {
      const int lanes = count * parts;
      if (lanes == 32) return multiply_columns(window, first, std::integral_constant<int, 32>{});
      if (lanes == 8) return multiply_columns(window, first, std::integral_constant<int, 8>{});
      if (lanes == 1) return multiply_columns(window, first, std::integral_constant<int, 1>{});
      multiply_columns(window, first, lanes);
    });
  }

 private:
  using Real = real_of_t<VectorScalar>;
  static constexpr int parts = is_complex_v<VectorScalar> ? 2 : 1;
  static constexpr int most_sums = 4096;  // enough for a window of 1024 complex rows

  /// \param lanes [in] number of real lanes; a compile-time constant if it is 32, 8 or 1
  template <class Lanes>
  void multiply_columns(Ordinal window, Ordinal first, Lanes lanes) {
    has_avx2_ ? sum_with_avx2(window, first, lanes) : sum<false>(window, first, lanes);
    for (int r = 0; r < rows_; ++r) finish(r, first, lanes);
  }

  /// Calls sum() with the vectors and the fused operations of AVX2. All functions that it calls are inlined.
  template <class Lanes>
  TESSERA_WITH_AVX2 void sum_with_avx2(Ordinal window, Ordinal first, Lanes lanes) {
    sum<true>(window, first, lanes);
  }

  template <bool is_fused, class Lanes>
  void sum(Ordinal window, Ordinal first, Lanes lanes) {
    std::fill_n(sums_, rows_ * parts * lanes, Real(0));
    const Pattern A = A_;  // local copies, which no store can alias
    const auto* const values = product_.values;
    const auto* const x_rows = product_.x_rows;
    const bool conjugate_values = product_.conjugate_values;
    const auto* const x = reinterpret_cast<const Real*>(product_.x.data + first * product_.x.column_stride);
    const std::ptrdiff_t x_stride = product_.x.row_stride * parts;
    for_each_entry_of_window(A, window, [&](int r, Ordinal column, auto place) {
      const auto value = VectorScalar(conjugate_values ? conjugate(values[place]) : values[place]);
      const Real* x_row = x + place_of(x_rows, column) * x_stride;
      Real* sums = sums_ + std::ptrdiff_t(r) * parts * lanes;
      if constexpr (parts == 1) {
        add_multiple<is_fused>(value, x_row, sums, lanes);
      } else {
        add_multiple<is_fused>(value.re, x_row, sums, lanes);
        add_multiple<is_fused>(value.im, x_row, sums + lanes, lanes);
      }
    });
  }

  template <class Lanes>
  void finish(int r, Ordinal first, Lanes lanes) {
    const Real* sums = sums_ + std::ptrdiff_t(r) * parts * lanes;
    VectorScalar* y = &product_.y(place_of(product_.y_rows, first_row_ + r), first);
    const VectorScalar alpha = product_.alpha, beta = product_.beta;
    const std::ptrdiff_t stride = product_.y.column_stride;
    for (int l = 0; l < lanes; l += parts, y += stride) {
      VectorScalar sum;
      if constexpr (parts == 1) {
        sum = sums[l];
      } else {
        sum = {sums[l] - sums[lanes + l + 1], sums[l + 1] + sums[lanes + l]};
      }
      const VectorScalar scaled = alpha * sum;
      *y = beta == VectorScalar(0) ? scaled : scaled + beta * *y;
    }
  }

  const Pattern& A_;
  const Product<MatrixScalar, VectorScalar>& product_;
  bool has_avx2_;
  Ordinal first_row_ = 0;
  int rows_ = 0;
  alignas(64) Real sums_[most_sums];
};

}  // namespace Tessera::Impl
