// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <tessera/select/Choose.hpp>

namespace Tessera::Impl::Test {

MatrixStatistics statistics(double rows, double nonzeros, double tiles) {
  MatrixStatistics m;
  m.rows = m.columns = rows;
  m.nonzeros = nonzeros;
  m.bittcf_tiles = tiles;
  return m;
}

/// \throws std::out_of_range if the format is no candidate
Candidate candidate_of(const Choice& choice, Format format) {
  for (const Candidate& candidate : choice.candidates)
    if (candidate.format == format) return candidate;
  throw std::out_of_range(std::string(to_string(format)));
}

TEST(Choose, TakesTheLeastPrediction) {
  for (const double tiles : {1e4, 1e5, 1e6}) {
    const Choice choice = choose_format(statistics(1e5, 1e6, tiles));
    ASSERT_EQ(choice.candidates.size(), 2u);
    const double csr = candidate_of(choice, Format::Csr).predicted_seconds;
    const double bittcf = candidate_of(choice, Format::BitTcf).predicted_seconds;
    EXPECT_EQ(choice.format, bittcf < csr ? Format::BitTcf : Format::Csr);
    EXPECT_EQ(choice.candidates[0].format, choice.format);
    EXPECT_LE(choice.candidates[0].predicted_seconds, choice.candidates[1].predicted_seconds);
    EXPECT_EQ(choice.model, MachineModel::version);
    EXPECT_EQ(choice.statistics.bittcf_tiles, tiles);
    EXPECT_NE(choice.reason.find(to_string(choice.format)), std::string::npos);
  }
}

TEST(Choose, TheReasonNamesTheTwoFastest) {
  const Choice choice = choose_format(statistics(1e5, 1e6, 1e3));
  ASSERT_EQ(choice.format, Format::BitTcf);
  char share[8];
  std::snprintf(share, sizeof share, "%.2f",
                choice.candidates[0].predicted_seconds / choice.candidates[1].predicted_seconds);
  EXPECT_EQ(choice.reason, "bittcf is predicted to take " + std::string(share) + " of the time of csr");
}

/// Blocks are counted only if BCSR is a candidate.
TEST(Choose, InTheBestOrderBlocksAreFull) {
  MatrixStatistics m = statistics(1000, 5000, 700);
  m.bcsr_block_rows = 16;
  m.bcsr_block_columns = 8;
  EXPECT_EQ(in_best_order(m).bcsr_blocks, 0);
  m.bcsr_blocks = 1;
  EXPECT_EQ(in_best_order(m).bcsr_blocks, 5000.0 / 128);
  EXPECT_EQ(in_best_order(m).window64_columns, 5000.0 / 64);
  EXPECT_EQ(in_best_order(m).window128_columns, 5000.0 / 128);
  EXPECT_EQ(in_best_order(m).bittcf_tiles, 5000.0 / 64);
  EXPECT_EQ(in_best_order(m).bmat_tiles, 5000.0 / 128);
}

TEST(Choose, ScatteredNonzerosStayInRows) {
  // One entry per tile: a tile costs 48 bytes where CSR needs 12.
  EXPECT_EQ(choose_format(statistics(1e5, 1e6, 1e6)).format, Format::Csr);
}

TEST(Choose, LookingAtValuesCountsUnlessTheyAreReadInPlace) {
  MatrixStatistics m = statistics(1e5, 1e6, 2e5);
  const Choice trusting = choose_format(m);
  m.follows_values = m.has_given_order = true;
  const Choice following = choose_format(m);
  const auto more = [&](Format format) {
    return candidate_of(following, format).predicted_seconds - candidate_of(trusting, format).predicted_seconds;
  };
  EXPECT_EQ(more(Format::Csr), 0);
  EXPECT_NEAR(more(Format::BitTcf), 8e6 / MachineModel{}.streamed_rate, 1e-12);
}

TEST(Choose, BytesAreThoseOfTheFormats) {
  const Choice choice = choose_format(statistics(1000, 5000, 700));
  EXPECT_EQ(candidate_of(choice, Format::Csr).format_bytes, 1001 * 4 + 5000 * 12);
  EXPECT_EQ(candidate_of(choice, Format::BitTcf).format_bytes, (125 + 11 * 700 + 2) * 4 + 5000 * 8);
  EXPECT_EQ(candidate_of(choice, Format::BitTcf).tiles, 700);
}

/// Row groups are no candidate: users must name them. Finding their entries costs no more than finding CSR's.
TEST(Choose, RowGroupsArePricedLikeRows) {
  const MatrixStatistics m = statistics(1e5, 1e6, 2e5);
  for (const Candidate& candidate : choose_format(m).candidates) EXPECT_NE(candidate.format, Format::RowGroups);
  const auto seconds = [&](Format format, double bytes) {
    return predict(m, {format, 4e5, bytes}, MachineModel{}).predicted_seconds;
  };
  EXPECT_EQ(seconds(Format::RowGroups, 1.2e7), seconds(Format::Csr, 1.2e7));
  EXPECT_LT(seconds(Format::RowGroups, 1.2e7), seconds(Format::RowGroups, 1.3e7));
}

/// Predictions for orders depend on reads of X and writes of Y: an X that exceeds the cache is read again for each
/// window, and scattered rows of Y cost more than consecutive rows.
TEST(Choose, AnOrderPaysByFewerReadsOfX) {
  MatrixStatistics m = statistics(1e6, 1e7, 5e6);
  const auto seconds = [&](double window_columns, bool is_reordered) {
    m.window128_columns = window_columns;
    m.is_reordered = is_reordered;
    return predict(m, {Format::Csr, 0, 1.2e8}).predicted_seconds;
  };
  EXPECT_LT(seconds(2e6, true), worthwhile_reordering * seconds(8e6, false));
  EXPECT_GT(seconds(2e6, true), seconds(2e6, false));
  m.columns = 1000;  // fits in any cache: read once
  EXPECT_EQ(seconds(2e6, false), seconds(8e6, false));
}

TEST(Choose, WhatIsRejectedComesLast) {
  Choice choice = choose_format(statistics(1e5, 1e6, 1e3));
  ASSERT_EQ(choice.format, Format::BitTcf);
  const std::string reason = choice.reason;
  EXPECT_TRUE(choose_unrejected(choice));
  EXPECT_EQ(choice.format, Format::BitTcf);
  EXPECT_EQ(choice.reason, reason);
  choice.candidates[0].is_rejected = true;
  EXPECT_TRUE(choose_unrejected(choice));
  EXPECT_EQ(choice.format, Format::Csr);
  EXPECT_EQ(choice.reason, "csr is predicted to be the fastest that fits");
  EXPECT_EQ(choice.candidates[0].format, Format::Csr);
  EXPECT_EQ(choice.candidates[1].format, Format::BitTcf);
  choice.candidates[0].is_rejected = true;
  EXPECT_FALSE(choose_unrejected(choice));
}

/// Where the rates of a device are unknown, plans keep CSR. Predictions stay as they are, for orders and measurements.
TEST(Choose, WithoutRatesRowsAreKept) {
  MachineModel device;
  device.is_known = false;
  const auto tiled = statistics(1e5, 1e6, 1e3);
  const Choice usual = choose_format(tiled), choice = choose_format(tiled, device);
  ASSERT_EQ(usual.format, Format::BitTcf);
  EXPECT_EQ(choice.format, Format::Csr);
  EXPECT_EQ(choice.candidates[0].format, Format::Csr);
  for (const Format format : {Format::Csr, Format::BitTcf})
    EXPECT_EQ(candidate_of(choice, format).predicted_seconds, candidate_of(usual, format).predicted_seconds);
  EXPECT_NE(choice.reason.find("rates of this device are unknown"), std::string::npos) << choice.reason;
}

TEST(Choose, EmptyMatrix) { EXPECT_EQ(choose_format(statistics(0, 0, 0)).format, Format::Csr); }

}  // namespace Tessera::Impl::Test
