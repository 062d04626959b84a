// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <numeric>
#include <set>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/TeamBitmap.hpp>

#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class TeamBitmapTest : public ::testing::Test {};
TYPED_TEST_SUITE(TeamBitmapTest, OffsetCases);

/// A team fills its bitmap twice, the first time with the numbers 0, 3, 6, ... alone.
template <class Exec>
struct NumberMarks {
  int most_words;                                    // of any bitmap
  int words;                                         // of this one
  Array<int*, typename Exec::memory_space> numbers;  // to mark, in any order
  Array<int*, typename Exec::memory_space> ranks;    // gets the rank of each
  Array<int*, typename Exec::memory_space> by_rank;  // gets the number of each rank
  Array<int*, typename Exec::memory_space> counts;   // gets the number of all, and how many times one was new

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team) const {
    TeamBitmap<Exec> bitmap(team, most_words);
    bitmap.clear(team, most_words);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, most_words), [&](int i) { bitmap.mark(3 * i); });
    bitmap.count(team);
    team.team_barrier();
    bitmap.clear(team, words);
    const auto size = static_cast<int>(numbers.extent(0));
    int is_new = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, size), [&](int i, int& sum) { sum += bitmap.mark(numbers(i)); }, is_new);
    const int count = bitmap.count(team);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size), [&](int i) { ranks(i) = bitmap.rank(numbers(i)); });
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](int rank) { by_rank(rank) = bitmap.number(rank); });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      counts(0) = count;
      counts(1) = is_new;
    });
  }
};

template <class Exec>
void expect_numbered(int words, const std::vector<int>& numbers) {
  SCOPED_TRACE(std::to_string(numbers.size()) + " numbers in " + std::to_string(words) + " words");
  using Numbers = Array<int*, typename Exec::memory_space>;
  const std::set<int> expected(numbers.begin(), numbers.end());
  constexpr int most_words = 100;
  const NumberMarks<Exec> kernel{most_words,
                                 words,
                                 device_copy(Exec(), "numbers", numbers),
                                 allocate<Numbers>(Exec(), "ranks", numbers.size()),
                                 allocate<Numbers>(Exec(), "by_rank", expected.size()),
                                 allocate<Numbers>(Exec(), "counts", 2)};
  Kokkos::parallel_for(teams(Exec(), 1, TeamBitmap<Exec>::bytes(most_words)), kernel);
  const auto size = static_cast<int>(expected.size());
  EXPECT_EQ(to_host(kernel.counts), (std::vector<int>{size, size}));
  EXPECT_EQ(to_host(kernel.by_rank), std::vector<int>(expected.begin(), expected.end()));
  std::vector<int> ranks;
  for (const int number : numbers)
    ranks.push_back(static_cast<int>(std::distance(expected.begin(), expected.find(number))));
  EXPECT_EQ(to_host(kernel.ranks), ranks);
}

TYPED_TEST(TeamBitmapTest, NumbersMarksInAscendingOrder) {
  using Exec = typename TypeParam::ExecutionSpace;
  expect_numbered<Exec>(0, {});
  expect_numbered<Exec>(1, {});
  expect_numbered<Exec>(1, {31});
  expect_numbered<Exec>(3, {64, 0, 95, 31, 64, 0});
  expect_numbered<Exec>(100, {3199, 40, 1600, 1599, 1631});
  std::vector<int> all(32 * 77);
  std::iota(all.begin(), all.end(), 0);
  expect_numbered<Exec>(77, all);
  std::reverse(all.begin(), all.end());
  expect_numbered<Exec>(100, all);
}

}  // namespace Tessera::Impl::Test
