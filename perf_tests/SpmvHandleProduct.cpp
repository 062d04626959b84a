// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/kokkos_kernels/SpmvHandle.hpp>

#include "SpmvProduct.hpp"

namespace Tessera::Benchmarks {

Product<Kokkos::LayoutLeft> tessera_product(const DeviceMatrix& A, Kokkos::LayoutLeft) {
  return spmv_product<SpmvHandle, Kokkos::LayoutLeft>(A);
}

Product<Kokkos::LayoutRight> tessera_product(const DeviceMatrix& A, Kokkos::LayoutRight) {
  return spmv_product<SpmvHandle, Kokkos::LayoutRight>(A);
}

}  // namespace Tessera::Benchmarks
