// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <memory>

#include "KokkosKernelsProduct.hpp"

namespace Tessera::Benchmarks {

/// Y = A X by KokkosSparse::spmv with a handle, which all calls share.
template <template <class, class, class, class> class Handle, class Layout>
Product<Layout> spmv_product(const DeviceMatrix& A) {
  using Matrix = KokkosSparse::CrsMatrix<double, int, Space::device_type, void, int>;
  using View = Vectors<Layout>;
  const Matrix matrix("A", A.rows, A.columns, int(A.nonzeros()), A.values, A.row_offsets, A.column_indices);
  const auto handle = std::make_shared<Handle<Space, Matrix, View, View>>();
  return [=](const Space& exec, const View& X, const View& Y) {
    KokkosSparse::spmv(exec, handle.get(), "N", 1.0, matrix, X, 0.0, Y);
  };
}

}  // namespace Tessera::Benchmarks
