// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <string>
#include <tessera/common/Mode.hpp>

#include "DeviceData.hpp"

namespace Tessera::Driver {

using DefaultSpace = Kokkos::DefaultExecutionSpace;

/// Whether this build has Kokkos Kernels.
bool has_kokkos_kernels();

/// Its version and the compiler and flags that its product was compiled with here: they change its speed up to 2.5
/// times.
std::string kokkos_kernels_build();

/// KokkosSparse::spmv with a handle of its own, ready to be run again and again on the same data.
///
/// Compiled for float and double. \throws std::invalid_argument in a build without Kokkos Kernels
template <class Value, class KokkosLayout>
std::function<void()> kokkos_kernels_product(const DefaultSpace& exec, const DeviceCsr<Value, int, DefaultSpace>& a,
                                             Mode mode, Value alpha,
                                             const DeviceDense<Value, KokkosLayout, DefaultSpace>& x, Value beta,
                                             const DeviceDense<Value, KokkosLayout, DefaultSpace>& y);

}  // namespace Tessera::Driver
