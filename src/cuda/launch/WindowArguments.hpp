// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Product.hpp>

namespace Tessera::Impl::Cuda {

/// The arguments of all kernels for windows, which add members of their own. Epilogue and PieceSums read these.
template <class Pattern, class Schedule, class MatrixScalar, class Scalar>
struct WindowArguments {
  Pattern A;
  Schedule schedule;
  Product<MatrixScalar, Scalar> product;
  unsigned x_row_bytes = 0;              // bytes from one row of X to the next
  unsigned slabs = 0;                    // number of slabs that the columns of the product are cut into
  sum_of_t<Scalar>* partials = nullptr;  // sums of the pieces of windows, window_rows rows a slot
  std::ptrdiff_t partials_stride = 0;    // elements from one row of partials to the next
  bool y_vectors = false;                // whether rows of Y can be written 16 bytes at a time
};

}  // namespace Tessera::Impl::Cuda
