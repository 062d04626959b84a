// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>
#include <string>
#include <tessera/Mode.hpp>

#include "DeviceData.hpp"

namespace Tessera::Impl::Harness {

using DefaultSpace = Kokkos::DefaultExecutionSpace;

/// The build of Kokkos Kernels' product. Compiler and flags change its speed by up to a factor of 2.5.
struct KokkosKernelsBuild {
  std::string version;   ///< "4.5.1"; empty if this build has no Kokkos Kernels
  std::string compiler;  ///< compiler of the product in this build
  std::string flags;
};
KokkosKernelsBuild kokkos_kernels_build();

/// Y = alpha op(A) X + beta Y; does not wait.
template <class Value, class KokkosLayout>
using SpmvProduct =
    std::function<void(const DefaultSpace&, Mode, Value alpha, const DeviceDense<Value, KokkosLayout, DefaultSpace>& X,
                       Value beta, const DeviceDense<Value, KokkosLayout, DefaultSpace>& Y)>;

/// Returns KokkosSparse::spmv with a handle of Kokkos Kernels, which all calls share, for float and double. Empty
/// without Kokkos Kernels. On Kokkos::Cuda, Kokkos Kernels multiplies with cuSPARSE if built with it, except
/// for several row-major columns.
template <class Value, class KokkosLayout>
SpmvProduct<Value, KokkosLayout> kokkos_kernels_product(const DeviceCsr<Value, int, DefaultSpace>& A);

}  // namespace Tessera::Impl::Harness
