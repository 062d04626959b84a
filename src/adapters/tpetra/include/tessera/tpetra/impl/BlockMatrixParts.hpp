// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_BlockMultiVector.hpp>
#include <cstddef>
#include <stdexcept>
#include <tessera/tpetra/impl/LocalArrays.hpp>
#include <tessera/tpetra/impl/MatrixParts.hpp>
#include <type_traits>

namespace Tessera::Impl {

/// Copies the diagonals of the diagonal blocks of a rank; 0 where there is no block.
template <class Arrays, class LocalMap, class Diagonal>
struct CopyDiagonalOfBlocks {
  Arrays A;
  LocalMap row_map, column_map;
  Diagonal diagonal;

  KOKKOS_FUNCTION void operator()(int row) const {
    const int column = column_map.getLocalElement(row_map.getGlobalElement(row));
    const auto size = static_cast<std::size_t>(A.block_size), first = static_cast<std::size_t>(row) * size;
    for (std::size_t k = 0; k < size; ++k) diagonal(first + k, 0) = 0;
    for (std::size_t entry = A.graph.row_map(row); entry < A.graph.row_map(row + 1); ++entry) {
      if (A.graph.entries(entry) != column) continue;
      for (std::size_t k = 0; k < size; ++k) diagonal(first + k, 0) += A.values((entry * size + k) * size + k);
    }
  }
};

template <class SC, class LO, class GO, class NO>
struct MatrixParts<Tpetra::BlockCrsMatrix<SC, LO, GO, NO>> {
  using Matrix = Tpetra::BlockCrsMatrix<SC, LO, GO, NO>;
  using Map = typename Matrix::map_type;
  using MapPointer = Teuchos::RCP<const Map>;
  using Values = Kokkos::View<const typename Matrix::impl_scalar_type*, typename Matrix::device_type>;
  static_assert(std::is_same_v<typename Matrix::little_block_type::array_layout, Kokkos::LayoutRight>,
                "Tessera: the blocks of a Tpetra::BlockCrsMatrix are row-major; this Trilinos was configured with "
                "TPETRA_ENABLE_BLOCKCRS_LITTLEBLOCK_LAYOUTLEFT");

  static const auto& graph(const Matrix& A) { return A.getCrsGraph(); }
  static int block_size(const Matrix& A) { return A.getBlockSize(); }
  static Values values(const Matrix& A) { return A.getValuesDevice(); }
  /// \throws std::invalid_argument on all ranks if the Map is replicated: the indices of Tpetra's Map of its points
  ///         differ between ranks
  static MapPointer points(const Matrix& A, const MapPointer& map) {
    if (!map->isDistributed() && map->getComm()->getSize() > 1) {
      throw std::invalid_argument(
          "Tessera::TpetraOperator: a Map of the blocks is replicated; expected distributed Maps, because a "
          "Tpetra::BlockCrsMatrix has no replicated Map of points");
    }
    return Teuchos::rcp(new Map(Tpetra::BlockMultiVector<SC, LO, GO, NO>::makePointMap(*map, A.getBlockSize())));
  }
  /// Tpetra's own getLocalDiagCopy() reads beyond the values where a row has no diagonal block.
  template <class Vector>
  static void copy_diagonal(const Matrix& A, Vector& diagonal) {
    using Exec = typename Matrix::execution_space;
    using LocalMap = typename Map::local_map_type;
    const auto view = diagonal.getLocalViewDevice(Tpetra::Access::ReadWrite);
    Kokkos::parallel_for("Tessera::copy_diagonal",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(0, static_cast<int>(A.getLocalNumRows())),
                         CopyDiagonalOfBlocks<LocalArrays<Matrix>, LocalMap, std::decay_t<decltype(view)>>{
                             LocalArrays<Matrix>(A), A.getRowMap()->getLocalMap(), A.getColMap()->getLocalMap(), view});
  }
};

}  // namespace Tessera::Impl
