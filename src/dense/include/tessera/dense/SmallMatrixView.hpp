// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace Tessera::Impl {

/// A small matrix in host memory, stored by columns, as users give and get it.
template <class Scalar>
using SmallMatrixView =
    Kokkos::View<Scalar**, Kokkos::LayoutLeft, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace Tessera::Impl
