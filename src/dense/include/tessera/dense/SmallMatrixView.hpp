// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace Tessera::Impl {

/// The View type of small column-major matrices in host memory, in the API.
template <class Scalar>
using SmallMatrixView =
    Kokkos::View<Scalar**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace Tessera::Impl
