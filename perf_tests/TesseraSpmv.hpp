// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "DeviceMatrix.hpp"

namespace Tessera::Benchmarks {

/// KokkosSparse::spmv with a handle of Tessera in the place of Kokkos Kernels' own. Where there is the component
/// KokkosKernels; for both layouts.
template <class Layout>
SpmvProduct<double, Layout> tessera_spmv(const DeviceMatrix& A);

}  // namespace Tessera::Benchmarks
