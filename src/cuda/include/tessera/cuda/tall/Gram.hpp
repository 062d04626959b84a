// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/tall/Panel.hpp>

namespace Tessera::Cuda {

/// Bytes of scratch memory that gram() needs for panels with any number of rows.
std::size_t gram_scratch_bytes(int x_columns, int y_columns);

/// C = X^T Y, with FP64 tensor cores: compute capability 8.0. float is converted as it is read, so that sums are FP64
/// and rounded in the end.
///
/// Rows are cut into parts that depend on the sizes alone. A warp sums 8 rows at a time, a second kernel adds the parts
/// in order: the same panels give the same bits. Cost: X and Y are read once, and once if they are the same.
///
/// \param are_same  [in] whether Y is X; half of C is then computed, and copied
/// \param C         [out] element (i, j) is C[i + j * stride]: memory that the GPU may write, or pinned on the host
/// \throws std::runtime_error if a launch fails
template <class Scalar>
void gram(Stream stream, const TallPanel<const Scalar>& X, const TallPanel<const Scalar>& Y, bool are_same, Scalar* C,
          std::ptrdiff_t stride, Scratch scratch);

}  // namespace Tessera::Cuda
