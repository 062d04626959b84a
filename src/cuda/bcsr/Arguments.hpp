// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/BcsrView.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/condensed/Schedule.hpp>

namespace Tessera::Cuda {

/// What the kernels for rows of blocks are given.
///
/// product has X and the values as the caller has them: single entries are summed from these. Whole blocks are
/// multiplied from what can be copied 16 bytes at a time: rows of `x`, and `values`, in the kernel's type of operands.
template <class Offset, class Scalar, class Operand>
struct BcsrArguments {
  BcsrPattern<Offset> A;
  CondensedSchedule<Offset> schedule;
  Product<Scalar, Scalar> product;
  const Operand* values = nullptr;
  const Operand* x = nullptr;
  unsigned x_row_bytes = 0;            // from a row of x to the next
  Ordinal x_columns = 0;               // that rows of x have: more than X's where they are padded
  bool y_vectors = false;              // rows of Y can be written 16 bytes at a time
  unsigned slabs = 0;                  // of columns of the product
  Scalar* partials = nullptr;          // slots * block height rows: sums of items that are pieces of windows
  std::ptrdiff_t partials_stride = 0;  // of rows, in elements
};

}  // namespace Tessera::Cuda
