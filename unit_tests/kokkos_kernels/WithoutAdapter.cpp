// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <KokkosSparse_spmv.hpp>

#include "TwoUnits.hpp"

namespace Tessera::Impl::Test {

namespace {

template <class View>
void own_product(const UnitMatrix& A, const char mode[], double alpha, const View& x, double beta, const View& y) {
  KokkosSparse::SPMVHandle<Kokkos::DefaultExecutionSpace, UnitMatrix, View, View> handle;
  KokkosSparse::spmv(Kokkos::DefaultExecutionSpace(), &handle, mode, alpha, A, x, beta, y);
}

}  // namespace

void own_product_without_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVector& x, double beta,
                                 const UnitVector& y) {
  own_product(A, mode, alpha, x, beta, y);
}
void own_product_without_adapter(const UnitMatrix& A, const char mode[], double alpha, const UnitVectors& x,
                                 double beta, const UnitVectors& y) {
  own_product(A, mode, alpha, x, beta, y);
}

}  // namespace Tessera::Impl::Test
