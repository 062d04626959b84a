// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "DeviceMatrix.hpp"

namespace Tessera::Impl::Benchmarks {

/// Calls KokkosSparse::spmv with a handle of Kokkos Kernels, compiled against headers with Tessera as a TPL. For float
/// and double and both layouts.
template <class Value, class Layout>
SpmvProduct<Value, Layout> tpl_spmv(const DeviceCsr<Value, int, Space>& A);

}  // namespace Tessera::Impl::Benchmarks
