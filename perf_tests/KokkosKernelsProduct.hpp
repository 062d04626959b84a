// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

#include "DeviceMatrix.hpp"

/// The baseline: what the same product takes without Tessera.
namespace Tessera::Benchmarks {

/// Kokkos Kernels' version and how its product was compiled here, or "none" where there is none.
std::string kokkos_kernels_build();

/// Y = A X by KokkosSparse::spmv with a handle of its own, which all calls share; does not wait. Empty where there is
/// no Kokkos Kernels. On Kokkos::Cuda, cuSPARSE multiplies if Kokkos Kernels was built with it, but for several columns
/// by rows.
std::function<void(const Space&)> kokkos_kernels_product(const DeviceMatrix& A, const Vectors<Kokkos::LayoutLeft>& X,
                                                         const Vectors<Kokkos::LayoutLeft>& Y);
std::function<void(const Space&)> kokkos_kernels_product(const DeviceMatrix& A, const Vectors<Kokkos::LayoutRight>& X,
                                                         const Vectors<Kokkos::LayoutRight>& Y);

}  // namespace Tessera::Benchmarks
