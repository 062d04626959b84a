// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans that measure before they choose, and remember the result.
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <tessera/select/GpuModel.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "Contest.hpp"
#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class TuneTest : public ::testing::Test {};
TYPED_TEST_SUITE(TuneTest, UserOffsetCases);

PlanOptions tuned(int columns, const std::string& file = "") {
  PlanOptions options;
  options.hints.num_vectors = columns;
  options.tuning = Tuning::Measure;
  options.tuning_file = file;
  return options;
}

template <class Exec, class Offset>
struct Problem {
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;
  UserMatrix<Exec, double, Offset> A{random_pattern<Offset>(120, 90, 0.2, 1)};

  /// The path of a file that does not exist. It is unique to the test and type, because tests may run concurrently.
  static std::string file() {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    const std::string path =
        testing::TempDir() + "tessera_tune_" + test + "_" + Exec::name() + std::to_string(sizeof(Offset)) + ".tsv";
    std::filesystem::remove(path);
    return path;
  }
};

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TYPED_TEST(TuneTest, TakesTheFastestOfThoseItMeasured) {
  using Exec = typename TypeParam::ExecutionSpace;
  const Problem<Exec, typename TypeParam::Offset> problem;
  auto plan = problem.A.plan(tuned(8));
  const Choice& choice = Impl::choice_of(plan);
  int candidates = 0;
  double least = 0, chosen = 0;
  for (const Candidate& candidate : choice.candidates) {
    if (candidate.measured_seconds == 0) continue;
    ++candidates;
    least = least == 0 ? candidate.measured_seconds : std::min(least, candidate.measured_seconds);
    if (choice.is_chosen(candidate)) chosen = candidate.measured_seconds;
  }
  EXPECT_GE(candidates, 1);
  EXPECT_EQ(chosen, least) << plan.explain();
  EXPECT_NE(plan.explain().find("s measured, "), std::string::npos) << plan.explain();
  EXPECT_NE(choice.reason.find("was measured"), std::string::npos) << choice.reason;
  expect_product<typename decltype(problem)::View>(problem.A, plan, 8, Mode::NoTranspose, 1, 0, "tuned");
  expect_product<typename decltype(problem)::View>(problem.A, plan, 8, Mode::Transpose, 2, 1, "tuned");
}

TYPED_TEST(TuneTest, PredictionsAreNotMeasured) {
  using Exec = typename TypeParam::ExecutionSpace;
  const Problem<Exec, typename TypeParam::Offset> problem;
  PlanOptions options;
  options.tuning_file = problem.file();
  const auto plan = problem.A.plan(options);
  for (const Candidate& candidate : Impl::choice_of(plan).candidates) EXPECT_EQ(candidate.measured_seconds, 0);
  EXPECT_FALSE(std::filesystem::exists(options.tuning_file));
}

/// The number of candidates that were measured.
int measured(const Choice& choice) {
  return int(std::count_if(choice.candidates.begin(), choice.candidates.end(),
                           [](const Candidate& candidate) { return candidate.measured_seconds > 0; }));
}

/// Adaptive measures only candidates that are in doubt: at least two of them, or none if its time is too short.
TYPED_TEST(TuneTest, MeasuresWhatIsInDoubt) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  int clear = 0, doubtful = 0;
  // Densities from about one entry in a row to full rows. In full rows, tiles and rows cost about the same.
  for (const double density : {0.01, 0.1, 0.3, 0.6, 1.0}) {
    for (const int columns : {1, 8, 128}) {
      const UserMatrix<Exec, double, Offset> A(random_pattern<Offset>(120, 90, density, 1));
      PlanOptions options = tuned(columns, Problem<Exec, Offset>::file());
      options.tuning = Tuning::Adaptive;
      options.hints.expected_products = 1000000000;
      auto plan = A.plan(options);
      const Choice& choice = Impl::choice_of(plan);
      const double ambiguity_ratio =
          choice.model.starts_with("host") ? MachineModel::ambiguity_ratio : GpuModel::ambiguity_ratio;
      const auto in_doubt = static_cast<int>(promising(choice.candidates, options, ambiguity_ratio).size());
      ++(in_doubt > 1 ? doubtful : clear);
      const int number = measured(choice);
      EXPECT_TRUE(number == 0 || (number > 1 && number <= in_doubt)) << plan.explain();
      EXPECT_EQ(choice.reason.find("was measured") != std::string::npos, number > 0) << choice.reason;
      EXPECT_EQ(std::filesystem::exists(options.tuning_file), number > 0);
      expect_product<typename Problem<Exec, Offset>::View>(A, plan, columns, Mode::NoTranspose, 1, 0, plan.explain());
      std::filesystem::remove(options.tuning_file);

      options.hints.expected_products = 1;
      EXPECT_EQ(measured(Impl::choice_of(A.plan(options))), 0);
      EXPECT_FALSE(std::filesystem::exists(options.tuning_file));
    }
  }
  EXPECT_GT(doubtful, 0);
  // On devices, the launch dominates such small products in every format.
  if (std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>) {
    EXPECT_GT(clear, 0);
  }
}

TYPED_TEST(TuneTest, RemembersInAFile) {
  using Exec = typename TypeParam::ExecutionSpace;
  const Problem<Exec, typename TypeParam::Offset> problem;
  const std::string file = problem.file();
  const auto first = problem.A.plan(tuned(8, file));
  const std::string written = text_of(file);
  // The changed file says that the other format was the fastest, and the plan uses it.
  const std::string chosen(to_string(first.format())), other = chosen == "csr" ? "bittcf" : "csr";
  std::string changed = written;
  const std::size_t place = changed.find('\t' + chosen + '\t');
  ASSERT_NE(place, std::string::npos) << written;
  changed.replace(place + 1, chosen.size(), other);
  std::ofstream(file) << changed;
  const auto second = problem.A.plan(tuned(8, file));
  EXPECT_EQ(to_string(second.format()), other) << second.explain();
  EXPECT_NE(Impl::choice_of(second).reason.find("measured before"), std::string::npos)
      << Impl::choice_of(second).reason;
  EXPECT_EQ(text_of(file), changed);
  // Another number of columns and another matrix are measured anew.
  problem.A.plan(tuned(9, file));
  EXPECT_EQ(text_of(file).find(changed.substr(0, changed.find('\n'))), 0u);
  const UserMatrix<Exec, double, typename TypeParam::Offset> B(
      random_pattern<typename TypeParam::Offset>(120, 90, 0.2, 2));
  B.plan(tuned(8, file));
  const std::string all = text_of(file);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 4) << all;
  std::filesystem::remove(file);
}

/// A product with full rows and many columns: tiles and compressed rows cost about the same.
template <class Exec, class Offset>
struct InDoubt {
  UserMatrix<Exec, double, Offset> A{random_pattern<Offset>(120, 90, 1.0, 1)};
  PlanOptions options = tuned(128);
};

/// Adaptive uses results of Measure. Measure does not use results of Adaptive, which may skip candidates.
TYPED_TEST(TuneTest, AdaptiveTrustsWhatWasMeasured) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const InDoubt<Exec, Offset> problem;
  PlanOptions measure = problem.options;
  measure.tuning_file = Problem<Exec, Offset>::file();
  const auto by_measure = problem.A.plan(measure);
  ASSERT_GT(measured(Impl::choice_of(by_measure)), 1) << by_measure.explain();
  PlanOptions adaptive = measure;
  adaptive.tuning = Tuning::Adaptive;
  adaptive.hints.expected_products = 1;  // nothing would be measured
  const auto expect_trust = [&] {
    const auto trusting = problem.A.plan(adaptive);
    EXPECT_EQ(trusting.format(), by_measure.format());
    EXPECT_NE(Impl::choice_of(trusting).reason.find("measured before"), std::string::npos) << trusting.explain();
  };
  expect_trust();
  // The changed file says that Adaptive has measured.
  std::string text = text_of(measure.tuning_file);
  const std::size_t place = text.find('\t', text.find("native"));  // on devices, the shape of blocks follows
  ASSERT_NE(place, std::string::npos) << text;
  std::ofstream(measure.tuning_file) << text.insert(place, ", automatic");
  expect_trust();
  EXPECT_GT(measured(Impl::choice_of(problem.A.plan(measure))), 0);
  std::filesystem::remove(measure.tuning_file);
}

/// A named format is not measured. Adaptive does not measure a single candidate, or candidates that do not fit.
TYPED_TEST(TuneTest, ComparesTwoOrNone) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const InDoubt<Exec, Offset> problem;
  PlanOptions options = problem.options;
  options.format = Format::BitTcf;
  EXPECT_EQ(measured(Impl::choice_of(problem.A.plan(options))), 0);
  options.format = Format::Auto;
  ASSERT_GT(measured(Impl::choice_of(problem.A.plan(options))), 1);
  options.tuning = Tuning::Adaptive;
  options.hints.expected_products = 1000000000;
  options.memory_limit = least_memory_limit(problem.A, options);
  const auto plan = problem.A.plan(options);
  EXPECT_EQ(measured(Impl::choice_of(plan)), 0) << plan.explain();
  const std::string& reason = Impl::choice_of(plan).reason;
  EXPECT_TRUE(reason.find("predicted") != std::string::npos || reason.find("rates") != std::string::npos) << reason;
}

TYPED_TEST(TuneTest, NamesAFileThatIsNone) {
  using Exec = typename TypeParam::ExecutionSpace;
  const Problem<Exec, typename TypeParam::Offset> problem;
  const std::string file = problem.file();
  std::ofstream(file) << "something else\n";
  EXPECT_MESSAGE(std::runtime_error, problem.A.plan(tuned(8, file)), file + ":1: ");
  EXPECT_EQ(text_of(file), "something else\n");
  std::filesystem::remove(file);
}

TYPED_TEST(TuneTest, NothingToMeasure) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> empty;
  empty.columns = 5;
  for (int i = 0; i < 5; ++i) empty.end_row();
  EXPECT_NO_THROW((UserMatrix<Exec, double, Offset>(empty).plan(tuned(8))));
  EXPECT_NO_THROW((Problem<Exec, Offset>().A.plan(tuned(0))));
}

/// X and Y need terabytes, or more bytes than 64 bits can count.
TYPED_TEST(TuneTest, PredictsWhereThereIsNoMemoryToMeasure) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto expect_prediction = [](const HostPattern<Offset>& pattern, int columns) {
    const UserMatrix<Exec, double, Offset> A(pattern);
    PlanOptions options;
    options.hints.num_vectors = columns;
    options.reordering = Reordering::ColumnSort;  // sorts nothing, but the plan is analysed
    const auto predicted = A.plan(options), plan = A.plan(tuned(columns));
    EXPECT_EQ(Impl::choice_of(plan).reason, Impl::choice_of(predicted).reason);
    for (const Candidate& candidate : Impl::choice_of(plan).candidates) {
      EXPECT_EQ(candidate.measured_seconds, 0);
      EXPECT_LT(candidate.peak_bytes, 1e8);  // excludes X and Y
    }
  };
  expect_prediction(random_pattern<Offset>(20000, 90, 0.001, 1), 1 << 30);
  HostPattern<Offset> wide;
  wide.columns = 2147437309;
  wide.column_indices = {0, wide.columns - 1};
  wide.end_row();
  expect_prediction(wide, 1073764994);  // X has 2^64 + 537552 bytes
}

}  // namespace Tessera::Impl::Test
