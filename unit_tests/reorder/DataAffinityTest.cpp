// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tessera/reorder/DataAffinity.hpp>
#include <tuple>

#include "ReorderCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

using Row = std::vector<int>;
using Rows = std::vector<Row>;

template <class Offset>
HostPattern<Offset> pattern(int columns, Rows rows) {
  HostPattern<Offset> result;
  result.columns = columns;
  for (Row& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    result.column_indices.insert(result.column_indices.end(), row.begin(), row.end());
    result.end_row();
  }
  return result;
}

/// A serial reference for the rounds. Communities have the names of their roots, and lists of their rows.
class SerialAffinity {
 public:
  explicit SerialAffinity(const Rows& rows, int columns) : rows_(rows) {
    const int size = static_cast<int>(rows.size());
    const bool square = size == columns;
    const int shift = square ? 0 : size;
    for (int v = 0; v < (square ? size : size + columns); ++v) {
      communities_[v].rows = v < size ? Row{v} : Row{};
    }
    for (int row = 0; row < size; ++row) {
      for (const int column : rows[std::size_t(row)]) {
        if (square && row == column) continue;
        for (const auto& [a, b] : {std::pair(row, column + shift), std::pair(column + shift, row)}) {
          ++communities_[a].weights[b];
          ++communities_[a].degree;
          ++total_;
        }
      }
    }
  }

  Row order() {
    for (int rounds = 0; rounds < most_affinity_rounds && round(); ++rounds) {
    }
    std::vector<std::tuple<int, int>> roots;
    for (const auto& [root, c] : communities_) roots.push_back({c.degree > 0 ? -int(c.rows.size()) : 0, root});
    std::sort(roots.begin(), roots.end());
    Row leaves;
    for (const auto& [key, root] : roots) append(leaves, communities_[root].rows);
    for (std::size_t begin = 0; begin < leaves.size(); begin += 256) {
      order_block(leaves.begin() + std::ptrdiff_t(begin),
                  leaves.begin() + std::ptrdiff_t(std::min(begin + 256, leaves.size())));
    }
    return leaves;
  }

 private:
  struct Community {
    std::int64_t degree = 0;
    std::map<int, std::int64_t> weights;
    Row rows;
  };

  static void append(Row& to, const Row& from) { to.insert(to.end(), from.begin(), from.end()); }

  static std::uint32_t mixed(std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
  }

  std::pair<std::int64_t, std::uint32_t> rank(int c) const {
    return {communities_.at(c).degree, mixed(std::uint32_t(c))};
  }

  int proposal(int c) const {
    int best = c;
    std::int64_t best_gain = 0;
    for (const auto& [other, weight] : communities_.at(c).weights) {
      if (rank(other) < rank(c)) continue;
      const std::int64_t gain = total_ * weight - communities_.at(c).degree * communities_.at(other).degree;
      if (gain <= 0 || gain < best_gain || (gain == best_gain && rank(other) < rank(best))) continue;
      best = other;
      best_gain = gain;
    }
    return best;
  }

  bool round() {
    std::map<int, int> targets;
    std::map<int, std::vector<std::pair<std::int64_t, int>>> candidates;
    for (const auto& [c, community] : communities_) {
      targets[c] = proposal(c);
      if (targets[c] != c) candidates[targets[c]];
    }
    for (const auto& [c, target] : targets) {
      if (target != c && candidates.count(c) == 0) candidates[target].push_back({communities_[c].degree, c});
    }
    std::map<int, int> into;
    for (auto& [target, list] : candidates) {
      std::sort(list.begin(), list.end());
      std::int64_t target_degree = communities_[target].degree;
      for (const auto& [degree, c] : list) {
        if (total_ * communities_[c].weights[target] > degree * target_degree) into[c] = target;
        target_degree += degree;
      }
      for (const auto& [degree, c] : list) {
        if (into.count(c) == 0) continue;
        communities_[target].degree += degree;
        append(communities_[target].rows, communities_[c].rows);
      }
    }
    const auto label = [&](int c) { return into.count(c) > 0 ? into.at(c) : c; };
    auto old = communities_;
    for (auto& [c, community] : communities_) community.weights.clear();
    for (const auto& [c, community] : old) {
      for (const auto& [other, weight] : community.weights) {
        if (label(c) != label(other)) communities_[label(c)].weights[label(other)] += weight;
      }
      if (label(c) != c) communities_.erase(c);
    }
    return !into.empty();
  }

  void order_block(Row::iterator begin, Row::iterator end) const {
    for (; end - begin > 1; ++begin) {
      const Row& last = rows_[std::size_t(*begin)];
      const auto common = [&](int row) {
        Row both;
        const Row& other = rows_[std::size_t(row)];
        std::set_intersection(last.begin(), last.end(), other.begin(), other.end(), std::back_inserter(both));
        return both.size();
      };
      const auto next = std::max_element(begin + 1, end, [&](int a, int b) { return common(a) < common(b); });
      std::rotate(begin + 1, next, next + 1);
    }
  }

  const Rows& rows_;
  std::map<int, Community> communities_;
  std::int64_t total_ = 0;
};

template <class Offset>
Row serial_order(const HostPattern<Offset>& A) {
  Rows rows;
  for (std::size_t r = 0; r < std::size_t(A.rows); ++r) {
    rows.emplace_back(A.column_indices.begin() + std::ptrdiff_t(A.row_offsets[r]),
                      A.column_indices.begin() + std::ptrdiff_t(A.row_offsets[r + 1]));
  }
  return SerialAffinity(rows, A.columns).order();
}

template <class T>
class DataAffinityTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Offset = typename T::Offset;

  static Row order_of(const HostPattern<Offset>& A) {
    const auto p = data_affinity(Exec(), DevicePattern<Exec, Offset>(A).view());
    EXPECT_EQ(validate(Exec(), p, A.rows), "");
    return to_host(p.order);
  }

  static void expect_serial(const HostPattern<Offset>& A, const std::string& name) {
    EXPECT_EQ(order_of(A), serial_order(A)) << name;
  }
};
TYPED_TEST_SUITE(DataAffinityTest, OffsetCases);

/// The pattern of a graph: edges in both directions, and the diagonal. names[v] is the row of vertex v.
template <class Offset>
HostPattern<Offset> graph(const std::vector<std::pair<int, int>>& edges, const Row& names) {
  Rows rows(names.size());
  for (std::size_t v = 0; v < names.size(); ++v) rows[v] = {int(v)};
  for (const auto& [a, b] : edges) {
    const int u = names[std::size_t(a)], v = names[std::size_t(b)];
    rows[std::size_t(u)].push_back(v);
    rows[std::size_t(v)].push_back(u);
  }
  return pattern<Offset>(static_cast<int>(names.size()), rows);
}

/// Returns random edges: pairs within a group with probability `inside`, other pairs with probability `outside`.
std::vector<std::pair<int, int>> planted_edges(const Row& group_of, double inside, double outside) {
  Random random(29);
  std::vector<std::pair<int, int>> edges;
  for (std::size_t a = 0; a < group_of.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double probability = group_of[a] == group_of[b] ? inside : outside;
      if (random.real() < 2 * probability - 1) edges.push_back({int(a), int(b)});
    }
  }
  return edges;
}

/// Returns the group of each vertex. Group g has `smallest` + g % 7 * `step` vertices.
Row groups(int count, int smallest, int step) {
  Row group_of;
  for (int g = 0; g < count; ++g) group_of.insert(group_of.end(), std::size_t(smallest + g % 7 * step), g);
  return group_of;
}

TYPED_TEST(DataAffinityTest, RandomPatternsAsSerially) {
  using Offset = typename TypeParam::Offset;
  std::uint64_t seed = 1;
  for (const auto& [rows, columns] : {std::pair(40, 40), {300, 300}, {700, 700}, {50, 300}, {600, 80}, {257, 256}}) {
    for (const double entries_per_row : {0.5, 2.0, 9.0}) {
      const auto A = random_pattern<Offset>(rows, columns, entries_per_row / columns, ++seed, 11);
      this->expect_serial(A, std::to_string(rows) + "x" + std::to_string(columns));
    }
  }
}

/// A pattern of more than 2^18 entries.
template <class Offset>
HostPattern<Offset> of_several_batches() {
  return random_pattern<Offset>(700, 600, 0.7, 31, 11);
}
/// Computed only once for all types, because it takes seconds.
const Row& serial_order_of_several_batches() {
  static const Row order = serial_order(of_several_batches<int>());
  return order;
}

TYPED_TEST(DataAffinityTest, BlocksInSeveralBatchesAsSerially) {
  const auto A = of_several_batches<typename TypeParam::Offset>();
  ASSERT_GT(A.nonzeros(), std::size_t(1) << 18);
  EXPECT_EQ(this->order_of(A), serial_order_of_several_batches());
}

TYPED_TEST(DataAffinityTest, SmallAndEmptyShapesAsSerially) {
  using Offset = typename TypeParam::Offset;
  for (const int rows : {0, 1, 2, 9}) {
    for (const int columns : {0, 1, 9}) {
      this->expect_serial(pattern<Offset>(columns, Rows(std::size_t(rows))), "no entries");
      Row all(static_cast<std::size_t>(columns));
      std::iota(all.begin(), all.end(), 0);
      this->expect_serial(pattern<Offset>(columns, Rows(std::size_t(rows), all)), "all entries");
    }
  }
}

TYPED_TEST(DataAffinityTest, ExtremeGraphsAsSerially) {
  using Offset = typename TypeParam::Offset;
  const int size = 300;
  std::vector<std::pair<int, int>> star, path, complete, wheel, caterpillar;
  for (int v = 1; v < size; ++v) {
    star.push_back({0, v});
    path.push_back({v - 1, v});
    for (int u = 0; u < v && v < 70; ++u) complete.push_back({u, v});
  }
  wheel = star;
  wheel.insert(wheel.end(), path.begin(), path.end());
  for (int spine = 0, leaf = 20; spine < 20; ++spine) {  // degrees ascend along the spine: one merge per round
    if (spine > 0) caterpillar.push_back({spine - 1, spine});
    for (int k = 0; k < spine; ++k) caterpillar.push_back({spine, leaf++});
  }
  const Row names = shuffled(size, 5);
  this->expect_serial(graph<Offset>({}, names), "diagonal");
  this->expect_serial(graph<Offset>(star, names), "star");
  this->expect_serial(graph<Offset>(path, names), "path");
  this->expect_serial(graph<Offset>(complete, names), "complete");
  this->expect_serial(graph<Offset>(wheel, names), "wheel");
  this->expect_serial(graph<Offset>(caterpillar, names), "caterpillar");
}

TYPED_TEST(DataAffinityTest, CliquesStayTogether) {
  using Offset = typename TypeParam::Offset;
  const Row group_of = groups(40, 5, 3);
  const Row names = shuffled(static_cast<int>(group_of.size()), 3);
  const auto A = graph<Offset>(planted_edges(group_of, 1, 0), names);
  Row clique(group_of.size());
  for (std::size_t v = 0; v < group_of.size(); ++v) clique[std::size_t(names[v])] = group_of[v];
  Row met;
  for (const int row : this->order_of(A)) {
    if (met.empty() || met.back() != clique[std::size_t(row)]) met.push_back(clique[std::size_t(row)]);
  }
  EXPECT_EQ(met.size(), 40u);
}

TYPED_TEST(DataAffinityTest, PlantedCommunitiesNeedFewColumns) {
  using Offset = typename TypeParam::Offset;
  const Row group_of = groups(40, 24, 4);
  const auto A = graph<Offset>(planted_edges(group_of, 0.5, 0.001), shuffled(static_cast<int>(group_of.size()), 3));
  const auto reordered = rows_in_order(A, this->order_of(A));
  EXPECT_LT(2 * distinct_columns(reordered, 8), distinct_columns(A, 8));
  this->expect_serial(A, "planted");
}

TYPED_TEST(DataAffinityTest, EqualRowsMeet) {
  using Offset = typename TypeParam::Offset;
  Random random(17);
  Rows rows(480);
  const Row names = shuffled(480, 3);
  for (std::size_t group = 0; group < 60; ++group) {
    Row row(20);
    for (int& column : row) column = random.below(1000);
    for (std::size_t copy = 0; copy < 8; ++copy) rows[std::size_t(names[8 * group + copy])] = row;
  }
  const auto A = pattern<Offset>(1000, rows);
  const auto reordered = rows_in_order(A, this->order_of(A));
  EXPECT_LT(4 * distinct_columns(reordered, 8), distinct_columns(A, 8));
  this->expect_serial(A, "equal rows");
}

}  // namespace Tessera::Impl::Test
