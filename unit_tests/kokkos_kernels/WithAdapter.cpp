// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosSparse_spmv.hpp>
#include <tessera/kokkos_kernels/SpmvHandle.hpp>

#include "TwoUnits.hpp"

namespace Tessera::Impl::Test {

namespace {

template <class Handle, class View>
void product(const UnitMatrix& A, const char mode[], double alpha, const View& x, double beta, const View& y) {
  Handle handle;
  KokkosSparse::spmv(Kokkos::DefaultExecutionSpace(), &handle, mode, alpha, A, x, beta, y);
}

template <class View>
using Own = KokkosSparse::SPMVHandle<Kokkos::DefaultExecutionSpace, UnitMatrix, View, View>;
template <class View>
using Tesseras = SpmvHandle<Kokkos::DefaultExecutionSpace, UnitMatrix, View, View>;

}  // namespace

void own_product_with_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVector& x, double beta,
                              const UnitVector& y) {
  product<Own<UnitVector>>(A, mode, alpha, x, beta, y);
}
void own_product_with_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVectors& x, double beta,
                              const UnitVectors& y) {
  product<Own<UnitVectors>>(A, mode, alpha, x, beta, y);
}
void tessera_product(const UnitMatrix& A, const char mode[], double alpha, const UnitVector& x, double beta,
                     const UnitVector& y) {
  product<Tesseras<UnitVector>>(A, mode, alpha, x, beta, y);
}
void tessera_product(const UnitMatrix& A, const char mode[], double alpha, const UnitVectors& x, double beta,
                     const UnitVectors& y) {
  product<Tesseras<UnitVectors>>(A, mode, alpha, x, beta, y);
}

}  // namespace Tessera::Impl::Test
