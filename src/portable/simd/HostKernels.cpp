// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostKernels.hpp"

#include <tessera/common/CompiledTypes.hpp>

namespace Tessera::Impl {

#define TESSERA_DECLARE(Namespace)                          \
  namespace Namespace {                                     \
  template <class MatrixScalar, class VectorScalar>         \
  const HostKernels<MatrixScalar, VectorScalar>& kernels(); \
  }
TESSERA_DECLARE(Baseline)
#ifdef TESSERA_SIMD_X86
TESSERA_DECLARE(Avx2)
TESSERA_DECLARE(Avx512)
#endif

template <class MatrixScalar, class VectorScalar>
const HostKernels<MatrixScalar, VectorScalar>& host_kernels(SimdTarget target) {
#ifdef TESSERA_SIMD_X86
  if (target == SimdTarget::Avx512) return Avx512::kernels<MatrixScalar, VectorScalar>();
  if (target == SimdTarget::Avx2) return Avx2::kernels<MatrixScalar, VectorScalar>();
#endif
  static_cast<void>(target);
  return Baseline::kernels<MatrixScalar, VectorScalar>();
}

#define TESSERA_INSTANTIATE(Ignored, M, V) template const HostKernels<M, V>& host_kernels(SimdTarget);
TESSERA_FOR_EACH_PRODUCT(, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
