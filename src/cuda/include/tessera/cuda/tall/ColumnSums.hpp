// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/ColumnSum.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/tall/Panel.hpp>

namespace Tessera::Impl::Cuda {

/// Returns the bytes of scratch memory that column_sums() needs for panels with any number of rows.
std::size_t column_sums_scratch_bytes(int columns);

/// Computes results[j], a sum over column j of X, or of X and Y for sums of products. float is converted as it is read,
/// so sums are FP64 and rounded at the end. The same panels give the same bits, as with gram(). Cost: X is read once,
/// and Y if it is used.
///
/// \param X       [in]  a panel with at least one column
/// \param Y       [in]  a panel with the rows and columns of X; pass X if Y is not used
/// \param results [out] X.columns elements of memory that the GPU can write, for example pinned host memory
/// \throws std::runtime_error if a launch fails
template <class Scalar>
void column_sums(Stream stream, ColumnSum kind, const TallPanel<const Scalar>& X, const TallPanel<const Scalar>& Y,
                 Scalar* results, Scratch scratch);

}  // namespace Tessera::Impl::Cuda
