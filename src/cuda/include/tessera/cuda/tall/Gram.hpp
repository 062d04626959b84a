// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/tall/Panel.hpp>

namespace Tessera::Impl::Cuda {

/// Returns the bytes of scratch memory that gram() needs for panels with any number of rows.
std::size_t gram_scratch_bytes(int x_columns, int y_columns);

/// Computes C = X^T Y with FP64 tensor cores (compute capability 8.0). float is converted as it is read, so sums are
/// FP64 and rounded at the end.
///
/// Rows are cut into parts, which depend on the sizes only. A warp sums 8 rows at a time, and a second kernel adds the
/// parts in order, so the same panels give the same bits. Cost: reads X and Y once, or only X if they are the same.
///
/// \param are_same  [in] whether Y is X; half of C is then computed, and copied to the other half
/// \param C         [out] element (i, j) is C[i + j * stride]: memory that the GPU can write, or pinned host memory
/// \throws std::runtime_error if a launch fails
template <class Scalar>
void gram(Stream stream, const TallPanel<const Scalar>& X, const TallPanel<const Scalar>& Y, bool are_same, Scalar* C,
          std::ptrdiff_t stride, Scratch scratch);

}  // namespace Tessera::Impl::Cuda
