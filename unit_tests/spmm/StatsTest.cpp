// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "BuildReport.hpp"
#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

using nlohmann::json;

template <class T>
class StatsTest : public ::testing::Test {};
TYPED_TEST_SUITE(StatsTest, UserOffsetCases);

TEST(BuildSeconds, AreAdded) {
  BuildSeconds sum{1, 2, 3, 4, 5, 6, 7};
  sum.add({10, 20, 30, 40, 50, 60, 70});
  EXPECT_EQ(sum.analysis, 11);
  EXPECT_EQ(sum.tuning, 22);
  EXPECT_EQ(sum.reordering, 33);
  EXPECT_EQ(sum.format, 44);
  EXPECT_EQ(sum.kernels, 55);
  EXPECT_EQ(sum.values, 66);
  EXPECT_EQ(sum.total, 77);
}

/// Expects the JSON of plan.choice() and plan.tile_metrics(), for the plan or its transpose.
void expect_side(const json& stats, const Choice& choice, const TileMetrics& tiles) {
  EXPECT_EQ(stats.at("format"), to_string(choice.format));
  EXPECT_EQ(stats.at("model"), choice.model);
  EXPECT_EQ(stats.at("device"), choice.device);
  EXPECT_EQ(stats.at("reason"), choice.reason);
  EXPECT_EQ(stats.at("reordering"), to_string(choice.reordering));
  ASSERT_EQ(stats.at("candidates").size(), choice.candidates.size());
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    const json& candidate = stats.at("candidates").at(i);
    EXPECT_EQ(candidate.at("format"), to_string(choice.candidates[i].format));
    EXPECT_EQ(candidate.at("tiles"), choice.candidates[i].tiles);
    const double measured = choice.candidates[i].measured_seconds;
    EXPECT_EQ(candidate.at("measured_seconds"), measured > 0 ? json(measured) : json());
    EXPECT_EQ(candidate.at("bytes"), choice.candidates[i].format_bytes);
    const double predicted = choice.candidates[i].predicted_seconds;
    EXPECT_EQ(candidate.at("predicted_seconds"), predicted > 0 ? json(predicted) : json());
    EXPECT_EQ(candidate.at("held_bytes"), choice.candidates[i].held_bytes);
    EXPECT_EQ(candidate.at("peak_bytes"), choice.candidates[i].peak_bytes);
    EXPECT_EQ(candidate.at("is_rejected"), choice.candidates[i].is_rejected);
  }
  ASSERT_EQ(stats.at("reorderings").size(), choice.reorderings.size());
  for (std::size_t i = 0; i < choice.reorderings.size(); ++i) {
    EXPECT_EQ(stats.at("reorderings").at(i).at("reordering"), to_string(choice.reorderings[i].reordering));
    EXPECT_EQ(stats.at("reorderings").at(i).at("relative_seconds"), choice.reorderings[i].relative_seconds);
    EXPECT_EQ(stats.at("reorderings").at(i).at("peak_bytes"), choice.reorderings[i].peak_bytes);
  }
  EXPECT_EQ(stats.at("tiles").at("count"), tiles.tiles);
  EXPECT_EQ(stats.at("tiles").at("nonzeros"), tiles.tiled_nonzeros);
  EXPECT_EQ(stats.at("tiles").at("mean_nonzeros"), tiles.mean_nonzeros);
  EXPECT_EQ(stats.at("tiles").at("fill"), tiles.fill);
  EXPECT_EQ(stats.at("tiles").at("imbalance"), tiles.imbalance ? json(*tiles.imbalance) : json());
}

/// Expects each step to take time, and their sum not to exceed the total.
void expect_seconds(const json& seconds, bool has_reordered) {
  double sum = 0;
  for (const char* step : {"analysis", "tuning", "reordering", "format", "kernels", "values"}) {
    const double value = seconds.at(step);
    EXPECT_GE(value, 0) << step;
    sum += value;
  }
  EXPECT_GT(seconds.at("analysis"), 0);
  EXPECT_GT(seconds.at("format"), 0);
  EXPECT_EQ(seconds.at("reordering") > 0, has_reordered);
  EXPECT_GE(seconds.at("total"), sum);
}

TYPED_TEST(StatsTest, AreWhatThePlanSays) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const UserMatrix<Exec, double, Offset> A(unsorted_pattern<Offset>(300, 200, 9, 2));
  for (const Format format : every_format) {
    PlanOptions options = with_format(format);
    options.hints.num_vectors = 17;
    options.reordering = Reordering::WindowGrowing;
    auto plan = A.plan(options);
    const auto expect_all = [&] {
      const json stats = json::parse(plan.stats());
      EXPECT_EQ(stats.at("rows"), 300);
      EXPECT_EQ(stats.at("columns"), 200);
      EXPECT_EQ(stats.at("nonzeros"), plan.nonzeros());
      EXPECT_EQ(stats.at("num_vectors"), 17);
      EXPECT_EQ(stats.at("execution_space"), Exec::name());
      EXPECT_EQ(stats.at("precision"), "native");
      EXPECT_EQ(stats.at("duplicates_summed"), true);
      EXPECT_EQ(stats.at("notes"), json::array());
      expect_side(stats, Impl::choice_of(plan), Impl::tile_metrics_of(plan));
      expect_seconds(stats.at("seconds"), format != Format::SortedColumns);
      const json& bytes = stats.at("bytes");
      EXPECT_EQ(bytes.at("format"), plan.format_bytes());
      EXPECT_EQ(bytes.at("slot_maps"), plan.slot_map_bytes());
      EXPECT_EQ(bytes.at("kernels"), plan.kernel_bytes());
      EXPECT_EQ(bytes.at("total"), plan.bytes());
      EXPECT_GE(bytes.at("peak"), plan.bytes());
      EXPECT_TRUE(bytes.at("limit").is_null());
      EXPECT_EQ(bytes.at("transpose"),
                plan.bytes() - plan.format_bytes() - plan.slot_map_bytes() - plan.kernel_bytes());
    };
    expect_all();
    EXPECT_TRUE(json::parse(plan.stats()).at("transpose").is_null());
    plan.prepare(Exec(), 4, Mode::Transpose);
    expect_all();
    const json transpose = json::parse(plan.stats()).at("transpose");
    EXPECT_EQ(transpose.at("format"), to_string(format));
    EXPECT_GT(transpose.at("seconds").at("total"), 0);
    EXPECT_GT(json::parse(plan.stats()).at("bytes").at("transpose"), 0u);
  }
}

TYPED_TEST(StatsTest, CountProductsAndUpdates) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const Exec exec;
  const UserMatrix<Exec, double, Offset> A(random_pattern<Offset>(20, 30, 0.2, 1));
  auto plan = A.plan({});
  const auto copy = plan;
  auto work = plan.prepare(exec, 2, Mode::NoTranspose);
  const Kokkos::View<double**, typename Exec::memory_space> x("x", 30, 2), y("y", 20, 2), wide("wide", 30, 3);
  const auto expect_counts = [&](int products, int updates) {
    const json stats = json::parse(copy.stats());
    EXPECT_EQ(stats.at("products"), products);
    EXPECT_EQ(stats.at("updates"), updates);
  };
  expect_counts(0, 0);
  for (int run = 0; run < 3; ++run) spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
  EXPECT_THROW(spmm(exec, plan, work, Mode::NoTranspose, 1.0, wide, 0.0, y), std::invalid_argument);
  expect_counts(3, 0);
  plan.update_values(exec, A.values);
  spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
  expect_counts(4, 1);
  exec.fence();
}

/// Notes quote error messages, which may contain any character.
TYPED_TEST(StatsTest, HoldTheNotes) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const UserMatrix<Exec, double, Offset> A(random_pattern<Offset>(20, 30, 0.2, 1));
  PlanOptions options;
  options.precision = Precision::Tf32;
  options.on_unsupported = OnUnsupported::FallBack;
  const json stats = json::parse(A.plan(options).stats());
  ASSERT_EQ(stats.at("notes").size(), 1u);
  EXPECT_NE(std::string(stats.at("notes").at(0)).find("tf32 was asked for"), std::string::npos);
}

}  // namespace Tessera::Impl::Test
