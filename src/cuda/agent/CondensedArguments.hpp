// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Product.hpp>
#include <tessera/cuda/CondensedSchedule.hpp>
#include <tessera/cuda/CondensedView.hpp>

#include "../policy/CondensedPolicy.hpp"

namespace Tessera::Cuda {

/// What the kernels for condensed windows are given. product.x has column_stride 1.
template <class Offset, class MatrixScalar, class Scalar>
struct CondensedArguments {
  CondensedPattern<Offset> A;
  CondensedSchedule<Offset> schedule;
  Product<MatrixScalar, Scalar> product;
  unsigned x_row_bytes = 0;  // from a row of X to the next
  SlabOrder order = SlabOrder::Innermost;
  int slabs = 0;                       // of columns of the product
  Scalar* partials = nullptr;          // slots * window rows rows: sums of items that are pieces of windows
  std::ptrdiff_t partials_stride = 0;  // of rows, in elements
};

}  // namespace Tessera::Cuda
