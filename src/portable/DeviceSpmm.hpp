// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Product.hpp>

/// The product on a device backend, for any format.
namespace Tessera::Impl {

/// Returns the row of X or Y that belongs to column or row i of a matrix.
KOKKOS_INLINE_FUNCTION Ordinal place_of(const Ordinal* places, Ordinal i) { return places == nullptr ? i : places[i]; }

/// Returns the value of an entry of A, conjugated on request.
template <class MatrixScalar, class VectorScalar>
KOKKOS_INLINE_FUNCTION VectorScalar value_of_entry(const Product<MatrixScalar, VectorScalar>& product, Offset place) {
  const MatrixScalar value = product.values[place];
  return VectorScalar(product.conjugate_values ? conjugate(value) : value);
}

/// Writes alpha sum + beta y for an element of Y.
template <class MatrixScalar, class VectorScalar>
KOKKOS_INLINE_FUNCTION void store_sum(const Product<MatrixScalar, VectorScalar>& product, Ordinal row, Ordinal column,
                                      VectorScalar sum) {
  const VectorScalar scaled = product.alpha * sum;
  VectorScalar& target = product.y(place_of(product.y_rows, row), column);
  target = product.beta == VectorScalar(0) ? scaled : scaled + product.beta * target;
}

/// Computes Y = alpha A X + beta Y for a format that has for_each_entry(). Each thread computes one element of Y.
/// Threads of a warp have adjacent columns: they share the entries of A and, in LayoutRight, read adjacent elements of
/// X.
template <class ExecutionSpace, class Pattern, class MatrixScalar, class VectorScalar>
void multiply_on_device(const ExecutionSpace& exec, const Pattern& A, std::size_t /*nonzeros*/,
                        const Product<MatrixScalar, VectorScalar>& product) {
  const std::int64_t elements = std::int64_t(product.y.rows) * product.y.columns;
  Kokkos::parallel_for(
      Pattern::label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, elements),
      KOKKOS_LAMBDA(std::int64_t i) {
        const auto row = static_cast<Ordinal>(i / product.y.columns);
        const auto column = static_cast<Ordinal>(i % product.y.columns);
        auto sum = VectorScalar(0);
        for_each_entry(A, row, [&](Ordinal matrix_column, Offset place) {
          sum += value_of_entry(product, place) * product.x(place_of(product.x_rows, matrix_column), column);
        });
        store_sum(product, row, column, sum);
      });
}

}  // namespace Tessera::Impl
