// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Multivector.hpp>
#include <tessera/common/Product.hpp>

namespace Tessera::Impl {

/// Multivectors of one shape and equal strides in memory that the caller owns, one for each product of a batch, or one
/// for all of them.
template <class Scalar>
struct MultivectorBatch {
  Multivector<Scalar> first = {};  ///< the first multivector
  std::ptrdiff_t stride = 0;       ///< elements from one multivector to the next; 0 if it is shared
  Ordinal count = 0;               ///< number of multivectors
  bool is_shared = false;          ///< whether all products have the same multivector; then count is 1
};

/// Sets of values in memory that the caller owns, one for each product of a batch, or one for all of them.
template <class Scalar>
struct ValueBatch {
  const Scalar* data = nullptr;  ///< the first value of the first set
  std::size_t entries = 0;       ///< values of a set
  std::ptrdiff_t stride = 0;     ///< elements from one set to the next; 0 if it is shared
  Ordinal count = 0;             ///< number of sets
  bool is_shared = false;        ///< whether all products have the same values; then count is 1
};

/// The arguments of the products Y_b = alpha A_b X_b + beta Y_b of matrices with one pattern.
template <class Scalar>
struct BatchProduct {
  Product<Scalar, Scalar> first = {};  ///< the first product; it has neither y_rows nor x_rows
  std::ptrdiff_t value_stride = 0;     ///< values from one matrix to the next; 0: all have the same values
  std::ptrdiff_t x_stride = 0;         ///< elements from one X to the next; 0: all products have the same X
  std::ptrdiff_t y_stride = 0;         ///< elements from one Y to the next
  Ordinal count = 0;                   ///< number of products

  /// Returns one product.
  TESSERA_FUNCTION Product<Scalar, Scalar> product(Ordinal number) const {
    Product<Scalar, Scalar> item = first;
    item.values += number * value_stride;
    item.x.data += number * x_stride;
    item.y.data += number * y_stride;
    return item;
  }
};

/// Returns the products first, ..., first + count - 1.
template <class Scalar>
BatchProduct<Scalar> products_of(BatchProduct<Scalar> batch, Ordinal first, Ordinal count) {
  batch.first = batch.product(first);
  batch.count = count;
  return batch;
}

}  // namespace Tessera::Impl
