// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <set>
#include <tessera/reorder/LocalClusters.hpp>

#include "RowOrderCases.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

/// Returns the number of leading zeros in the hash of a column.
int zeros_of(int column) {
  auto x = static_cast<std::uint32_t>(column);
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return std::countl_zero(x ^ (x >> 16));
}

/// A serial reference that makes the same strips.
class SerialClusters {
 public:
  template <class Offset>
  explicit SerialClusters(const HostPattern<Offset>& A) {
    for (int first = 0; first < A.rows; first += local_group_rows) {
      rows_.assign(std::size_t(std::min(local_group_rows, A.rows - first)), {});
      choose(A, first);
      for (const int r : order_of_group()) order_.push_back(first + r);
    }
  }

  /// Returns the order; empty for the identity, as in the library.
  std::vector<int> order() const { return std::is_sorted(order_.begin(), order_.end()) ? std::vector<int>{} : order_; }

 private:
  using Columns = std::set<int>;

  /// Fills rows_ with the columns of each row that the algorithm compares.
  template <class Offset>
  void choose(const HostPattern<Offset>& A, int first) {
    const auto begin = std::size_t(A.row_offsets[std::size_t(first)]);
    const std::size_t entries = std::size_t(A.row_offsets[std::size_t(first) + rows_.size()]) - begin;
    int zeros = 0;
    while ((most_group_entries << zeros) < entries) ++zeros;
    for (std::size_t chosen = most_group_entries + 1; chosen > most_group_entries; ++zeros) {
      chosen = 0;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        rows_[r].clear();
        for (auto k = A.row_offsets[std::size_t(first) + r]; k < A.row_offsets[std::size_t(first) + r + 1]; ++k) {
          const int column = A.column_indices[std::size_t(k)];
          if (zeros_of(column) >= zeros) rows_[r].insert(column);
        }
        chosen += rows_[r].size();
      }
    }
  }

  static std::size_t common(const Columns& a, const Columns& b) {
    return std::size_t(std::count_if(a.begin(), a.end(), [&](int column) { return b.count(column) > 0; }));
  }

  std::size_t similarity(std::size_t r, const Columns& strip) const {
    const std::size_t shared = common(rows_[r], strip);
    return shared == 0 ? 0 : (shared << 16) / (strip.size() + rows_[r].size() - shared);
  }

  std::vector<int> order_of_group() const {
    std::vector<int> own(rows_.size()), result;
    std::iota(own.begin(), own.end(), 0);
    std::vector<int> left = own;
    Columns strip;
    while (!left.empty()) {
      const auto shares = [&](int r) { return common(rows_[std::size_t(r)], strip) > 0; };
      const bool begins = result.size() % local_strip_rows == 0 || std::none_of(left.begin(), left.end(), shares);
      const auto worth = [&](int r) {
        return std::pair(begins ? std::bit_width(rows_[std::size_t(r)].size()) : 0, similarity(std::size_t(r), strip));
      };
      const auto next = std::max_element(left.begin(), left.end(), [&](int a, int b) { return worth(a) < worth(b); });
      if (result.size() % local_strip_rows == 0) strip.clear();
      strip.insert(rows_[std::size_t(*next)].begin(), rows_[std::size_t(*next)].end());
      result.push_back(*next);
      left.erase(next);
    }
    const std::size_t before = columns_in(own);
    return columns_in(result) < before - before / 16 ? result : own;
  }

  std::size_t columns_in(const std::vector<int>& order) const {
    std::size_t sum = 0;
    for (std::size_t first = 0; first < order.size(); first += local_strip_rows) {
      Columns window;
      for (std::size_t at = first; at < std::min(first + local_strip_rows, order.size()); ++at)
        window.insert(rows_[std::size_t(order[at])].begin(), rows_[std::size_t(order[at])].end());
      sum += window.size();
    }
    return sum;
  }

  std::vector<Columns> rows_;  // rows of the current group
  std::vector<int> order_;
};

template <class T>
class LocalClustersTest : public ::testing::Test {
 protected:
  using Exec = typename T::ExecutionSpace;
  using Offset = typename T::Offset;

  static std::vector<int> order_of(const HostPattern<Offset>& A, const Exec& exec = Exec()) {
    const auto p = local_clusters(exec, DevicePattern<Exec, Offset>(A).view());
    EXPECT_EQ(validate(Exec(), p, A.rows), "");
    return to_host(p.order);
  }

  static void expect_serial(const HostPattern<Offset>& A, const std::string& name) {
    EXPECT_EQ(order_of(A), SerialClusters(A).order()) << name;
  }
};
TYPED_TEST_SUITE(LocalClustersTest, OffsetCases);

/// Blocks of 8 equal rows. A block has `length` columns, plus `more` for each earlier block (modulo 32).
template <class Offset>
HostPattern<Offset> equal_rows(int blocks, int columns, int length, int more) {
  Random random(21);
  HostPattern<Offset> A;
  A.columns = columns;
  for (int block = 0; block < blocks; ++block) {
    std::set<int> row;
    while (row.size() < std::size_t(length + block % 32 * more)) row.insert(random.below(columns));
    for (int copy = 0; copy < 8; ++copy) {
      A.column_indices.insert(A.column_indices.end(), row.begin(), row.end());
      A.end_row();
    }
  }
  return A;
}

/// Shuffles the rows within each group.
template <class Offset>
HostPattern<Offset> shuffled_in_groups(const HostPattern<Offset>& A, std::uint64_t seed) {
  std::vector<int> order;
  for (int first = 0; first < A.rows; first += local_group_rows) {
    for (const int r : shuffled(std::min(local_group_rows, A.rows - first), ++seed)) order.push_back(first + r);
  }
  return rows_in_order(A, order);
}

TYPED_TEST(LocalClustersTest, RandomPatternsAsSerially) {
  using Offset = typename TypeParam::Offset;
  std::uint64_t seed = 1;
  for (const int rows : {1, 7, 8, 9, 255, 256, 257, 700}) {
    for (const int columns : {1, 40, 300}) {
      for (const double entries_per_row : {0.5, 4.0, 30.0}) {
        const double density = std::min(1.0, entries_per_row / columns);
        this->expect_serial(random_pattern<Offset>(rows, columns, density, ++seed, 11),
                            std::to_string(rows) + " x " + std::to_string(columns));
      }
    }
  }
}

TYPED_TEST(LocalClustersTest, SpecialPatternsAsSerially) {
  using Offset = typename TypeParam::Offset;
  for (const auto& [name, A] : row_order_cases<Offset>()) this->expect_serial(A, name);
  for (const int step : {1, 3, 20}) this->expect_serial(staircase<Offset>(600, 21, step), "a staircase");
  // Rows of all lengths, each a subset of any longer row: similarity and length favour different orders.
  HostPattern<Offset> nested;
  nested.columns = 300;
  for (const int length : shuffled(300, 3)) {
    for (int j = 0; j < length; ++j) nested.column_indices.push_back(j);
    nested.end_row();
  }
  this->expect_serial(nested, "nested rows");
  this->expect_serial(shuffled_in_groups(equal_rows<Offset>(70, 900, 11, 1), 4), "equal rows");
  this->expect_serial(shuffled_in_groups(grid_pattern<Offset>(28), 5), "a grid");
}

/// A group has more than 65,536 entries, so only some of its columns are compared. There are several batches.
TYPED_TEST(LocalClustersTest, LongRowsAsSerially) {
  using Offset = typename TypeParam::Offset;
  auto A = shuffled_in_groups(equal_rows<Offset>(36, 4000, 150, 60), 6);
  ASSERT_GT(A.nonzeros(), std::size_t(1) << 18);
  this->expect_serial(A, "long rows");
  EXPECT_FALSE(this->order_of(A).empty());
  // The hashes of all columns have at least two leading zeros, so requiring one removes no column.
  HostPattern<Offset> crowded;
  std::vector<int> columns;
  for (; columns.size() < 512; ++crowded.columns) {
    if (zeros_of(crowded.columns) >= 2) columns.push_back(crowded.columns);
  }
  for (const int row : shuffled(256, 6)) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if ((k + std::size_t(row)) % 32 > std::size_t(row) / 8 % 12) crowded.column_indices.push_back(columns[k]);
    }
    crowded.end_row();
  }
  ASSERT_GT(crowded.nonzeros(), most_group_entries);
  this->expect_serial(crowded, "crowded");
}

/// Blocks of 8 equal rows that are shuffled within groups are found again, longest first.
TYPED_TEST(LocalClustersTest, FindsBlocksOfEqualRows) {
  using Offset = typename TypeParam::Offset;
  for (const int more : {0, 3}) {
    const auto A = equal_rows<Offset>(32 * 5 + 7, 3000, 20, more);
    const auto rows = shuffled_in_groups(A, 7);
    const auto order = this->order_of(rows);
    ASSERT_FALSE(order.empty());
    const auto found = rows_in_order(rows, order);
    EXPECT_EQ(distinct_columns(found, 8), distinct_columns(A, 8));
    EXPECT_EQ(8 * distinct_columns(found, 8), A.nonzeros());
    const auto digits = [&](int row) {
      const auto r = std::size_t(row);
      return std::bit_width(std::size_t(found.row_offsets[r + 1] - found.row_offsets[r]));
    };
    for (int row = 1; row < found.rows; ++row)
      EXPECT_TRUE(row % local_group_rows == 0 || digits(row) <= digits(row - 1)) << row;
  }
}

TYPED_TEST(LocalClustersTest, RowsStayInTheirGroups) {
  using Offset = typename TypeParam::Offset;
  const auto A = shuffled_in_groups(equal_rows<Offset>(150, 2000, 9, 1), 8);
  const auto order = this->order_of(A);
  ASSERT_EQ(order.size(), std::size_t(A.rows));
  for (std::size_t place = 0; place < order.size(); ++place)
    EXPECT_EQ(order[place] / local_group_rows, int(place) / local_group_rows);
}

TYPED_TEST(LocalClustersTest, NeverAddsColumns) {
  using Offset = typename TypeParam::Offset;
  for (const auto& [name, A] : row_order_cases<Offset>()) {
    const auto order = this->order_of(A);
    if (order.empty()) continue;
    EXPECT_LT(distinct_columns(rows_in_order(A, order), 8), distinct_columns(A, 8)) << name;
  }
}

TYPED_TEST(LocalClustersTest, BandMatricesStay) {
  using Offset = typename TypeParam::Offset;
  EXPECT_TRUE(this->order_of(staircase<Offset>(1000, 9, 1)).empty());
  EXPECT_TRUE(this->order_of(staircase<Offset>(1000, 21, 2)).empty());
  EXPECT_TRUE(this->order_of(equal_rows<Offset>(100, 700, 13, 1)).empty());
}

/// Each group is decided separately: rows of a group without gain keep their order.
TYPED_TEST(LocalClustersTest, AGroupThatGainsNothingStays) {
  using Offset = typename TypeParam::Offset;
  auto A = equal_rows<Offset>(32, 500, 12, 0);
  const auto second = shuffled_in_groups(A, 9);
  A.column_indices.insert(A.column_indices.end(), second.column_indices.begin(), second.column_indices.end());
  for (int r = 0; r < second.rows; ++r) {
    A.row_offsets.push_back(A.row_offsets.back() + 12);
    ++A.rows;
  }
  const auto order = this->order_of(A);
  ASSERT_EQ(order.size(), 512u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.begin() + 256));
  EXPECT_FALSE(std::is_sorted(order.begin() + 256, order.end()));
}

TYPED_TEST(LocalClustersTest, TheSameOrderOnEveryBackend) {
  using Offset = typename TypeParam::Offset;
  EXPECT_EQ(fingerprint(this->order_of(shuffled_in_groups(grid_pattern<Offset>(60), 10))), 11850227693310314161u);
  EXPECT_EQ(fingerprint(this->order_of(random_pattern<Offset>(2000, 300, 0.05, 11, 13))), 18010819000138444317u);
  EXPECT_EQ(fingerprint(this->order_of(shuffled_in_groups(equal_rows<Offset>(36, 4000, 150, 60), 6))),
            5598961790695507891u);
}

#ifdef KOKKOS_ENABLE_OPENMP
TYPED_TEST(LocalClustersTest, TheSameOrderWithAnyNumberOfThreads) {
  if constexpr (std::is_same_v<typename TypeParam::ExecutionSpace, Kokkos::OpenMP>) {
    const auto A = random_pattern<typename TypeParam::Offset>(3000, 300, 0.05, 12, 13);
    const auto order = this->order_of(A);
    for (const int threads : {1, 2, 3}) EXPECT_EQ(this->order_of(A, Kokkos::OpenMP(threads)), order) << threads;
  }
}
#endif

}  // namespace Tessera::Impl::Test
