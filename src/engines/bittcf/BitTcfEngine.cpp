// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PortableSpmm.hpp"
#include "StoredEngine.hpp"
#include "condensed/CondensedFormat.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include "gpu/CudaCondensed.hpp"
#endif

namespace Tessera::Impl {

/// Multiplies windows with the kernels for the processor's instruction set.
template <class MatrixScalar, class VectorScalar>
void multiply_windows(const BitTcfPattern& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                      Ordinal last) {
  Impl::host_kernels<MatrixScalar, VectorScalar>(Impl::simd_target()).bittcf(A, product, first, last);
}

#define TESSERA_INSTANTIATE(Exec, M, V) \
  template void portable_spmm(const Exec&, const BitTcfPattern&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<BitTcfEngine, Scalar, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)
}  // namespace Tessera::Impl
