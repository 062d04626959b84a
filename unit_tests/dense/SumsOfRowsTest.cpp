// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over the rows of a product that is computed piece by piece: each row is computed once, before it is summed.
#include <algorithm>
#include <atomic>
#include <tessera/dense/impl/SumsOfRows.hpp>
#include <tessera/parallel/Teams.hpp>

#include "DenseCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class Exec, class Scalar_>
struct SumsCase {
  using ExecutionSpace = Exec;
  using Scalar = Scalar_;
};
template <class Exec>
using SumsCasesOf = ::testing::Types<SumsCase<Exec, float>, SumsCase<Exec, double>>;

template <class T>
class SumsOfRowsTest : public ::testing::Test {};
TYPED_TEST_SUITE(SumsOfRowsTest, EverySpace<SumsCasesOf>::type);

/// Computes rows of Y (NaN at first) as copies of a source's rows, and counts how often each row is computed.
template <class Exec, class Scalar>
struct Copier {
  Tall<Exec, Scalar> source, Y;
  std::vector<std::atomic<int>> made;
  int cost;  // bytes of a row; the middle row has 100 times more, the last third none

  Copier(Ordinal rows, Ordinal columns, int bytes_of_row)
      : source(rows, columns, Places::Adjacent, 5),
        Y(rows, columns, Places::Adjacent),
        made(std::size_t(rows)),
        cost(bytes_of_row) {
    Y.fill(std::numeric_limits<Scalar>::quiet_NaN());
  }

  Impl::RowProducer producer() {
    Impl::RowProducer rows;
    const TallBlock<const Scalar> from = source.input();
    const TallBlock<Scalar> to = Y.block();
    rows.make_all = [this, from, to] {
      for (auto& count : made) ++count;
      copy(Exec(), from, to);
    };
    if (!Impl::is_host_space<Exec>) return rows;
    rows.make_rows = [this, from, to](Ordinal first, Ordinal last) {
      for (std::ptrdiff_t i = first; i < last; ++i) {
        ++made[std::size_t(i)];
        std::copy_n(from.data + i * from.row_stride, from.columns, to.data + i * to.row_stride);
      }
    };
    rows.bytes_before = [this](Ordinal row) {
      const auto count = static_cast<Ordinal>(made.size());
      return std::int64_t(std::min(row, count - count / 3)) * cost + (row > count / 2 ? 100 * std::int64_t(cost) : 0);
    };
    return rows;
  }
  bool every_row_is_made_once() const {
    return std::all_of(made.begin(), made.end(), [](const auto& count) { return count == 1; });
  }
  Multivector<const Scalar> made_rows() {
    const TallBlock<Scalar> y = Y.block();
    return {y.data, y.rows, y.columns, y.row_stride, 1};
  }
};

/// Computes the sums C = [X, Y]^T Y and the squares. Returns them, C row by row.
template <class Exec, class Scalar>
std::vector<Scalar> every_sum(const Exec& exec, Ordinal rows, Ordinal columns, int cost, bool is_checked) {
  const DenseWorkspace<Exec> workspace;
  Copier<Exec, Scalar> inner(rows, columns, cost), squares(rows, columns, cost);
  Tall<Exec, Scalar> X(rows, columns, Places::Adjacent, 6);
  const TallBlock<const Scalar> x = X.input();
  const Multivector<const Scalar> y = inner.made_rows(), blocks[] = {{x.data, rows, columns, x.row_stride, 1}, y};
  TestSmall<Scalar> C(2 * columns, columns);
  std::vector<Scalar> result(std::size_t(columns) + 1, Scalar(777));
  Impl::make_with_inner_products<Exec, Scalar>(exec, workspace, inner.producer(), blocks, y, C.view());
  Impl::make_with_dots<Exec, Scalar>(exec, workspace, squares.producer(), squares.made_rows(), result.data());
  const std::string what =
      std::to_string(rows) + " rows, " + std::to_string(columns) + " columns, cost " + std::to_string(cost);
  EXPECT_TRUE(inner.every_row_is_made_once() && squares.every_row_is_made_once()) << what;
  EXPECT_TRUE(C.guards_are_untouched()) << what;
  EXPECT_EQ(result.back(), Scalar(777)) << what;
  const Tall<Exec, Scalar>&from = inner.source, &other = X;
  for (Ordinal j = 0; is_checked && j < columns; ++j) {
    for (Ordinal i = 0; i < 2 * columns; ++i) {
      Reference expected;
      for (Ordinal row = 0; row < rows; ++row)
        expected.add(Wide(i < columns ? other(row, i) : from(row, i - columns)) * from(row, j));
      expect_near(C.view()(i, j), expected, rows, what);
      if (i == columns + j) expect_near(result[std::size_t(j)], expected, rows, what + ", squares");
      if (::testing::Test::HasFatalFailure()) return {};
    }
  }
  result.pop_back();
  result.insert(result.end(), C.memory.begin(), C.memory.end());
  return result;
}

TYPED_TEST(SumsOfRowsTest, OfAnyShape) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  for (const int cost : {1, 300, 100000}) {
    for (const Ordinal columns : {1, 2, 7, 16, 33})
      for (const Ordinal rows : {0, 1, 5, 700}) every_sum<Exec, Scalar>(Exec(), rows, columns, cost, true);
    for (const Ordinal columns : {127, 128, 129}) every_sum<Exec, Scalar>(Exec(), 90, columns, cost, true);
  }
  every_sum<Exec, Scalar>(Exec(), 20011, 5, 400, true);
}

#ifdef KOKKOS_ENABLE_OPENMP
TYPED_TEST(SumsOfRowsTest, HaveTheSameBitsForAnyNumberOfThreads) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) {
    for (const Ordinal columns : {1, 4, 17, 128}) {
      const auto first = every_sum<Exec, Scalar>(Exec(1), 6007, columns, 2000, false);
      for (const int threads : {1, 2}) {
        if (threads > Exec().concurrency()) continue;
        EXPECT_TRUE(have_same_bits(first, every_sum<Exec, Scalar>(Exec(threads), 6007, columns, 2000, false)))
            << columns << " columns, " << threads << " threads";
      }
    }
  }
}
#endif

}  // namespace Tessera::Impl::Test
