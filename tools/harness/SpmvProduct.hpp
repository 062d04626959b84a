// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <memory>

#include "KokkosKernels.hpp"

namespace Tessera::Impl::Harness {

#ifdef KOKKOSKERNELS_ENABLE_TPL_TESSERA
inline namespace WithTpl {  // a program may contain products with and without the TPL
#endif

/// Returns the product Y = alpha op(A) X + beta Y by KokkosSparse::spmv, with a handle that all calls share. Takes most
/// of a minute to compile for each type and layout.
template <template <class, class, class, class> class Handle, class Value, class KokkosLayout>
SpmvProduct<Value, KokkosLayout> spmv_product(const DeviceCsr<Value, int, DefaultSpace>& A) {
  using Matrix = KokkosSparse::CrsMatrix<Value, int, typename DefaultSpace::device_type, void, int>;
  using Dense = DeviceDense<Value, KokkosLayout, DefaultSpace>;
  const Matrix matrix("A", A.rows, A.columns, static_cast<int>(A.values.extent(0)), A.values, A.row_offsets,
                      A.column_indices);
  const auto handle = std::make_shared<Handle<DefaultSpace, Matrix, Dense, Dense>>();
  return [=](const DefaultSpace& exec, Mode mode, Value alpha, const Dense& X, Value beta, const Dense& Y) {
    KokkosSparse::spmv(exec, handle.get(), std::string(to_string(mode)).c_str(), alpha, matrix, X, beta, Y);
  };
}

#ifdef KOKKOSKERNELS_ENABLE_TPL_TESSERA
}  // namespace WithTpl
#endif

}  // namespace Tessera::Impl::Harness
