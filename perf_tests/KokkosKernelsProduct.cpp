// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KokkosKernelsProduct.hpp"

#ifdef TESSERA_HAVE_KOKKOS_KERNELS
#include <KokkosKernels_config.h>

#include "Context.hpp"
#include "SpmvProduct.hpp"
#endif

namespace Tessera::Benchmarks {

#ifdef TESSERA_HAVE_KOKKOS_KERNELS

std::string kokkos_kernels_build() {
  constexpr int version = KOKKOSKERNELS_VERSION;
  return version_text(version) + ", " + TESSERA_KOKKOS_KERNELS_BUILD;
}

Product<Kokkos::LayoutLeft> kokkos_kernels_product(const DeviceMatrix& A, Kokkos::LayoutLeft) {
  return spmv_product<KokkosSparse::SPMVHandle, Kokkos::LayoutLeft>(A);
}

Product<Kokkos::LayoutRight> kokkos_kernels_product(const DeviceMatrix& A, Kokkos::LayoutRight) {
  return spmv_product<KokkosSparse::SPMVHandle, Kokkos::LayoutRight>(A);
}

#else

std::string kokkos_kernels_build() { return "none"; }

Product<Kokkos::LayoutLeft> kokkos_kernels_product(const DeviceMatrix&, Kokkos::LayoutLeft) { return {}; }

Product<Kokkos::LayoutRight> kokkos_kernels_product(const DeviceMatrix&, Kokkos::LayoutRight) { return {}; }

#endif

}  // namespace Tessera::Benchmarks
