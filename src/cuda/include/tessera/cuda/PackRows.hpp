// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Multivector.hpp>
#include <tessera/cuda/Stream.hpp>

namespace Tessera::Impl::Cuda {

/// Copies X with any strides, such as LayoutLeft, in row-major order: to[i * row_stride + j] = x(i, j). Columns j from
/// x.columns to row_stride become 0. Compiled for the scalars of products.
///
/// x and to are device memory, and row_stride >= x.columns. Reads and writes whole lines if x.row_stride is 1. Throws
/// std::runtime_error if the launch fails, std::length_error for too many columns. Cost: reads and writes x once.
template <class Scalar>
void pack_rows(Stream stream, const Multivector<const Scalar>& x, Scalar* to, std::ptrdiff_t row_stride);

}  // namespace Tessera::Impl::Cuda
