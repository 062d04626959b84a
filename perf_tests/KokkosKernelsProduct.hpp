// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

#include "DeviceMatrix.hpp"

/// Products by KokkosSparse::spmv.
namespace Tessera::Benchmarks {

/// Kokkos Kernels' version and how its product was compiled here, or "none" where there is none.
std::string kokkos_kernels_build();

/// Y = A X; does not wait.
template <class Layout>
using Product = std::function<void(const Space&, const Vectors<Layout>& X, const Vectors<Layout>& Y)>;

/// The baseline: with a handle of Kokkos Kernels, which all calls share. Empty where there is no Kokkos Kernels. On
/// Kokkos::Cuda, cuSPARSE multiplies if Kokkos Kernels was built with it, but for several columns by rows.
Product<Kokkos::LayoutLeft> kokkos_kernels_product(const DeviceMatrix& A, Kokkos::LayoutLeft);
Product<Kokkos::LayoutRight> kokkos_kernels_product(const DeviceMatrix& A, Kokkos::LayoutRight);

/// With a handle of Tessera in its place. Where there is the component KokkosKernels.
Product<Kokkos::LayoutLeft> tessera_product(const DeviceMatrix& A, Kokkos::LayoutLeft);
Product<Kokkos::LayoutRight> tessera_product(const DeviceMatrix& A, Kokkos::LayoutRight);

}  // namespace Tessera::Benchmarks
