// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Product.hpp>

/// How a product runs on a device backend, for any format: one thread an element of Y.
namespace Tessera::Impl {

/// The term of entry k, which lies in `matrix_column`, in a sum for `column` of Y.
template <class MatrixScalar, class VectorScalar, class Offset>
KOKKOS_INLINE_FUNCTION VectorScalar term(const Product<MatrixScalar, VectorScalar>& product, Offset k,
                                         Ordinal matrix_column, Ordinal column) {
  const MatrixScalar value = product.values[k];
  return VectorScalar(product.conjugate_values ? conjugate(value) : value) * product.x(matrix_column, column);
}

/// Y = alpha sum + beta Y with sum(row, column) for every element. Threads of a warp take neighbours along the columns,
/// which share the entries of A and, in LayoutRight, read adjacent elements of X.
template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Sum>
void for_each_element(const char* label, const ExecutionSpace& exec, const Product<MatrixScalar, VectorScalar>& product,
                      const Sum& sum) {
  const auto y = product.y;
  const VectorScalar alpha = product.alpha, beta = product.beta;
  const std::int64_t elements = std::int64_t(y.rows) * y.columns;
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, elements),
      KOKKOS_LAMBDA(std::int64_t i) {
        const auto row = static_cast<Ordinal>(i / y.columns);
        const auto column = static_cast<Ordinal>(i % y.columns);
        const VectorScalar scaled = alpha * sum(row, column);
        VectorScalar& target = y(row, column);
        target = beta == VectorScalar(0) ? scaled : scaled + beta * target;
      });
}

}  // namespace Tessera::Impl
