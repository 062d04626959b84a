// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <chrono>
#include <harness/Timing.hpp>
#include <string>
#include <thread>

namespace Tessera::Impl::Harness {
namespace {

TEST(Timing, WaitsForTheWorkBeforeBothClockReadings) {
  std::string order;
  seconds_of([&] { order += 'w'; }, [&] { order += 'f'; });
  EXPECT_EQ(order, "fwf");
}

TEST(Timing, CountsTheWorkAndWhatTheFenceWaitsForAfterIt) {
  const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  int fences = 0;
  const double seconds = seconds_of(sleep, [&] {
    if (++fences == 2) sleep();
  });
  EXPECT_GE(seconds, 0.040);
}

TEST(Timing, TakesAsManySamplesAsAskedForInTurns) {
  std::string order;
  std::vector<Contender> contenders;
  for (const char name : {'a', 'b'}) {
    contenders.push_back({[&order] { order += '.'; }, [&order, name] { order += name; }, {}});
  }
  double progress = -1;
  time_in_turns(
      contenders, [] {}, 7,
      [&](double fraction) {
        EXPECT_GE(fraction, progress);
        progress = fraction;
      });
  EXPECT_EQ(contenders[0].seconds.size(), 7u);
  EXPECT_EQ(contenders[1].seconds.size(), 7u);
  // Each has two warm-up runs, then five turns of 1, 1, 2, 1, 2 samples. A turn starts with an uncounted run.
  EXPECT_EQ(order,
            ".a.a.b.b"
            ".a.a.b.b"
            ".a.a.b.b"
            ".a.a.a.b.b.b"
            ".a.a.b.b"
            ".a.a.a.b.b.b");
}

TEST(Timing, LongWorkIsTimedThreeTimesUnlessAskedOtherwise) {
  std::vector<Contender> contenders{{[] {}, [] { std::this_thread::sleep_for(std::chrono::milliseconds(350)); }, {}}};
  time_in_turns(
      contenders, [] {}, 0, [](double) {});
  EXPECT_EQ(contenders[0].seconds.size(), 3u);
}

}  // namespace
}  // namespace Tessera::Impl::Harness
