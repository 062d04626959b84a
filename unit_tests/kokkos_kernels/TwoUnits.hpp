// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>

/// Products of one matrix type in two translation units, only one of which includes the adapter. Row offsets are int,
/// for which Kokkos Kernels is seldom built, so each unit instantiates its kernels and the linker keeps one of the two.
namespace Tessera::Impl::Test {

using UnitMatrix = KokkosSparse::CrsMatrix<double, int, Kokkos::DefaultExecutionSpace::device_type, void, int>;
using UnitVector = Kokkos::View<double*, Kokkos::DefaultExecutionSpace::device_type>;
using UnitVectors = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::DefaultExecutionSpace::device_type>;

/// Computes Y = alpha op(A) X + beta Y with Kokkos Kernels' own handle, in the unit without the adapter.
void own_product_without_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVector& x, double beta,
                                 const UnitVector& y);
void own_product_without_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVectors& x,
                                 double beta, const UnitVectors& y);

/// Computes the same in the unit with the adapter.
void own_product_with_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVector& x, double beta,
                              const UnitVector& y);
void own_product_with_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVectors& x, double beta,
                              const UnitVectors& y);

/// Computes the same there, with Tessera's handle.
void tessera_product(const UnitMatrix& A, const char mode[], double alpha, const UnitVector& x, double beta,
                     const UnitVector& y);
void tessera_product(const UnitMatrix& A, const char mode[], double alpha, const UnitVectors& x, double beta,
                     const UnitVectors& y);

}  // namespace Tessera::Impl::Test
