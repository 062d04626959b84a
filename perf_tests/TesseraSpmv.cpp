// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TesseraSpmv.hpp"

#include <harness/SpmvProduct.hpp>
#include <tessera/kokkos_kernels/SpmvHandle.hpp>

namespace Tessera::Impl::Benchmarks {

template <class Layout>
SpmvProduct<double, Layout> tessera_spmv(const DeviceMatrix& A) {
  return spmv_product<SpmvHandle, double, Layout>(A);
}

template SpmvProduct<double, Kokkos::LayoutLeft> tessera_spmv(const DeviceMatrix&);
template SpmvProduct<double, Kokkos::LayoutRight> tessera_spmv(const DeviceMatrix&);

}  // namespace Tessera::Impl::Benchmarks
