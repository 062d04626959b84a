// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_SerialDenseMatrix.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <tessera/tpetra/BlockVector.hpp>

#include "TestProblem.hpp"

/// BlockVectors, and multivectors with the same elements.
namespace Tessera::Impl::Test {

using Block = BlockVector<double>;
using Small = Teuchos::SerialDenseMatrix<int, double>;

/// Returns a block with the elements of random_vectors().
inline RCP<Block> random_block(const RCP<const Map>& map, std::size_t columns, std::uint64_t seed) {
  return rcp(new Block(*random_vectors(map, columns, seed)));
}

/// Expects each element of the block to differ by at most `most` from the multivector's. NaN equals only NaN.
inline void expect_elements(const Block& actual, const MV& expected, double most = 0) {
  const auto copy = actual.toMultiVector();
  const auto a = copy->getLocalViewHost(Tpetra::Access::ReadOnly);
  const auto e = expected.getLocalViewHost(Tpetra::Access::ReadOnly);
  ASSERT_EQ(a.extent(0), e.extent(0));
  ASSERT_EQ(a.extent(1), e.extent(1));
  int wrong = 0;
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    for (std::size_t j = 0; j < a.extent(1); ++j) {
      const bool is_right = std::isnan(e(i, j)) ? std::isnan(a(i, j)) : std::abs(a(i, j) - e(i, j)) <= most;
      if (is_right || ++wrong > 3) continue;
      ADD_FAILURE() << "rank " << rank() << ", element (" << i << ", " << j << ") is " << a(i, j) << ", not " << e(i, j)
                    << " +- " << most;
    }
  }
  EXPECT_EQ(wrong, 0);
}

inline Small random_small(int rows, int columns, std::uint64_t seed) {
  Small result(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) result(i, j) = uniform(std::uint64_t(i) * 1000 + std::uint64_t(j), seed);
  return result;
}

/// Returns alpha X B + beta Y, computed by Tpetra.
inline MV multiplied(double alpha, const MV& X, const Small& B, double beta, const MV& Y) {
  MV result(Y, Teuchos::Copy);
  const MV b(rcp(new Map(Tpetra::global_size_t(B.numRows()), 0, world(), Tpetra::LocallyReplicated)),
             Teuchos::ArrayView<const double>(B.values(), B.stride() * B.numCols()), std::size_t(B.stride()),
             std::size_t(B.numCols()));
  result.multiply(Teuchos::NO_TRANS, Teuchos::NO_TRANS, alpha, X, b, beta);
  return result;
}

/// Returns alpha X^T Y, computed by Tpetra's dot products of single columns.
inline Small transposed_product(double alpha, const MV& X, const MV& Y) {
  Small result(int(X.getNumVectors()), int(Y.getNumVectors()));
  for (int i = 0; i < result.numRows(); ++i) {
    for (int j = 0; j < result.numCols(); ++j) {
      result(i, j) = alpha * X.getVector(std::size_t(i))->dot(*Y.getVector(std::size_t(j)));
    }
  }
  return result;
}

inline void expect_small(const Small& actual, const Small& expected, double most) {
  ASSERT_EQ(actual.numRows(), expected.numRows());
  ASSERT_EQ(actual.numCols(), expected.numCols());
  for (int i = 0; i < actual.numRows(); ++i)
    for (int j = 0; j < actual.numCols(); ++j)
      ASSERT_NEAR(actual(i, j), expected(i, j), most) << "element (" << i << ", " << j << ")";
}

inline Small identity(int size) {
  Small result(size, size);
  for (int i = 0; i < size; ++i) result(i, i) = 1;
  return result;
}

/// Returns X^T Y.
inline Small products(const Block& X, const Block& Y) {
  Small result(int(X.getNumVectors()), int(Y.getNumVectors()));
  X.innerProducts(1, Y, result);
  return result;
}

}  // namespace Tessera::Impl::Test
