// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of ranks that replace their compressed rows: ranks need not do so before the same product.
#include <Teuchos_CommHelpers.hpp>
#include <string>
#include <tessera/parallel/Teams.hpp>

#include "BlockProblem.hpp"
#include "GrowingPlans.hpp"

namespace Tessera::Impl::Test {

HostCsr<double> with_values(const HostPattern<int>& pattern) {
  HostCsr<double> A;
  A.rows = pattern.rows;
  A.columns = pattern.columns;
  for (const int offset : pattern.row_offsets) A.row_offsets.push_back(std::size_t(offset));
  A.column_indices.assign(pattern.column_indices.begin(), pattern.column_indices.end());
  for (std::size_t k = 0; k < A.column_indices.size(); ++k) A.values.push_back(uniform(k, 3));
  return A;
}

/// Returns whether a condition holds on the last rank.
bool on_last_rank(bool here) {
  int there = here ? 1 : 0;
  Teuchos::broadcast(*world(), last_rank(), Teuchos::outArg(there));
  return there != 0;
}

/// The last rank has almost all rows, hence its plan grows before another product than those of the other ranks, which
/// may never grow. Products are right on all ranks before, while and after plans grow, for multivectors and blocks.
void expect_growth_at_different_times(TpetraOptions options) {
  const FastTiles fast;
  const int block_rows = (is_host_space<Matrix::execution_space> ? 40 : 3000) + ranks();
  const auto host = with_values(dense_blocks(block_rows));
  const auto map = map_of(host.rows, [](GO row) { return std::min(int(row / 8), last_rank()) == rank(); });
  const auto A = distribute(host, Maps{map, Teuchos::null, map, map, false});
  options.plan.hints.num_vectors = 32;
  const CrsMatrix matrix(*A, options);
  const auto has_grown = [&] { return matrix.explain().find("compressed rows were replaced") != std::string::npos; };
  const Block X(*random_vectors(map, 32, 1));
  Block Y(map, 32);
  int grown_before = 0;
  constexpr int most_products = 3000;
  for (int product = 1; product <= most_products && !on_last_rank(grown_before > 0); ++product) {
    SCOPED_TRACE(product);
    if (product % 20 == 1) {
      expect_product(*A, matrix, 32, Teuchos::NO_TRANS, 1.5, 0.5);
    } else {
      matrix.apply(X, Y);
    }
    if (grown_before == 0 && has_grown()) grown_before = product;
  }
  EXPECT_TRUE(on_last_rank(grown_before > 1)) << matrix.explain();
  int first = 0, last = 0;
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_MIN, grown_before, Teuchos::outArg(first));
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_MAX, grown_before, Teuchos::outArg(last));
  EXPECT_EQ(first<last, ranks()> 1);
  const auto x = random_vectors(map, 32, 1);
  matrix.apply(X, Y);
  MV y(map, 32), expected(map, 32);
  Y.copyTo(y);
  A->apply(*x, expected);
  expect_within(y, expected, *bound(*A, *x, expected, Teuchos::NO_TRANS, 1, 0));
}

TEST(RankGrowth, RanksWithTwoPlansGrowAlone) {
  expect_growth_at_different_times({.trusts_values = true, .overlap = Overlap::Always});
}

TEST(RankGrowth, RanksWithOnePlanGrowAlone) {
  expect_growth_at_different_times({.trusts_values = true, .overlap = Overlap::Never});
}

}  // namespace Tessera::Impl::Test
