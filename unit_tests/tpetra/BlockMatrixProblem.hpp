// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_BlockCrsMatrix.hpp>
#include <Tpetra_CrsGraph.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <tessera/io/HostCsr.hpp>
#include <vector>

#include "TestProblem.hpp"

/// Matrices of dense blocks, distributed in many ways, and their products computed serially.
namespace Tessera::Impl::Test {

using BlockMatrix = Tpetra::BlockCrsMatrix<double>;

/// Returns the element (r, c) of the block in block row I and block column J.
inline double element_of(GO I, GO J, int r, int c, std::uint64_t seed) {
  return uniform((std::uint64_t(I) * 1009 + std::uint64_t(J)) * 64 + std::uint64_t(r) * 8 + std::uint64_t(c), seed);
}

/// Writes element(block row, block column, row in the block, column in the block) to this rank's blocks.
inline void write_blocks(BlockMatrix& A, const std::function<double(GO, GO, int, int)>& element) {
  const int size = A.getBlockSize();
  std::vector<double> block(std::size_t(size) * std::size_t(size));
  for (int row = 0; row < int(A.getLocalNumRows()); ++row) {
    BlockMatrix::local_inds_host_view_type columns;
    A.getCrsGraph().getLocalRowView(row, columns);
    for (std::size_t k = 0; k < columns.extent(0); ++k) {
      const int column = columns(k);
      const GO I = A.getRowMap()->getGlobalElement(row), J = A.getColMap()->getGlobalElement(column);
      for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) block[std::size_t(r * size + c)] = element(I, J, r, c);
      EXPECT_EQ(A.replaceLocalValues(row, &column, block.data(), 1), 1);
    }
  }
}
inline void fill_blocks(BlockMatrix& A, std::uint64_t seed) {
  write_blocks(A, [seed](GO I, GO J, int r, int c) { return element_of(I, J, r, c, seed); });
}

/// Distributes a matrix whose blocks are where `mesh`, which every rank has completely, has entries.
inline RCP<BlockMatrix> distribute_blocks(const HostCsr<double>& mesh, const Maps& maps, int size, std::uint64_t seed) {
  const std::size_t longest = std::size_t(mesh.columns);
  const auto graph = maps.column.is_null() ? rcp(new Tpetra::CrsGraph<>(maps.row, longest))
                                           : rcp(new Tpetra::CrsGraph<>(maps.row, maps.column, longest));
  std::vector<GO> columns;
  for (const GO row : maps.row->getLocalElementList()) {
    columns.clear();
    for (std::size_t k = mesh.row_offsets[std::size_t(row)]; k < mesh.row_offsets[std::size_t(row) + 1]; ++k) {
      if (!maps.splits_rows || int(k % std::size_t(ranks())) == rank()) columns.push_back(mesh.column_indices[k]);
    }
    graph->insertGlobalIndices(row, Teuchos::ArrayView<const GO>(columns));
  }
  graph->fillComplete(maps.domain, maps.range);
  const auto A = rcp(new BlockMatrix(*graph, size));
  fill_blocks(*A, seed);
  return A;
}

/// A product of blocks, computed serially by every rank, with a bound on the rounding errors of another one.
struct SerialProduct {
  std::vector<long double> sum, magnitude;  // by point and column
  std::vector<int> length;                  // by point
};

/// Computes alpha op(A) X, where X has the elements of random_vectors(..., x_seed), for all points.
inline SerialProduct multiply_serially(const HostCsr<double>& mesh, int size, std::uint64_t seed, bool is_transposed,
                                       double alpha, std::size_t columns, std::uint64_t x_seed) {
  const auto points = std::size_t(is_transposed ? mesh.columns : mesh.rows) * std::size_t(size);
  SerialProduct result{std::vector<long double>(points * columns), std::vector<long double>(points * columns),
                       std::vector<int>(points)};
  for (Ordinal I = 0; I < mesh.rows; ++I) {
    for (std::size_t k = mesh.row_offsets[std::size_t(I)]; k < mesh.row_offsets[std::size_t(I) + 1]; ++k) {
      const Ordinal J = mesh.column_indices[k];
      for (int r = 0; r < size; ++r) {
        for (int c = 0; c < size; ++c) {
          const double a = element_of(I, J, r, c, seed);
          const auto row = std::size_t(I * size + r), column = std::size_t(J * size + c);
          const std::size_t to = is_transposed ? column : row, from = is_transposed ? row : column;
          ++result.length[to];
          for (std::size_t j = 0; j < columns; ++j) {
            const long double term = (long double)alpha * a * uniform(from * 64 + j, x_seed);
            result.sum[to * columns + j] += term;
            result.magnitude[to * columns + j] += std::abs(term);
          }
        }
      }
    }
  }
  return result;
}

/// Expects Y to be the product plus beta times the elements of random_vectors(..., y_seed), within 2 (n + ranks + 2) u
/// (|alpha| |A| |X| + |beta| |Y|) for a row of n elements.
inline void expect_serial(const MV& Y, const SerialProduct& product, double beta, std::uint64_t y_seed) {
  constexpr long double u = std::numeric_limits<double>::epsilon() / 2;
  const auto y = Y.getLocalViewHost(Tpetra::Access::ReadOnly);
  const std::size_t columns = Y.getNumVectors();
  int wrong = 0;
  for (std::size_t i = 0; i < y.extent(0); ++i) {
    const auto point = std::size_t(Y.getMap()->getGlobalElement(int(i)));
    for (std::size_t j = 0; j < columns; ++j) {
      const long double old = beta == 0 ? 0 : (long double)beta * uniform(point * 64 + j, y_seed);
      const long double expected = product.sum.at(point * columns + j) + old;
      const long double bound =
          2 * (product.length[point] + ranks() + 2) * u * (product.magnitude[point * columns + j] + std::abs(old));
      if (std::abs(y(i, j) - expected) <= bound || ++wrong > 3) continue;
      ADD_FAILURE() << "rank " << rank() << ", point " << point << ", column " << j << " is " << y(i, j) << ", not "
                    << double(expected) << " +- " << double(bound);
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace Tessera::Impl::Test
