// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <tessera/parallel/SimdTarget.hpp>

namespace Tessera::Impl {

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

}  // namespace Tessera::Impl
