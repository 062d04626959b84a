// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/format/Csr.hpp>

#include "PortableSpmm.hpp"
#include "StoredEngine.hpp"
#include "csr/DeviceRowsKernel.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include "CudaCsr.hpp"
#endif

namespace Tessera::Impl {

/// Multiplies windows with the processor's kernels for CSR.
template <class MatrixScalar, class VectorScalar>
void multiply_windows(const CsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                      Ordinal last) {
  Impl::host_kernels<MatrixScalar, VectorScalar>(Impl::simd_target()).csr(A, product, first, last);
}

template <class MatrixScalar, class VectorScalar>
void multiply_rows_on_host(const CsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product,
                           Ordinal first, Ordinal last) {
  multiply_windows(A, product, first, last);
}

#define TESSERA_INSTANTIATE(Ignored, M, V) \
  template void multiply_rows_on_host(const CsrPattern<Offset>&, const Product<M, V>&, Ordinal, Ordinal);
TESSERA_FOR_EACH_PRODUCT(, TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Exec, M, V) \
  template void portable_spmm(const Exec&, const CsrPattern<Offset>&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<CsrEngine, Scalar, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)
}  // namespace Tessera::Impl
