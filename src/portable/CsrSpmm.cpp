// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>

#include "KernelSpmm.hpp"

namespace Tessera {

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  Impl::multiply_by_kernel("Tessera::csr_spmm", exec, A, nonzeros, product, scratch,
                           [](const auto& kernels) { return kernels.csr; });
}

template <class MatrixScalar, class VectorScalar, class Offset>
void multiply_rows_on_host(const CsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product,
                           Ordinal first, Ordinal last) {
  Impl::host_kernels<MatrixScalar, VectorScalar, Offset>(Impl::simd_target()).csr(A, product, first, last);
}

#define TESSERA_INSTANTIATE(Exec, M, V, Offset) \
  template void portable_spmm(const Exec&, const CsrPattern<Offset>&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)

#define TESSERA_INSTANTIATE_ROWS(Ignored, M, V, Offset) \
  template void multiply_rows_on_host(const CsrPattern<Offset>&, const Product<M, V>&, Ordinal, Ordinal);
TESSERA_FOR_EACH_PRODUCT(, TESSERA_INSTANTIATE_ROWS)

}  // namespace Tessera
