// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Access.hpp>
#include <Tpetra_CrsMatrix.hpp>

namespace Tessera::Impl {

/// What products need of a fill-complete matrix. A specialisation gives the same of a matrix of another type.
///
/// A matrix may consist of dense square blocks of `block_size` rows. The graph then counts blocks, and its Maps are
/// those of the *mesh*. A *point* is a row or column of elements: point k of block i has the local index
/// i * block_size + k.
template <class Matrix>
struct MatrixParts {
  using Map = typename Matrix::map_type;
  using MapPointer = Teuchos::RCP<const Map>;
  /// The values, block by block, each row-major. To read them with getLocalMatrixDevice() would mark them as changed on
  /// the device, and Tpetra would then copy them to the host for any reader there.
  using Values = Kokkos::View<const typename Matrix::impl_scalar_type*, typename Matrix::device_type>;

  static const auto& graph(const Matrix& A) { return *A.getCrsGraph(); }
  static int block_size(const Matrix&) { return 1; }
  static Values values(const Matrix& A) { return A.getLocalValuesDevice(Tpetra::Access::ReadOnly); }
  /// Returns the Map of the points of a Map of the graph.
  static MapPointer points(const Matrix&, const MapPointer& map) { return map; }
  /// \param diagonal [out] in the Map of the points of the row Map
  template <class Vector>
  static void copy_diagonal(const Matrix& A, Vector& diagonal) {
    A.getLocalDiagCopy(diagonal);
  }
};

}  // namespace Tessera::Impl
