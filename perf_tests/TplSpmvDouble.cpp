// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <harness/SpmvProduct.hpp>

#include "TplSpmv.hpp"

#ifndef KOKKOSKERNELS_ENABLE_TPL_TESSERA
#error "expected Kokkos Kernels' headers as scripts/patch_kokkos_kernels makes them"
#endif

namespace Tessera::Impl::Benchmarks {

template <class Value, class Layout>
SpmvProduct<Value, Layout> tpl_spmv(const DeviceCsr<Value, int, Space>& A) {
  return spmv_product<KokkosSparse::SPMVHandle, Value, Layout>(A);
}

template SpmvProduct<double, Kokkos::LayoutLeft> tpl_spmv(const DeviceCsr<double, int, Space>&);
template SpmvProduct<double, Kokkos::LayoutRight> tpl_spmv(const DeviceCsr<double, int, Space>&);

}  // namespace Tessera::Impl::Benchmarks
