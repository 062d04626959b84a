// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds times to the contest of candidates, and measures none.
#include <gtest/gtest.h>

#include <map>

#include "Contest.hpp"

namespace Tessera::Impl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Candidate candidate(Format format, double predicted_seconds) {
  return {.format = format, .predicted_seconds = predicted_seconds};
}

PlanOptions options_with(Tuning tuning) {
  PlanOptions options;
  options.tuning = tuning;
  options.hints.expected_products = 1000000000;
  return options;
}

/// Three candidates whose predicted times differ little.
struct ContestTest : testing::Test {
  const std::vector<Candidate> contestants{candidate(Format::BitTcf, 1.0e-4), candidate(Format::Csr, 1.1e-4),
                                           candidate(Format::Bmat, 1.2e-4)};
  Choice choice;
  std::vector<Format> measured;

  ContestTest() { choice.candidates = contestants; }

  /// Returns the fastest of the contestants, given what each takes.
  std::optional<TunedCandidate> fastest(std::map<Format, Measurement> times, Tuning tuning = Tuning::Adaptive,
                                        double spent = 0) {
    const PlanOptions options = options_with(tuning);
    return fastest_of(
        contestants, fewest_measured(options, contestants), TuningBudget(options, spent, 5e-4, 1e-4),
        [&](const Candidate& one) {
          measured.push_back(one.format);
          return times.at(one.format);
        },
        choice);
  }

  std::vector<double> measured_seconds() const {
    std::vector<double> seconds;
    for (const Candidate& one : choice.candidates) seconds.push_back(one.measured_seconds);
    return seconds;
  }
};

TEST_F(ContestTest, HasTheFastest) {
  const auto winner =
      fastest({{Format::BitTcf, {1e-3, 3e-4}}, {Format::Csr, {1e-3, 1e-4}}, {Format::Bmat, {1e-3, 2e-4}}});
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->format, Format::Csr);
  EXPECT_EQ(winner->seconds, 1e-4);
  EXPECT_EQ(measured_seconds(), (std::vector{3e-4, 1e-4, 2e-4}));
}

TEST_F(ContestTest, EndsAfterASlowCandidate) {
  const auto winner =
      fastest({{Format::BitTcf, {1e-3, 2e-4}}, {Format::Csr, {4.6e-3, 1e-4}}, {Format::Bmat, {1e-3, 1e-5}}});
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->format, Format::Csr);
  EXPECT_EQ(measured, (std::vector{Format::BitTcf, Format::Csr}));  // 5.6 ms, and 4.6 again are more than 10
}

/// If the first is so slow that there is no time for a second, nothing is compared.
TEST_F(ContestTest, HasNoneIfThereIsTimeForOne) {
  EXPECT_FALSE(fastest({{Format::BitTcf, {6e-3, 3e-4}}}));
  EXPECT_EQ(measured, std::vector{Format::BitTcf});
  EXPECT_EQ(measured_seconds(), std::vector<double>(3));
}

TEST_F(ContestTest, HasNoneIfOtherOrdersTookTheTime) {
  EXPECT_FALSE(fastest({}, Tuning::Adaptive, 9e-3));
  EXPECT_TRUE(measured.empty());
}

TEST_F(ContestTest, HasNoneIfNoneCanBeMeasured) {
  const Measurement rejected{1e-3, infinity};
  for (const Tuning tuning : {Tuning::Adaptive, Tuning::Measure}) {
    EXPECT_FALSE(fastest({{Format::BitTcf, rejected}, {Format::Csr, rejected}, {Format::Bmat, rejected}}, tuning));
    EXPECT_EQ(measured_seconds(), std::vector<double>(3));
  }
}

/// A single measured time decides only for Tuning::Measure.
TEST_F(ContestTest, OneIsEnoughForMeasure) {
  const Measurement rejected{1e-3, infinity};
  const std::map<Format, Measurement> times{
      {Format::BitTcf, rejected}, {Format::Csr, {1e3, 1e-4}}, {Format::Bmat, rejected}};
  EXPECT_EQ(fastest(times, Tuning::Measure)->format, Format::Csr);
  EXPECT_EQ(measured_seconds(), (std::vector{0.0, 1e-4, 0.0}));
  EXPECT_FALSE(fastest(times));
  EXPECT_EQ(measured_seconds(), std::vector<double>(3));
}

TEST_F(ContestTest, IsAmongThoseInDoubt) {
  const std::vector<Candidate> ranked{candidate(Format::BitTcf, 1.0), candidate(Format::Csr, 1.2),
                                      candidate(Format::Bmat, 1.6), candidate(Format::Brp, 1.6)};
  const auto number = [&](PlanOptions options) { return promising(ranked, options, 1.3).size(); };
  EXPECT_EQ(number(options_with(Tuning::Adaptive)), 2u);
  EXPECT_EQ(number(options_with(Tuning::Measure)), 3u);
  PlanOptions published = options_with(Tuning::Adaptive);
  published.kernel = Kernel::Published;
  EXPECT_EQ(number(published), 4u);
  EXPECT_EQ(fewest_measured(published, ranked), 4);  // all or none
}

}  // namespace
}  // namespace Tessera::Impl
