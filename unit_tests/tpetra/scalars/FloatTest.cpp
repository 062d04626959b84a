// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#ifndef TESSERA_WITHOUT_FLOAT
#include "Scalars.hpp"
//
#include <tessera/tpetra/ApplyToBlocks_def.hpp>
#include <tessera/tpetra/BlockCg_def.hpp>
#include <tessera/tpetra/BlockVector_def.hpp>
#include <tessera/tpetra/Chebyshev_def.hpp>

namespace Tessera::Impl::Test {

INSTANTIATE_TYPED_TEST_SUITE_P(Float, ScalarOn, float);

namespace {

using Floats = OfScalar<float>;

TEST(FloatBlocks, AreMultiplied) {
  const auto matrix = pattern(23, 17);
  for (const Spread spread : spreads_of_scalars) {
    const CrsMatrix<float> A(*Floats::distribute(matrix, Maps::of(matrix, spread)));
    const BlockVector<float> X(*Floats::random(A.getDomainMap(), 5, 5));
    BlockVector<float> Y(*Floats::random(A.getRangeMap(), 5, 6));
    A.apply(X, Y, Teuchos::NO_TRANS, 2, -1);
    Floats::expect_product(*Y.toMultiVector(), matrix, 1, Teuchos::NO_TRANS, 2, -1);
  }
}

TEST(FloatBlocks, AreSolvedByBlockCg) {
  constexpr GO rows = 60;
  const auto matrix = rcp(new Floats::Matrix(uniform_map(rows), 3));
  for (const GO row : matrix->getRowMap()->getLocalElementList()) {
    for (GO column = std::max<GO>(0, row - 1); column <= std::min<GO>(rows - 1, row + 1); ++column) {
      matrix->insertGlobalValues(row, Teuchos::tuple(column), Teuchos::tuple(row == column ? 2.1F : -1.0F));
    }
  }
  matrix->fillComplete();
  const auto A = rcp(new CrsMatrix<float>(*matrix));
  const BlockVector<float> B(*Floats::random(A->getRangeMap(), 3, 5));
  BlockVector<float> X(A->getDomainMap(), 3), rest(B, Teuchos::Copy);
  BlockCgOptions<float> options;
  options.tolerance = 1e-4;
  EXPECT_TRUE(block_cg(*A, Chebyshev<float>(A), B, X, options).has_converged);
  std::vector<float> norms(3), residuals(3);
  B.norm2(norms);
  A->apply(X, rest, Teuchos::NO_TRANS, -1, 1);
  rest.norm2(residuals);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_LE(residuals[j], 2e-4F * norms[j]);
}

}  // namespace

}  // namespace Tessera::Impl::Test
#endif
