// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <harness/Curve.hpp>
#include <string>
#include <vector>

namespace Tessera::Impl::Harness {
namespace {

/// Ways on a clock that only they advance.
struct Machine {
  double now = 100;
  std::string events;

  FencedClock clock() {
    return [this] {
      events += '|';
      return now;
    };
  }

  /// A way of which product number n, from 0 on, takes seconds_of(n).
  Way way(const std::string& library, const std::string& name, double set_up,
          const std::function<double(int)>& seconds_of) {
    return {library, name, [=, this, n = 0]() mutable {
              now += set_up;
              events += 's';
              return [=, this]() mutable {
                now += seconds_of(n++);
                events += 'p';
              };
            }};
  }
  Way way(const std::string& library, const std::string& name, double set_up, double product) {
    return way(library, name, set_up, [=](int) { return product; });
  }
};

TEST(Curve, CountsAreOneTwoFiveOfEachDecade) {
  EXPECT_EQ(counts_up_to(1), (std::vector<int>{1}));
  EXPECT_EQ(counts_up_to(100), (std::vector<int>{1, 2, 5, 10, 20, 50, 100}));
  EXPECT_EQ(counts_up_to(499), (std::vector<int>{1, 2, 5, 10, 20, 50, 100, 200}));
}

TEST(Curve, TimesAreCumulativeFromTheSetUpOnWithFencesOnlyAtCounts) {
  Machine machine;
  // The third product is slow, as if the way built something.
  const Way way = machine.way("a", "", 3, [](int n) { return n == 2 ? 10.0 : 1.0; });
  EXPECT_EQ(run_curve(way, {1, 2, 5}, 1e9, machine.clock()), (std::vector<double>{4, 5, 17}));
  EXPECT_EQ(machine.events, "|sp|p|ppp|");
}

TEST(Curve, WhatIsDoneBeforeDoesNotCount) {
  Machine machine;
  Way way = machine.way("a", "", 3, 1);
  way.before = [&] { way.set_up()(); };
  EXPECT_EQ(run_curve(way, {1, 2}, 1e9, machine.clock()), (std::vector<double>{4, 5}));
  EXPECT_EQ(machine.events, "sp|sp|p|");
}

TEST(Curve, EndsBeforeTheCountThatWouldExceedTheLimit) {
  Machine machine;
  const Way way = machine.way("a", "", 100, 1);
  // The third count would end at 105. The first two are measured whatever the limit.
  EXPECT_EQ(run_curve(way, {1, 2, 5, 10}, 105, machine.clock()).size(), 3u);
  EXPECT_EQ(run_curve(way, {1, 2, 5, 10}, 104, machine.clock()).size(), 2u);
  EXPECT_EQ(run_curve(way, {1, 2, 5, 10}, 0, machine.clock()).size(), 2u);
}

TEST(Curve, BeyondItsEndProductsTakeAsLongAsTheLatest) {
  const std::vector<int> counts{1, 2, 5, 10};
  EXPECT_EQ(seconds_at({4, 5, 17}, counts, 1), 5);
  EXPECT_EQ(seconds_at({4, 5, 17}, counts, 3), 17 + 5 * 4);
  EXPECT_EQ(seconds_at({4}, counts, 1), 8);
}

TEST(Curve, PromisingWaysAreNearTheFastestOfTheirLibraryAtSomeCount) {
  Machine machine;
  const std::vector<int> counts{1, 2, 5, 10, 20};
  const std::vector<Way> ways = {machine.way("a", "late", 10, 1), machine.way("b", "slow, but alone", 100, 100),
                                 machine.way("a", "early", 1, 3), machine.way("a", "never", 11, 3),
                                 machine.way("a", "nearly as early", 1, 3.2)};
  std::vector<std::vector<double>> seconds;
  for (const Way& way : ways) seconds.push_back(run_curve(way, counts, 0, machine.clock()));
  EXPECT_EQ(promising(ways, seconds, counts), (std::vector<std::size_t>{0, 1, 2, 4}));
}

TEST(Curve, PromisingWaysTakeTurnsAfterACurveThatDoesNotCount) {
  Machine machine;
  int runs = 0;
  const Way fast = machine.way("ours", "", 1, 1);
  const Way first_is_slow{"theirs", "x", [&] {
                            const double product = ++runs == 1 ? 50 : 2.0 * runs;
                            machine.now += 1;
                            machine.events += 's';
                            return [&machine, product] {
                              machine.now += product;
                              machine.events += 'p';
                            };
                          }};
  const Way never = machine.way("theirs", "y", 1000, 1000);
  const auto curves = curves_in_turns({fast, first_is_slow, never}, {1, 2}, 3, 1e9, machine.clock());
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_EQ(curves[0].library, "ours");
  EXPECT_EQ(curves[1].name, "x");
  EXPECT_EQ(curves[1].products, (std::vector<int>{1, 2}));
  // Repetitions have products of 4, 6 and 8 seconds.
  EXPECT_EQ(curves[1].seconds[0].median, 7);
  EXPECT_EQ(curves[1].seconds[1].least, 9);
  EXPECT_EQ(curves[1].seconds[1].most, 17);
}

TEST(Curve, HasOnlyCountsThatAllRepetitionsReached) {
  Machine machine;
  int runs = 0;
  const Way way{"a", "", [&] {
                  const double product = ++runs == 3 ? 10 : 1;
                  return [&machine, product] { machine.now += product; };
                }};
  // A budget of 40: the curve that does not count has 10 of it and takes 10, and each repetition has 10.
  const auto curves = curves_in_turns({way}, {1, 2, 5, 10, 20}, 3, 40, machine.clock());
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].products, (std::vector<int>{1, 2}));
  EXPECT_EQ(curves[0].seconds[1].most, 20);
}

}  // namespace
}  // namespace Tessera::Impl::Harness
