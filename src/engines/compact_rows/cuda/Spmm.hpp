// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>

#include "compact_rows/CompactRowsView.hpp"
#include "csr/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {

/// Computes Y = alpha A X + beta Y on CUDA cores, with A in compact rows. The kernels are those of csr_spmm(), and so
/// are the arguments, the scratch memory, the errors and every bit of the result. The schedule is that of compressed
/// rows. MatrixScalar is float or double, VectorScalar the same or double.
///
/// Cost: as csr_spmm(), but A has two bytes an entry less, and more instructions find a column.
template <class MatrixScalar, class VectorScalar>
void compact_rows_spmm(Stream stream, const CompactRowsPattern& A, const CsrSchedule& schedule,
                       const Product<MatrixScalar, VectorScalar>& product, Scratch scratch,
                       const CsrPolicy* policy = nullptr);

}  // namespace Tessera::Impl::Cuda
