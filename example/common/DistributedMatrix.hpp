// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_ArrayView.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Map.hpp>
#include <cstddef>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/ReadOrGenerate.hpp>
#include <vector>

#include "AllRanks.hpp"

namespace Example {

/// Distributes a matrix that every rank has, with about equal numbers of adjacent rows on each rank.
///
/// \param block_size [in] rows of a block, which stay on one rank; the rows and columns of A are multiples of it
inline Teuchos::RCP<Tpetra::CrsMatrix<double>> distribute(const Tessera::HostCsr<double>& A,
                                                          const Teuchos::RCP<const Communicator>& comm,
                                                          int block_size = 1) {
  using Map = Tpetra::Map<>;
  const auto make_map = [&](int size) {
    const Map blocks(size / block_size, 0, comm);
    return Teuchos::rcp(new Map(size, blocks.getLocalNumElements() * static_cast<std::size_t>(block_size), 0, comm));
  };
  const auto row_map = make_map(A.rows);
  const auto domain_map = A.rows == A.columns ? row_map : make_map(A.columns);

  std::vector<std::size_t> lengths(row_map->getLocalNumElements());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto row = static_cast<std::size_t>(row_map->getGlobalElement(static_cast<int>(i)));
    lengths[i] = A.row_offsets[row + 1] - A.row_offsets[row];
  }
  const auto result =
      Teuchos::rcp(new Tpetra::CrsMatrix<double>(row_map, Teuchos::ArrayView<const std::size_t>(lengths)));
  std::vector<Map::global_ordinal_type> columns;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto row = row_map->getGlobalElement(static_cast<int>(i));
    const std::size_t first = A.row_offsets[static_cast<std::size_t>(row)];
    columns.assign(A.column_indices.data() + first, A.column_indices.data() + first + lengths[i]);
    result->insertGlobalValues(row, static_cast<int>(lengths[i]), A.values.data() + first, columns.data());
  }
  result->fillComplete(domain_map, row_map);
  return result;
}

/// Reads or generates a matrix by its name, and distributes it. Throws on all ranks if that fails, or if the matrix is
/// not symmetric: A and its transpose must map a random vector to the same vector.
inline Teuchos::RCP<Tpetra::CrsMatrix<double>> symmetric_matrix(const std::string& name,
                                                                const Teuchos::RCP<const Communicator>& comm) {
  const auto A = distribute(on_all_ranks(*comm, [&] { return Tessera::read_or_generate(name); }), comm);
  const auto rows = A->getGlobalNumRows();
  const auto columns = A->getGlobalNumCols();
  if (rows != columns || rows == 0) {
    throw ErrorOnAllRanks(name + ": " + std::to_string(rows) + " x " + std::to_string(columns) +
                          ", expected a square matrix");
  }
  Tpetra::MultiVector<double> x(A->getDomainMap(), 1), difference(A->getDomainMap(), 1);
  x.randomize();
  A->apply(x, difference);
  const double norm = difference.getVector(0)->norm2();
  A->apply(x, difference, Teuchos::TRANS, -1.0, 1.0);
  if (!(difference.getVector(0)->norm2() <= 1e-10 * norm)) {
    throw ErrorOnAllRanks(name + ": expected a symmetric matrix, but A x and A^T x differ");
  }
  return A;
}

}  // namespace Example
