// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompareKokkosKernels.hpp"

#ifdef TESSERA_HAVE_KOKKOS_KERNELS
#include <KokkosKernels_config.h>
#endif

namespace Tessera::Driver {

#ifdef TESSERA_HAVE_KOKKOS_KERNELS

bool has_kokkos_kernels() { return true; }

std::string kokkos_kernels_build() {
  constexpr int version = KOKKOSKERNELS_VERSION;
  return "Kokkos Kernels " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100) + ", compiled with " TESSERA_KOKKOS_KERNELS_BUILD;
}

#else

bool has_kokkos_kernels() { return false; }

std::string kokkos_kernels_build() { return "none"; }

#endif

}  // namespace Tessera::Driver
