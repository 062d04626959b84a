// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Types.hpp>
#include <tessera/parallel/SimdTarget.hpp>

/// The inner loops of dense algebra on a host, for the rows of one thread.
///
/// The same source (Kernels.inl) is compiled once for each instruction set of SimdTarget.hpp. Only raw pointers are
/// passed: of a function in a shared header, the linker keeps one copy, possibly the one that was compiled with
/// AVX-512.
namespace Tessera::Impl {

/// Up to 128 columns of a block: element (i, j) is data[i * row_stride + places[j]], or data[i * row_stride + j] if
/// `places` is null.
template <class Scalar>
struct PanelRows {
  Scalar* data;
  std::ptrdiff_t row_stride;
  const Ordinal* places;
  Ordinal columns;
};

/// Kernels for rows [first, last).
template <class Scalar>
struct DenseKernels {
  using Input = PanelRows<const Scalar>;
  using Output = PanelRows<Scalar>;
  /// Computes sums[i * sums_stride + j] += x_i . y_j. The stride is a multiple of 16. Elements after the columns of Y,
  /// up to the next multiple of 16, may be written. If X is Y, elements with j < i may be left out.
  void (*gram)(const Input& X, const Input& Y, bool is_same, Ordinal first, Ordinal last, Scalar* sums,
               std::ptrdiff_t sums_stride);
  /// Computes sums[j] = x_j . y_j.
  void (*dots)(const Input& X, const Input& Y, Ordinal first, Ordinal last, Scalar* sums);
  /// Computes sums[j], the sum of |x_ij|.
  void (*sums_of_magnitudes)(const Input& X, Ordinal first, Ordinal last, Scalar* sums);
  /// Computes greatest[j], the greatest |x_ij|, or NaN.
  void (*greatest_magnitudes)(const Input& X, Ordinal first, Ordinal last, Scalar* greatest);
  /// Stores alpha B in the order in which multiply() reads it. B has rows x columns elements; element (i, j) is B[i + j
  /// * stride]. Writes rows * (columns rounded up to a multiple of 16) elements.
  void (*pack)(Scalar alpha, const Scalar* B, std::ptrdiff_t stride, Ordinal rows, Ordinal columns, Scalar* packed);
  /// Computes Y = X packed + beta Y. X may be Y.
  void (*multiply)(const Input& X, const Scalar* packed, Scalar beta, const Output& Y, bool is_in_place, Ordinal first,
                   Ordinal last);
  /// Computes C = alpha A + beta B. C may be A or B. An operand whose factor is 0 is not read.
  void (*add)(Scalar alpha, const Input& A, Scalar beta, const Input& B, const Output& C, Ordinal first, Ordinal last);
  /// Computes x_ij = factors[j] x_ij.
  void (*scale)(const Scalar* factors, const Output& X, Ordinal first, Ordinal last);
  /// Computes y_ij = factors[i] x_ij.
  void (*scale_rows)(const Scalar* factors, const Input& X, const Output& Y, Ordinal first, Ordinal last);
};

template <class Scalar>
const DenseKernels<Scalar>& dense_kernels(SimdTarget target);

}  // namespace Tessera::Impl
