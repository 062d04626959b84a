// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>

/// Products of one matrix type in two translation units. Only one of the units includes the adapter. Kokkos Kernels is
/// seldom built for row offsets of int, so each unit instantiates its kernels and the linker keeps one instance.
namespace Tessera::Impl::Test {

using UnitMatrix = KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultExecutionSpace::device_type, void, int>;
using UnitVector = Kokkos::View<double*, Kokkos::DefaultExecutionSpace::device_type>;
using UnitVectors = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::DefaultExecutionSpace::device_type>;

/// Computes Y = alpha op(A) X + beta Y with Kokkos Kernels' own handle, in the unit without the adapter.
void own_product_without_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVector& x, double beta,
                                 const UnitVector& y);
void own_product_without_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVectors& x,
                                 double beta, const UnitVectors& y);

/// Computes this product with Kokkos Kernels' own handle, in the unit with the adapter.
void own_product_with_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVector& x, double beta,
                              const UnitVector& y);
void own_product_with_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVectors& x, double beta,
                              const UnitVectors& y);

/// Computes this product with Tessera's handle, in the unit with the adapter.
void tessera_product(const UnitMatrix& A, const char mode[], double alpha, const UnitVector& x, double beta,
                     const UnitVector& y);
void tessera_product(const UnitMatrix& A, const char mode[], double alpha, const UnitVectors& x, double beta,
                     const UnitVectors& y);

}  // namespace Tessera::Impl::Test
