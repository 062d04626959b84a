// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DenseKernels.hpp"

#include <tessera/common/CompiledTypes.hpp>

namespace Tessera::Impl {

#define TESSERA_DECLARE(Namespace)                  \
  namespace Namespace {                             \
  template <class Scalar>                           \
  const DenseKernels<Scalar>& dense_kernel_table(); \
  }
TESSERA_DECLARE(Baseline)
#ifdef TESSERA_SIMD_X86
TESSERA_DECLARE(Avx2)
TESSERA_DECLARE(Avx512)
#endif

template <class Scalar>
const DenseKernels<Scalar>& dense_kernels(SimdTarget target) {
#ifdef TESSERA_SIMD_X86
  if (target == SimdTarget::Avx512) return Avx512::dense_kernel_table<Scalar>();
  if (target == SimdTarget::Avx2) return Avx2::dense_kernel_table<Scalar>();
#endif
  static_cast<void>(target);
  return Baseline::dense_kernel_table<Scalar>();
}

#define TESSERA_INSTANTIATE(Scalar) template const DenseKernels<Scalar>& dense_kernels(SimdTarget);
TESSERA_IF_FLOAT(TESSERA_INSTANTIATE, float)
TESSERA_IF_DOUBLE(TESSERA_INSTANTIATE, double)

}  // namespace Tessera::Impl
