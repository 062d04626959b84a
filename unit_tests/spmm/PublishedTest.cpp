// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel::Published: the candidate formats, rejections and fallbacks, and the texts of explain(), stats() and files.
// The kernels of this program only claim to be published. They also support FP16, which plans replace by TF32 where
// TF32 is faster. A separate program, because it compiles plans with these kernels.
#include <tessera/PlanFile.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>
#include <utility>

#include "OwnKernels.hpp"

namespace Tessera::Impl {

/// A device with published kernels for BitTCF, BMat and BCSR, or for the formats that a test sets. TF32 takes half the
/// time of FP16 from 32 columns on.
template <>
struct Device<double, OwnSpace> : OwnDevice<double> {
  static inline std::vector<Format> published{Format::BitTcf, Format::Bmat, Format::Bcsr};

  static bool has(const OwnSpace&, Precision precision) {
    return precision == Precision::Native || precision == Precision::Fp16;
  }
  static Precision wider_precision(const PlanOptions& options) {
    return options.precision == Precision::Fp16 ? Precision::Tf32 : options.precision;
  }
  static MachineModel model(const OwnSpace&, const PlanOptions& options) {
    return MachineModel().times(options.precision == Precision::Tf32 && options.hints.num_vectors >= 32 ? 2 : 1);
  }
  static MachineModel model_without_room(const OwnSpace& exec, const PlanOptions& options) {
    return model(exec, options);
  }
  static std::string why_not_published(const OwnSpace&, Format format) {
    const bool is_there = std::ranges::count(published, format) > 0;
    return is_there ? "" : std::string(to_string(format)) + " has none; expected bittcf, bmat or bcsr";
  }
};

/// Multiplies nothing.
struct PaperKernel : NoKernel<double> {
  static inline std::size_t list_bytes = 100000;

  template <class Stored>
  bool build(const OwnSpace& exec, const Stored& format, const PlanOptions& options, const KernelPolicy&) {
    precision_ = options.precision;
    const bool is_published = options.kernel == Kernel::Published;
    if (is_published) lists_ = allocate<decltype(lists_)>(exec, "Tessera::lists", list_bytes);
    if constexpr (requires { format.block; }) return !is_published || format.block.height == 8;
    return true;
  }
  Precision precision() const { return precision_; }
  std::string describe() const { return "own"; }
  std::size_t bytes() const { return lists_.extent(0); }

 private:
  Array<std::byte*, OwnSpace::memory_space> lists_;
  Precision precision_ = Precision::Native;
};

template <class Kind>
struct KernelOf<Kind, double, OwnSpace> {
  using type = PaperKernel;
};

}  // namespace Tessera::Impl

#include "MemoryLimits.hpp"
#include "TestFiles.hpp"
#include "ToolEvents.hpp"
// PlanFile.cpp must not instantiate the class: PlanState.cpp already instantiates all members, including those of
// PlanFile.cpp, and nvcc rejects a second instantiation.
#undef TESSERA_FOR_EACH_SCALAR
#define TESSERA_FOR_EACH_SCALAR(Exec, M)
#include "PlanFile.cpp"
#undef TESSERA_FOR_EACH_SCALAR
#define TESSERA_FOR_EACH_SCALAR(Exec, M) M(Exec, double)
#include "PlanState.cpp"

namespace Tessera::Impl::Test {

using Exec = Impl::OwnSpace;
using Matrix = UserMatrix<Exec, double, int>;
using View = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;

/// A matrix of 3 x 3 blocks. Automatic plans do not consider BCSR with blocks of 8 rows for it.
Matrix elasticity() { return Matrix(generated_pattern<int>("elasticity:4")); }

PlanOptions published(Format format) {
  PlanOptions options = with_format(format);
  options.kernel = Kernel::Published;
  return options;
}

/// Options for BCSR with blocks of `rows` x 8. Only 8 rows have a kernel.
PlanOptions in_rows_of_blocks(int rows) {
  PlanOptions options = published(Format::Bcsr);
  options.parameters.bcsr_block_rows = rows;
  options.parameters.bcsr_block_columns = 8;
  return options;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PublishedTest, MultipliesTheFormatThatIsNamed) {
  const Matrix A = elasticity();
  for (const Format format : {Format::BitTcf, Format::Bmat, Format::Bcsr}) {
    PlanOptions options = published(format);
    if (format == Format::Bcsr) options = in_rows_of_blocks(8);
    auto plan = A.plan(options);
    EXPECT_EQ(plan.format(), format);
    EXPECT_TRUE(says(plan.explain(), "kernels: as published (" + std::string(paper_of(plan.format())) + "): own\n"))
        << plan.explain();
    EXPECT_TRUE(says(plan.stats(), "\"kernel\": \"published\"")) << plan.stats();
    EXPECT_TRUE(says(plan.stats(), "\"kernels\": \"as published (")) << plan.stats();
    EXPECT_EQ(Impl::choice_of(plan).candidates.size(), 1u);
  }
  EXPECT_TRUE(says(A.plan(with_format(Format::BitTcf)).stats(), "\"kernel\": \"auto\""));
}

/// All formats with a published kernel are candidates, even if automatic plans do not consider them. CSR is not.
TEST(PublishedTest, AnAutomaticFormatIsOneOfThoseWithAPublishedKernel) {
  const Matrix A = elasticity();
  auto options = published(Format::Auto);
  options.parameters = in_rows_of_blocks(8).parameters;
  const auto plan = A.plan(options);
  std::vector<Format> formats;
  for (const Candidate& candidate : Impl::choice_of(plan).candidates) {
    formats.push_back(candidate.format);
    EXPECT_GT(candidate.tiles, 0) << to_string(candidate.format);
    EXPECT_GT(candidate.predicted_seconds, 0) << to_string(candidate.format);
    EXPECT_GE(candidate.predicted_seconds, Impl::choice_of(plan).candidates.front().predicted_seconds);
  }
  EXPECT_EQ(plan.format(), formats.front());
  std::sort(formats.begin(), formats.end());
  EXPECT_EQ(formats, (std::vector{Format::BitTcf, Format::Bmat, Format::Bcsr}));
  EXPECT_TRUE(says(plan.explain(), "fastest of the formats with a published kernel, each multiplied by an automatic"))
      << plan.explain();
}

/// SortedColumns orders itself: it is a candidate for the order of A only. If it is the only one, no order is tried.
TEST(PublishedTest, AFormatThatOrdersItselfIsNotReordered) {
  const auto others = std::exchange(Impl::Device<double, Exec>::published, {Format::SortedColumns});
  const Matrix A = elasticity();
  auto options = published(Format::Auto);
  options.reordering = Reordering::DegreeSort;
  options.always_reorder = true;
  const auto alone = A.plan(options);
  EXPECT_EQ(alone.format(), Format::SortedColumns);
  EXPECT_EQ(Impl::choice_of(alone).reordering, Reordering::None) << alone.explain();
  Impl::Device<double, Exec>::published.push_back(Format::BitTcf);
  const auto plan = A.plan(options);
  EXPECT_EQ(plan.format(), Format::BitTcf);
  EXPECT_EQ(Impl::choice_of(plan).reordering, Reordering::DegreeSort) << plan.explain();
  EXPECT_EQ(Impl::choice_of(plan).candidates.size(), 1u) << plan.explain();
  Impl::Device<double, Exec>::published = others;
}

/// Predictions do not apply to published kernels.
TEST(PublishedTest, TuningMeasuresEveryFormatAndKeepsRecordsApart) {
  const Matrix A = elasticity();
  const TemporaryFolder folder;
  auto options = published(Format::Auto);
  options.parameters = in_rows_of_blocks(8).parameters;
  options.tuning = Tuning::Measure;
  options.tuning_file = folder / "tuning";
  const auto measured = A.plan(options);  // a loop would not keep a temporary
  for (const Candidate& candidate : Impl::choice_of(measured).candidates)
    EXPECT_GT(candidate.measured_seconds, 0) << to_string(candidate.format);
  EXPECT_TRUE(says(A.plan(options).explain(), "when it was measured before"));
  options.kernel = Kernel::Auto;
  EXPECT_TRUE(says(A.plan(options).explain(), " was measured to be the fastest")) << A.plan(options).explain();
}

/// The fastest candidate stays as it was built to be measured. BCSR has no kernel here: BitTCF or BMat is the fastest.
TEST(PublishedTest, TheFastestThatWasMeasuredIsNotBuiltAgain) {
  const Matrix A = elasticity();
  auto options = published(Format::Auto);
  options.parameters = in_rows_of_blocks(4).parameters;
  options.tuning = Tuning::Measure;
  const auto expect_builds = [&](std::size_t builds) {
    const ToolEvents events;
    auto plan = A.plan(options);
    EXPECT_TRUE(says(plan.explain(), " was measured to be the fastest")) << plan.explain();
    expect_product<View>(A, plan, 8, Mode::NoTranspose, 1, 0, plan.explain());
    EXPECT_EQ(events.count_kernels("Tessera::build_condensed"), builds) << plan.explain();
  };
  expect_builds(4);  // both to predict times and both to measure them
  options.memory_limit = std::size_t(1) << 30;
  expect_builds(5);  // with a limit, each makes room for the next
}

TEST(PublishedTest, AFormatWithoutOneIsRejected) {
  const Matrix A = elasticity();
  auto options = published(Format::Csr);
  EXPECT_MESSAGE(std::invalid_argument, A.plan(options),
                 "Tessera::make_plan: a published kernel was asked for, and csr has none; expected bittcf, bmat or "
                 "bcsr, or kernel = Auto, or on_unsupported = FallBack");
  options.on_unsupported = OnUnsupported::FallBack;
  const auto plan = A.plan(options);
  EXPECT_EQ(plan.format(), Format::Csr);
  EXPECT_TRUE(says(plan.explain(), "note: a published kernel was asked for, and csr has none")) << plan.explain();
  EXPECT_TRUE(says(plan.stats(), "\"kernel\": \"auto\"")) << plan.stats();
}

/// Only building the format shows whether the kernel can be built.
TEST(PublishedTest, AFormatWhoseKernelCannotBeBuiltIsRejected) {
  const Matrix A = elasticity();
  auto options = in_rows_of_blocks(7);
  EXPECT_MESSAGE(std::invalid_argument, A.plan(options), "the one of bcsr cannot be built");
  options.on_unsupported = OnUnsupported::FallBack;
  const auto plan = A.plan(options);
  EXPECT_EQ(plan.format(), Format::Bcsr);
  EXPECT_TRUE(says(plan.explain(), "kernels: own\n")) << plan.explain();
  EXPECT_TRUE(says(plan.explain(), "note: a published kernel was asked for, and the one of bcsr")) << plan.explain();
}

/// The transpose of 8 x 7 blocks has 7 x 8 blocks.
TEST(PublishedTest, TheTransposeIsRejectedOrFallsBackAlone) {
  const Matrix A = elasticity();
  auto options = in_rows_of_blocks(8);
  options.parameters.bcsr_block_columns = 7;
  auto strict = A.plan(options);
  EXPECT_MESSAGE(std::invalid_argument, strict.prepare(Exec(), 3, Mode::Transpose),
                 "the transpose of A is rejected: Tessera: a published kernel was asked for, and the one of bcsr");
  expect_product<View>(A, strict, 3, Mode::NoTranspose, 1, 0, "after a rejection");
  options.on_unsupported = OnUnsupported::FallBack;
  auto plan = A.plan(options);
  expect_product<View>(A, plan, 3, Mode::Transpose, 1, 0, "transpose falls back");
  EXPECT_TRUE(says(plan.explain(), "): own\n  kernels of the transpose: own\n")) << plan.explain();
  EXPECT_TRUE(says(plan.explain(), "note: transpose: a published kernel was asked for")) << plan.explain();
}

TEST(PublishedTest, AMatrixWithoutEntriesNeedsNoKernel) {
  HostPattern<int> empty;
  empty.columns = 5;
  for (int row = 0; row < 9; ++row) empty.end_row();
  const Matrix A(empty);
  EXPECT_TRUE(says(A.plan(in_rows_of_blocks(7)).stats(), "\"kernel\": \"published\""));
}

TEST(PublishedTest, ListsAreWithinTheLimit) {
  const Matrix A = elasticity();
  auto options = published(Format::BitTcf);
  const std::size_t with = least_memory_limit(A, options);
  options.kernel = Kernel::Auto;
  const std::size_t without = least_memory_limit(A, options), lists = Impl::PaperKernel::list_bytes;
  EXPECT_GT(with, without);
  EXPECT_LE(with, without + Impl::MemoryAccount::rounded(lists));
  options.kernel = Kernel::Published;
  const auto plan = A.plan(options);
  EXPECT_EQ(plan.kernel_bytes(), lists);
  EXPECT_EQ(taken(plan).held_bytes, static_cast<double>(plan.bytes()));
}

TEST(PublishedTest, FilesKeepTheKernel) {
  const Matrix A = elasticity();
  const TemporaryFolder folder;
  const auto saved = A.plan(published(Format::Bmat));
  save_plan(Exec(), saved, folder / "plan");
  const auto loaded = load_plan<double>(Exec(), folder / "plan");
  EXPECT_TRUE(says(loaded.explain(), "kernels: as published (" + std::string(paper_of(loaded.format())) + "): own\n"))
      << loaded.explain();
  EXPECT_EQ(loaded.kernel_bytes(), saved.kernel_bytes());
  save_plan(Exec(), A.plan(with_format(Format::Bmat)), folder / "plan");
  const auto other = load_plan<double>(Exec(), folder / "plan");
  EXPECT_TRUE(says(other.explain(), "kernels: own\n")) << other.explain();
}

/// The plan was saved on a device whose kernel needs less memory.
TEST(PublishedTest, FilesAreLoadedWithoutAKernelThatDoesNotFit) {
  const Matrix A = elasticity();
  PlanOptions options = published(Format::Bmat);
  options.memory_limit = static_cast<std::size_t>(told_peak(A.plan(options)));
  const TemporaryFolder folder;
  save_plan(Exec(), A.plan(options), folder / "plan");
  const auto lists = std::exchange(Impl::PaperKernel::list_bytes, 10 * options.memory_limit);
  const auto loaded = load_plan<double>(Exec(), folder / "plan");
  Impl::PaperKernel::list_bytes = lists;
  EXPECT_EQ(loaded.kernel_bytes(), 0u);
  EXPECT_LE(loaded.bytes(), options.memory_limit);
  EXPECT_TRUE(says(loaded.explain(), "note: Tessera: a kernel of this device is rejected: the array Tessera::lists"))
      << loaded.explain();
  EXPECT_TRUE(says(loaded.explain(), "kernels: portable\n")) << loaded.explain();
}

// --- a faster precision than the one asked for

TEST(WiderPrecisionTest, ReplacesOneOf16BitsWhereItIsFaster) {
  const Matrix A = elasticity();
  for (const Format format : {Format::Auto, Format::Csr, Format::BitTcf}) {
    for (const int columns : {8, 32}) {
      PlanOptions options = with_format(format);
      options.precision = Precision::Fp16;
      options.hints.num_vectors = columns;
      options.reordering = Reordering::ColumnSort;  // sorts nothing, but the plan is analysed
      const auto plan = A.plan(options);
      const bool is_faster = columns == 32;
      const std::string expected = is_faster ? "own, in tf32" : "own, in fp16";
      EXPECT_TRUE(says(plan.explain(), expected)) << plan.explain();
      EXPECT_EQ(says(Impl::choice_of(plan).reason, "in tf32, which is predicted to be faster than fp16"), is_faster);
      EXPECT_EQ(Impl::choice_of(plan).is_wider, is_faster);
      const TemporaryFolder folder;
      save_plan(Exec(), plan, folder / "plan");
      const auto loaded = load_plan<double>(Exec(), folder / "plan");
      EXPECT_TRUE(says(loaded.explain(), expected)) << loaded.explain();
    }
  }
}

}  // namespace Tessera::Impl::Test
