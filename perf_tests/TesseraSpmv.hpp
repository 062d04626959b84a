// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "DeviceMatrix.hpp"

namespace Tessera::Impl::Benchmarks {

/// Calls KokkosSparse::spmv with a handle of Tessera instead of Kokkos Kernels' handle, for both layouts. Needs the
/// component KokkosKernels.
template <class Layout>
SpmvProduct<double, Layout> tessera_spmv(const DeviceMatrix& A);

}  // namespace Tessera::Impl::Benchmarks
