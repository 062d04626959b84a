// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/sorted_columns/Schedule.hpp>

namespace Tessera::Cuda {

/// What kernels of sorted columns are given: a product with a slab of columns.
template <class Offset, class MatrixScalar, class Scalar>
struct SortedColumnsArguments {
  SortedColumnsPattern<Offset> A;
  SortedColumnsSchedule<Offset> schedule;
  Product<MatrixScalar, Scalar> product;
  Scalar* partials = nullptr;          // slots x partials_stride, which is a multiple of 16 bytes
  std::ptrdiff_t partials_stride = 0;  // at least the columns of the slab
  std::uint32_t x_row_bytes = 0;       // where rows of X are read as vectors
  unsigned chunks = 1;                 // of the slab's columns, a block of threads each
};

}  // namespace Tessera::Cuda
