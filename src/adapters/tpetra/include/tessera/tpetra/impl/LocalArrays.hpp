// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/tpetra/impl/MatrixParts.hpp>

namespace Tessera::Impl {

/// The arrays of a fill-complete matrix on this rank, for reading. Rows, columns and entries count blocks.
template <class Matrix>
struct LocalArrays {
  using Parts = MatrixParts<Matrix>;

  struct Graph {
    typename Matrix::crs_graph_type::row_ptrs_device_view_type row_map;
    typename Matrix::crs_graph_type::local_inds_device_view_type entries;
  } graph;
  typename Parts::Values values;
  int rows = 0;
  int block_size = 1;

  explicit LocalArrays(const Matrix& A)
      : graph{Parts::graph(A).getLocalRowPtrsDevice(), Parts::graph(A).getLocalIndicesDevice()},
        values(Parts::values(A)),
        rows(static_cast<int>(Parts::graph(A).getLocalNumRows())),
        block_size(Parts::block_size(A)) {}

  int numRows() const { return rows; }
};

}  // namespace Tessera::Impl
