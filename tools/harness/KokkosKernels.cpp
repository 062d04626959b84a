// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KokkosKernels.hpp"

#ifdef TESSERA_HAVE_KOKKOS_KERNELS
#include <KokkosKernels_config.h>

#include "TextFormat.hpp"
#endif

namespace Tessera::Impl::Harness {

#ifdef TESSERA_HAVE_KOKKOS_KERNELS

KokkosKernelsBuild kokkos_kernels_build() {
  return {version_text(KOKKOSKERNELS_VERSION), TESSERA_COMPILER, TESSERA_KOKKOS_KERNELS_FLAGS};
}

#else

KokkosKernelsBuild kokkos_kernels_build() { return {}; }

template <class Value, class KokkosLayout>
SpmvProduct<Value, KokkosLayout> kokkos_kernels_product(const DeviceCsr<Value, int, DefaultSpace>&) {
  return {};
}
template SpmvProduct<float, Kokkos::LayoutLeft> kokkos_kernels_product(const DeviceCsr<float, int, DefaultSpace>&);
template SpmvProduct<float, Kokkos::LayoutRight> kokkos_kernels_product(const DeviceCsr<float, int, DefaultSpace>&);
template SpmvProduct<double, Kokkos::LayoutLeft> kokkos_kernels_product(const DeviceCsr<double, int, DefaultSpace>&);
template SpmvProduct<double, Kokkos::LayoutRight> kokkos_kernels_product(const DeviceCsr<double, int, DefaultSpace>&);

#endif

}  // namespace Tessera::Impl::Harness
