// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Product.hpp>
#include <tessera/cuda/condensed/Schedule.hpp>
#include <tessera/cuda/condensed/View.hpp>

#include "Policy.hpp"

namespace Tessera::Cuda {

/// What the kernels for condensed windows are given. product.x has column_stride 1, unless x are its rows in 16 bits.
template <class Offset, class MatrixScalar, class Scalar>
struct CondensedArguments {
  CondensedPattern<Offset> A;
  CondensedSchedule<Offset> schedule;
  Product<MatrixScalar, Scalar> product;
  const void* x = nullptr;             // rows of X as they are multiplied: product.x.data, or rounded to 16 bits
  unsigned x_row_bytes = 0;            // from a row to the next
  int x_elements = 0;                  // of a row (CondensedOperands)
  int slabs = 0;                       // of columns of the product
  Scalar* partials = nullptr;          // slots * window rows rows: sums of items that are pieces of windows
  std::ptrdiff_t partials_stride = 0;  // of rows, in elements
};

}  // namespace Tessera::Cuda
