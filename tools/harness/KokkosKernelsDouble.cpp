// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SpmvProduct.hpp"

namespace Tessera::Impl::Harness {

template <class Value, class KokkosLayout>
SpmvProduct<Value, KokkosLayout> kokkos_kernels_product(const DeviceCsr<Value, int, DefaultSpace>& A) {
  return spmv_product<KokkosSparse::SPMVHandle, Value, KokkosLayout>(A);
}

template SpmvProduct<double, Kokkos::LayoutLeft> kokkos_kernels_product(const DeviceCsr<double, int, DefaultSpace>&);
template SpmvProduct<double, Kokkos::LayoutRight> kokkos_kernels_product(const DeviceCsr<double, int, DefaultSpace>&);

}  // namespace Tessera::Impl::Harness
