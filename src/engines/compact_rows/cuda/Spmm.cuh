// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CompactColumns.cuh"
#include "compact_rows/cuda/Spmm.hpp"
#include "csr/cuda/Spmm.cuh"

/// The start of csr_spmm's kernels for compact rows. Each pair of scalar types has a source file.
namespace Tessera::Impl::Cuda {

template <class MatrixScalar, class VectorScalar>
void compact_rows_spmm(Stream stream, const CompactRowsPattern& A, const CsrSchedule& schedule,
                       const Product<MatrixScalar, VectorScalar>& product, Scratch scratch, const CsrPolicy* policy) {
  CsrLauncher(stream, A, schedule, product, scratch, policy).run();
}

#define TESSERA_INSTANTIATE_COMPACT_ROWS_SPMM(MatrixScalar, VectorScalar)                \
  template void compact_rows_spmm(Stream, const CompactRowsPattern&, const CsrSchedule&, \
                                  const Product<MatrixScalar, VectorScalar>&, Scratch, const CsrPolicy*);

}  // namespace Tessera::Impl::Cuda
