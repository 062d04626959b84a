// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares every format with the reference, on random matrices of awkward shapes and random operands.
#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class DifferentialTest : public ::testing::Test {};
TYPED_TEST_SUITE(DifferentialTest, UserProductCases);

/// A number of rows or columns, often at the edge of a window, a tile or a block.
int awkward_extent(Random& random) {
  const int edges[] = {1, 8, 16, 32, 64, 128};
  if (random.below(4) == 0) return random.below(200);
  return std::max(0, edges[random.below(6)] * (1 + random.below(2)) + random.below(3) - 1);
}

/// Rows of several kinds: empty, full, one entry, consecutive, scattered, and with the same few columns.
template <class Offset>
HostPattern<Offset> awkward_pattern(Random& random) {
  const int rows = awkward_extent(random), columns = awkward_extent(random);
  const int favourite = random.below(std::max(columns, 1));
  HostPattern<Offset> A;
  A.columns = columns;
  while (A.rows < rows) {
    const int kind = columns == 0 ? 0 : random.below(6), first = random.below(std::max(columns, 1));
    for (int j = 0; j < columns; ++j) {
      const bool is_there = kind == 1   ? random.below(20) > 0
                            : kind == 2 ? j == first
                            : kind == 3 ? j >= first && j < first + 9
                            : kind == 4 ? random.below(12) == 0
                            : kind == 5 ? j % 16 == favourite % 16
                                        : false;
      if (is_there) A.column_indices.push_back(j);
    }
    A.end_row();
  }
  return A;
}

TYPED_TEST(DifferentialTest, EveryFormatIsTheReference) {
  using Exec = typename TypeParam::ExecutionSpace;
  using User = user_scalar_t<typename TypeParam::VectorScalar>;
  using Left = Kokkos::View<User**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  using Right = Kokkos::View<User**, Kokkos::LayoutRight, typename Exec::memory_space>;
  Random random(20);
  for (int round = 0; round < 12; ++round) {
    const auto pattern = awkward_pattern<typename TypeParam::Offset>(random);
    const UserMatrix<Exec, typename TypeParam::MatrixScalar, typename TypeParam::Offset> A(pattern, random.next());
    const Mode mode = every_mode[random.below(4)];
    const int columns = 1 + random.below(40);
    const double alpha = random.real(), beta = random.below(2) == 0 ? 0 : random.real();
    for (const Format format : every_format) {
      if (!is_chosen_on<Exec>(5)) continue;
      auto plan = A.plan(with_format(format));
      const std::string what = "round " + std::to_string(round) + ", " + std::string(to_string(format)) + ", " +
                               std::to_string(pattern.rows) + " x " + std::to_string(pattern.columns) + ", " +
                               std::to_string(columns) + " columns";
      expect_product<Left>(A, plan, columns, mode, alpha, beta, what + ", left", false);
      expect_product<Right>(A, plan, columns, mode, alpha, beta, what + ", right", false);
    }
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace Tessera::Impl::Test
