// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Multivector.hpp>
#include <tessera/cuda/Stream.hpp>

namespace Tessera::Cuda {

/// Copies a block of columns with any strides (LayoutLeft, say) to rows: to[i * row_stride + j] = x(i, j), and 0 for
/// columns j >= x.columns up to row_stride. For the scalars that products have.
///
/// Device memory; row_stride >= x.columns. Reads and writes whole lines where x.row_stride is 1. Throws
/// std::runtime_error if the launch fails, std::length_error for too many columns. Cost: x is read and written once.
template <class Scalar>
void pack_rows(Stream stream, const Multivector<const Scalar>& x, Scalar* to, std::ptrdiff_t row_stride);

}  // namespace Tessera::Cuda
