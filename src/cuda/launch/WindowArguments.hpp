// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Product.hpp>

namespace Tessera::Impl::Cuda {

/// Arguments that all kernels for windows have. Epilogue and PieceSums read them. Kernels add members of their own.
template <class Pattern, class Schedule, class MatrixScalar, class Scalar>
struct WindowArguments {
  Pattern A;
  Schedule schedule;
  Product<MatrixScalar, Scalar> product;
  unsigned x_row_bytes = 0;              // row stride of X in bytes
  unsigned slabs = 0;                    // number of slabs into which the columns of the product are cut
  sum_of_t<Scalar>* partials = nullptr;  // sums of the pieces of windows, window_rows rows per slot
  std::ptrdiff_t partials_stride = 0;    // row stride of partials in elements
  bool y_vectors = false;                // whether rows of Y can be written 16 bytes at a time
};

}  // namespace Tessera::Impl::Cuda
