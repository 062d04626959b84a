// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PlanOptions::memory_limit bounds the memory of plans, including its peak, as Kokkos Tools report it. Plans that do
// not fit are rejected beforehand.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tessera/PlanFile.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>
#include <vector>

#include "MemoryLimits.hpp"
#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class MemoryLimitTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using Offset = typename T::Offset;
  using Matrix = UserMatrix<Exec, double, Offset>;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;

  static HostPattern<Offset> generated(const std::string& name) { return generated_pattern<Offset>(name); }
  static HostPattern<Offset> matrix(const std::string& name) {
    if (name == "unsorted") return unsorted_pattern<Offset>(300, 500, 20, 1);
    if (name == "sorted by rows alone") return random_pattern<Offset>(700, 90, 0.05, 2, 5);
    return generated(name);
  }
};
TYPED_TEST_SUITE(MemoryLimitTest, UserOffsetCases);

TYPED_TEST(MemoryLimitTest, HoldsForEveryFormat) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const char* name : {"elasticity:6", "rmat:10,16", "road:4000", "unsorted", "sorted by rows alone"}) {
    const typename TestFixture::Matrix A(this->matrix(name));
    for (const Format format : every_format) {
      SCOPED_TRACE(std::string(name) + ", " + std::string(to_string(format)));
      check_limits<Exec>(A, with_format(format));
    }
    check_limits<Exec>(A, {});
  }
}

TYPED_TEST(MemoryLimitTest, HoldsForPublishedKernels) {
  using Exec = typename TypeParam::ExecutionSpace;
  if (std::string(Exec::name()) != "Cuda") GTEST_SKIP() << "published kernels are for Kokkos::Cuda";
  for (const char* name : {"elasticity:6", "rmat:10,16", "unsorted"}) {
    const typename TestFixture::Matrix A(this->matrix(name));
    for (const Format format : {Format::BitTcf, Format::Bmat, Format::Brp}) {
      SCOPED_TRACE(std::string(name) + ", " + std::string(to_string(format)));
      PlanOptions options = with_format(format);
      options.kernel = Kernel::Published;
      check_limits<Exec>(A, options);
    }
  }
}

TYPED_TEST(MemoryLimitTest, HoldsForEveryOrder) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const char* name : {"elasticity:4", "rmat:9,16", "unsorted"}) {
    const typename TestFixture::Matrix A(this->matrix(name));
    for (const Format format : {Format::Auto, Format::BitTcf, Format::Bcsr}) {
      for (const Reordering reordering : every_reordering) {
        SCOPED_TRACE(std::string(name) + ", " + std::string(to_string(format)) + ", " +
                     std::string(to_string(reordering)));
        PlanOptions options = with_format(format);
        options.reordering = reordering;
        options.always_reorder = true;
        check_limits<Exec>(A, options);
      }
    }
  }
}

/// The limit of a plan excludes its workspaces, also that of the product that builds the transpose.
TYPED_TEST(MemoryLimitTest, ExcludesWorkspaces) {
  using Exec = typename TypeParam::ExecutionSpace;
  const typename TestFixture::Matrix A(this->generated("elasticity:4"));
  PlanOptions options = with_format(Format::BitTcf);
  auto plan = A.plan(options);
  plan.prepare(Exec(), 0, Mode::Transpose);
  options.memory_limit = static_cast<std::size_t>(told_peak(plan));
  auto limited = A.plan(options);
  Workspace<Exec> work;
  EXPECT_NO_THROW(work = limited.prepare(Exec(), 512, Mode::Transpose));
  EXPECT_GT(work.bytes(), 0u);
  EXPECT_EQ(told_peak(limited), told_peak(plan));
}

/// DataAffinity and the count of windows process the entries in several batches.
TYPED_TEST(MemoryLimitTest, HoldsWhereEntriesComeInBatches) {
  using Exec = typename TypeParam::ExecutionSpace;
  const typename TestFixture::Matrix A(this->generated("rmat:15,12"));
  PlanOptions options = with_format(Format::Csr);
  options.reordering = Reordering::DataAffinity;
  check_limits<Exec>(A, options);
}

/// BitTCF needs more memory than CSR. The tuning file is changed to say that BitTCF was the fastest.
TYPED_TEST(MemoryLimitTest, TakesAnotherCandidate) {
  using Exec = typename TypeParam::ExecutionSpace;
  if (!std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>) GTEST_SKIP() << "there are more candidates";
  const typename TestFixture::Matrix A(this->generated("elasticity:6"));
  PlanOptions options;
  options.tuning = Tuning::Measure;
  options.tuning_file = testing::TempDir() + "tessera_memory_" + Exec::name() +
                        std::to_string(sizeof(typename TypeParam::Offset)) + ".tsv";
  std::filesystem::remove(options.tuning_file);
  A.plan(options);
  std::stringstream records;
  records << std::ifstream(options.tuning_file).rdbuf();
  std::ofstream(options.tuning_file) << std::regex_replace(records.str(), std::regex("\tcsr\t"), "\tbittcf\t");

  const auto plan = A.plan(options);
  ASSERT_EQ(plan.format(), Format::BitTcf) << plan.explain();
  options.memory_limit = static_cast<std::size_t>(taken(plan).peak_bytes);
  EXPECT_EQ(A.plan(options).format(), Format::BitTcf);
  options.memory_limit -= 1;
  const MemoryMeter memory;
  auto other = A.plan(options);
  EXPECT_LE(memory.peak(), static_cast<std::int64_t>(options.memory_limit));
  EXPECT_EQ(other.format(), Format::Csr);
  ASSERT_EQ(Impl::choice_of(other).candidates.size(), 2u);
  EXPECT_FALSE(Impl::choice_of(other).candidates[0].is_rejected);
  EXPECT_TRUE(Impl::choice_of(other).candidates[1].is_rejected);
  EXPECT_NE(other.explain().find("rejected: does not fit"), std::string::npos) << other.explain();
  EXPECT_NE(other.stats().find("\"is_rejected\": true"), std::string::npos);
  EXPECT_NE(other.stats().find("\"limit\": " + std::to_string(options.memory_limit)), std::string::npos);
  expect_product<typename TestFixture::View>(A, other, 5, Mode::NoTranspose, 1, 0, "the other candidate");
  std::filesystem::remove(options.tuning_file);
}

TYPED_TEST(MemoryLimitTest, SaysWhatDoesNotFit) {
  using Exec = typename TypeParam::ExecutionSpace;
  const typename TestFixture::Matrix A(this->generated("elasticity:6"));
  PlanOptions options;
  const std::size_t least = least_memory_limit(A, options);
  const MemoryMeter memory;
  for (const auto on_unsupported : {OnUnsupported::Throw, OnUnsupported::FallBack}) {
    options.on_unsupported = on_unsupported;
    options.memory_limit = least - 1;
    EXPECT_MESSAGE(std::invalid_argument, A.plan(options), "memory_limit allows " + std::to_string(least - 1));
    options.memory_limit = 1000;
    // 8-byte offsets are first copied to int.
    const bool is_copied = sizeof(typename TypeParam::Offset) > sizeof(int);
    const std::size_t offsets = static_cast<std::size_t>(A.host.rows) + 1, columns = A.host.nonzeros();
    EXPECT_MESSAGE(std::invalid_argument, A.plan(options),
                   "Tessera: the array Tessera::" + std::string(is_copied ? "row_offsets" : "Csr") + " takes " +
                       std::to_string((offsets + (is_copied ? 0 : columns)) * sizeof(int)) +
                       " bytes beside 0, memory_limit allows 1000; expected a larger limit");
  }
  EXPECT_EQ(memory.now(), 0);
  options.memory_limit = least;
  EXPECT_EQ(told_peak(A.plan(options)), static_cast<std::int64_t>(least));
  Exec().fence();
}

/// The plan reports and counts the bytes that it needs to check followed values.
TYPED_TEST(MemoryLimitTest, CountsWhatFollowsValues) {
  using Exec = typename TypeParam::ExecutionSpace;
  const typename TestFixture::Matrix A(this->generated("elasticity:5"));
  const MemoryMeter memory;
  auto plan = A.plan(with_format(Format::Bcsr));
  const std::size_t before = plan.bytes();
  plan.follow_values(Exec(), A.values);
  EXPECT_GT(plan.bytes(), before);
  EXPECT_EQ(static_cast<std::int64_t>(plan.bytes()), memory.now());
  EXPECT_LE(memory.peak(), told_peak(plan));
  plan.release_source(Exec());
  EXPECT_EQ(static_cast<std::int64_t>(plan.bytes()), memory.now());
  EXPECT_EQ(plan.bytes(), plan.format_bytes() + plan.kernel_bytes());
}

/// Loading a plan also needs memory, to check it and to compute counts that are not in the file.
TYPED_TEST(MemoryLimitTest, TellsThePeakOfLoading) {
  using Exec = typename TypeParam::ExecutionSpace;
  const typename TestFixture::Matrix A(this->generated("elasticity:5"));
  const std::string path = testing::TempDir() + "tessera_memory_" + Exec::name() + ".plan";
  for (const Format format : every_format) {
    const auto made = A.plan(with_format(format));
    save_plan(Exec(), made, path);
    const MemoryMeter memory;
    const auto loaded = load_plan<double>(Exec(), path);
    EXPECT_LE(memory.peak(), told_peak(loaded)) << to_string(format) << '\n' << memory.at_peak();
    EXPECT_LE(told_peak(made), told_peak(loaded)) << to_string(format);
  }
  std::filesystem::remove(path);
}

TYPED_TEST(MemoryLimitTest, OrdersThatDoNotFitAreLeftOut) {
  const typename TestFixture::Matrix A(this->generated("elasticity:6"));
  PlanOptions options = with_format(Format::Csr);
  options.memory_limit = least_memory_limit(A, options) * 3 / 2;
  options.reordering = Reordering::Search;
  options.always_reorder = true;  // otherwise no order is sought, because X fits in cache
  auto plan = A.plan(options);
  EXPECT_EQ(Impl::choice_of(plan).reordering, Reordering::None);
  ASSERT_GE(Impl::choice_of(plan).reorderings.size(), 2u);
  for (const ReorderingTrial& trial : Impl::choice_of(plan).reorderings) {
    EXPECT_TRUE(std::isinf(trial.relative_seconds));
    EXPECT_LE(trial.peak_bytes, static_cast<double>(options.memory_limit));
  }
  EXPECT_NE(plan.explain().find("affinity rejected ("), std::string::npos) << plan.explain();
  options.reordering = Reordering::WindowGrowing;
  options.always_reorder = false;
  EXPECT_EQ(Impl::choice_of(A.plan(options)).reordering, Reordering::None);
  options.always_reorder = true;
  EXPECT_MESSAGE(std::invalid_argument, A.plan(options), "a plan in the order windows is rejected: the array ");
  options.on_unsupported = OnUnsupported::FallBack;
  auto in_its_order = A.plan(options);
  EXPECT_EQ(Impl::choice_of(in_its_order).reordering, Reordering::None);
  EXPECT_NE(in_its_order.explain().find("rows stay in their order"), std::string::npos) << in_its_order.explain();
  expect_product<typename TestFixture::View>(A, in_its_order, 5, Mode::NoTranspose, 1, 0, "in its order");
}

/// The plan fits in the limit, but the X and Y for measuring products do not.
TYPED_TEST(MemoryLimitTest, WhatDoesNotFitIsNotMeasured) {
  const typename TestFixture::Matrix A(this->generated("road:3000"));
  PlanOptions options;
  options.tuning = Tuning::Measure;
  options.hints.num_vectors = 1000;
  const MemoryMeter memory;
  EXPECT_GT(taken(A.plan(options)).measured_seconds, 0);
  EXPECT_GT(memory.peak(), 2 * 3000 * 1000 * 8);
  options.memory_limit = 2 * 3000 * 1000 * 8;
  const MemoryMeter limited;
  EXPECT_EQ(taken(A.plan(options)).measured_seconds, 0);
  EXPECT_LE(limited.peak(), static_cast<std::int64_t>(options.memory_limit));
}

TYPED_TEST(MemoryLimitTest, APlanWhoseTransposeDoesNotFitGoesOn) {
  using Exec = typename TypeParam::ExecutionSpace;
  const typename TestFixture::Matrix A(this->generated("elasticity:5"));
  for (const Format format : every_format) {
    SCOPED_TRACE(to_string(format));
    PlanOptions options = with_format(format);
    options.memory_limit = static_cast<std::size_t>(taken(A.plan(options)).peak_bytes);
    ASSERT_TRUE(expect_within<Exec>(A, options, options.memory_limit));
    auto plan = A.plan(options);
    const std::string before = plan.explain();
    EXPECT_MESSAGE(std::invalid_argument, plan.prepare(Exec(), 3, Mode::Transpose),
                   "Tessera::Plan::prepare: the transpose of A is rejected: Tessera: ");
    EXPECT_EQ(plan.explain(), before);
    expect_product<typename TestFixture::View>(A, plan, 5, Mode::NoTranspose, 1, 0, "without its transpose");
  }
}

/// Blocks are expanded into elements, which needs more memory than a copy.
TYPED_TEST(MemoryLimitTest, HoldsForBlocks) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  struct Blocks {
    struct Graph {
      Kokkos::View<Offset*, typename Exec::memory_space> row_map;
      Kokkos::View<int*, typename Exec::memory_space> entries;
    } graph;
    UserValues<Exec, double> values;
    int rows, columns;

    explicit Blocks(const HostPattern<Offset>& pattern)
        : graph{to_device<Exec>(pattern.row_offsets), to_device<Exec>(pattern.column_indices)},
          values("values", 9 * pattern.nonzeros()),
          rows(pattern.rows),
          columns(pattern.columns) {}
    int numRows() const { return rows; }
    int numCols() const { return columns; }
    int blockDim() const { return 3; }
    auto plan(const PlanOptions& options) const { return make_plan(Exec(), *this, options); }
  };
  for (const char* name : {"unsorted", "sorted by rows alone"}) {
    SCOPED_TRACE(name);
    check_limits<Exec>(Blocks(this->matrix(name)), {});
  }
}

}  // namespace Tessera::Impl::Test
