// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>

#include "DeviceMatrix.hpp"

namespace Tessera::Benchmarks {

using Matrix = KokkosSparse::CrsMatrix<double, int, Space::device_type, void, int>;

/// The same arrays as a matrix of Kokkos Kernels.
inline Matrix kokkos_kernels_matrix(const DeviceMatrix& A) {
  return Matrix("A", A.rows, A.columns, int(A.nonzeros()), A.values, A.row_offsets, A.column_indices);
}

}  // namespace Tessera::Benchmarks
