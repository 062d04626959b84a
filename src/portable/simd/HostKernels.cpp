// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostKernels.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <tessera/common/CompiledTypes.hpp>

namespace Tessera::Impl {

#define TESSERA_DECLARE(Namespace)                                  \
  namespace Namespace {                                             \
  template <class MatrixScalar, class VectorScalar, class Offset>   \
  const HostKernels<MatrixScalar, VectorScalar, Offset>& kernels(); \
  }
TESSERA_DECLARE(Baseline)
#ifdef TESSERA_SIMD_X86
TESSERA_DECLARE(Avx2)
TESSERA_DECLARE(Avx512)
#endif

std::string_view to_string(SimdTarget target) {
  switch (target) {
    case SimdTarget::Baseline:
      return "baseline";
    case SimdTarget::Avx2:
      return "avx2";
    case SimdTarget::Avx512:
      return "avx512";
  }
  return "?";
}

const std::vector<SimdTarget>& available_simd_targets() {
  static const std::vector<SimdTarget> targets = [] {
    std::vector<SimdTarget> found{SimdTarget::Baseline};
#ifdef TESSERA_SIMD_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      found.push_back(SimdTarget::Avx2);
      if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
        found.push_back(SimdTarget::Avx512);
      }
    }
#endif
    return found;
  }();
  return targets;
}

SimdTarget simd_target() {
  static const SimdTarget chosen = [] {
    const auto& available = available_simd_targets();
    const char* wish = std::getenv("TESSERA_SIMD");
    if (wish == nullptr || *wish == '\0') return available.back();
    for (SimdTarget target : available) {
      if (to_string(target) == wish) return target;
    }
    std::string message = std::string("Tessera: TESSERA_SIMD=") + wish + " is not available here; expected one of:";
    for (SimdTarget target : available) message.append(" ").append(to_string(target));
    throw std::invalid_argument(message);
  }();
  return chosen;
}

template <class MatrixScalar, class VectorScalar, class Offset>
const HostKernels<MatrixScalar, VectorScalar, Offset>& host_kernels(SimdTarget target) {
#ifdef TESSERA_SIMD_X86
  if (target == SimdTarget::Avx512) return Avx512::kernels<MatrixScalar, VectorScalar, Offset>();
  if (target == SimdTarget::Avx2) return Avx2::kernels<MatrixScalar, VectorScalar, Offset>();
#endif
  static_cast<void>(target);
  return Baseline::kernels<MatrixScalar, VectorScalar, Offset>();
}

#define TESSERA_INSTANTIATE(Ignored, M, V, Offset) template const HostKernels<M, V, Offset>& host_kernels(SimdTarget);
TESSERA_FOR_EACH_PRODUCT(, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
