// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Access.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <cstddef>

namespace Tessera::Impl {

/// The arrays of a fill-complete Tpetra::CrsMatrix on this rank, for reading. getLocalMatrixDevice() would mark the
/// values as changed on the device, and Tpetra would then copy them to the host for any reader there.
template <class Matrix>
struct LocalArrays {
  struct Graph {
    typename Matrix::crs_graph_type::row_ptrs_device_view_type row_map;
    typename Matrix::crs_graph_type::local_inds_device_view_type entries;
  } graph;
  typename Matrix::local_matrix_device_type::values_type::const_type values;
  int rows = 0;

  explicit LocalArrays(const Matrix& A)
      : graph{A.getCrsGraph()->getLocalRowPtrsDevice(), A.getCrsGraph()->getLocalIndicesDevice()},
        values(A.getLocalValuesDevice(Tpetra::Access::ReadOnly)),
        rows(static_cast<int>(A.getLocalNumRows())) {}

  int numRows() const { return rows; }
};

}  // namespace Tessera::Impl
