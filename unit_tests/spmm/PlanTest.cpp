// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <tessera/PlanFile.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "Instances.hpp"
#include "PlanCheck.hpp"
#include "TestFiles.hpp"
#include "TestTypes.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

template <class T>
class PlanTest : public ::testing::Test {};
TYPED_TEST_SUITE(PlanTest, UserOffsetCases);

template <class T>
struct Small {
  using Exec = typename T::ExecutionSpace;
  using Offset = typename T::Offset;
  using View = Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  UserMatrix<Exec, double, Offset> A{random_pattern<Offset>(20, 30, 0.2, 1)};
};

TYPED_TEST(PlanTest, TellsItsShapeAndBytes) {
  const Small<TypeParam> small;
  const auto& A = small.A;
  const std::size_t offset_bytes = sizeof(int);
  auto csr = A.plan(with_format(Format::Csr));
  EXPECT_EQ(csr.rows(), 20);
  EXPECT_EQ(csr.columns(), 30);
  EXPECT_EQ(csr.nonzeros(), A.host.nonzeros());
  EXPECT_EQ(csr.format_bytes(), 21 * offset_bytes + A.host.nonzeros() * 12);
  EXPECT_EQ(csr.slot_map_bytes(), 0u);
  EXPECT_EQ(csr.bytes(), csr.format_bytes() + csr.kernel_bytes());
  constexpr bool is_host = std::is_same_v<typename TypeParam::ExecutionSpace::memory_space, Kokkos::HostSpace>;
  if (is_host) {
    EXPECT_EQ(csr.kernel_bytes(), 0u);
  }
  auto tiled = A.plan(with_format(Format::BitTcf));
  const std::size_t tiles = Impl::tile_metrics_of(tiled).tiles;
  EXPECT_EQ(tiled.format_bytes(), (3 + tiles + 2) * offset_bytes + tiles * 40 + A.host.nonzeros() * 8);
  EXPECT_EQ(tiled.slot_map_bytes(), A.host.nonzeros() * offset_bytes);
  const std::size_t before = csr.bytes() - csr.kernel_bytes();
  csr.prepare(typename TypeParam::ExecutionSpace(), 4, Mode::Transpose);
  EXPECT_EQ(csr.bytes() - csr.kernel_bytes(), before + 31 * offset_bytes + A.host.nonzeros() * (12 + offset_bytes));
}

TYPED_TEST(PlanTest, ExplainsItself) {
  const Small<TypeParam> small;
  PlanOptions options;
  options.reordering = Reordering::ColumnSort;  // sorts nothing, but the plan is analysed
  const auto automatic = small.A.plan(options);
  const std::string text = automatic.explain();
  EXPECT_NE(text.find("20 x 30"), std::string::npos) << text;
  EXPECT_NE(text.find("csr"), std::string::npos) << text;
  EXPECT_NE(text.find("bittcf"), std::string::npos) << text;
  EXPECT_NE(text.find("not chosen"), std::string::npos) << text;
  EXPECT_NE(text.find(Impl::choice_of(automatic).reason), std::string::npos) << text;
  EXPECT_NE(small.A.plan(with_format(Format::BitTcf)).explain().find("bittcf was asked for"), std::string::npos);
  EXPECT_EQ(text.find("duplicate"), std::string::npos);
  const UserMatrix<typename TypeParam::ExecutionSpace, double, typename TypeParam::Offset> B(
      unsorted_pattern<typename TypeParam::Offset>(20, 5, 9, 2));
  EXPECT_NE(B.plan({}).explain().find("duplicate entries of the input are summed"), std::string::npos);
}

/// Returns, for each candidate, the column of its line in explain() at which the prediction ends.
std::vector<std::size_t> prediction_columns(const std::string& text) {
  std::vector<std::size_t> columns;
  for (std::size_t at = text.find("s predicted, "); at != std::string::npos; at = text.find("s predicted, ", at + 1)) {
    columns.push_back(at - text.rfind('\n', at));
  }
  return columns;
}

/// A format that is asked for needs no statistics, but for the shape of staged windows.
TYPED_TEST(PlanTest, ANamedFormatIsNotAnalysed) {
  const Small<TypeParam> small;
  PlanOptions options;
  options.reordering = Reordering::None;
  for (const Format format : every_format) {
    if (format == Format::Csr || format == Format::Staged) continue;
    options.format = format;
    const ToolEvents events;
    const auto plan = small.A.plan(options);
    EXPECT_EQ(events.count_kernels("Tessera::window_columns"), 0u) << events.text();
    EXPECT_EQ(events.count_kernels("Tessera::count_tiles"), 0u) << events.text();
    ASSERT_EQ(Impl::choice_of(plan).candidates.size(), 1u);
    EXPECT_EQ(Impl::choice_of(plan).candidates[0].predicted_seconds, 0);
    EXPECT_EQ(Impl::choice_of(plan).candidates[0].format_bytes, static_cast<double>(plan.format_bytes()));
    EXPECT_NE(plan.explain().find("not predicted"), std::string::npos) << plan.explain();
  }
}

TYPED_TEST(PlanTest, ExplainsInColumnsWhateverTheFormat) {
  const Small<TypeParam> small;
  for (const Format format : every_format) {
    PlanOptions options = with_format(format);
    options.reordering = Reordering::ColumnSort;  // sorts nothing, but the plan is analysed
    const std::string text = small.A.plan(options).explain();
    const auto columns = prediction_columns(text);
    ASSERT_GE(columns.size(), 2u) << text;
    for (const std::size_t column : columns) EXPECT_EQ(column, columns.front()) << text;
  }
}

TYPED_TEST(PlanTest, TakesAMatrixLikeKokkosKernels) {
  using Exec = typename TypeParam::ExecutionSpace;
  const Small<TypeParam> small;
  struct Graph {
    decltype(small.A.pattern.row_offsets) row_map;
    decltype(small.A.pattern.column_indices) entries;
  };
  struct Matrix {
    Graph graph;
    decltype(small.A.values) values;
    int numRows() const { return 20; }
    int numCols() const { return 30; }
  };
  auto plan = make_plan(Exec(), Matrix{{small.A.pattern.row_offsets, small.A.pattern.column_indices}, small.A.values});
  expect_product<typename Small<TypeParam>::View>(small.A, plan, 3, Mode::NoTranspose, 1, 0, "matrix");
}

TYPED_TEST(PlanTest, SharesItsStateWithCopies) {
  const Small<TypeParam> small;
  const auto plan = small.A.plan({});
  auto copy = plan;
  const UserMatrix<typename TypeParam::ExecutionSpace, double, typename TypeParam::Offset> B(small.A.host, 9);
  copy.update_values(typename TypeParam::ExecutionSpace(), B.values);
  auto same = plan;
  expect_product<typename Small<TypeParam>::View>(B, same, 3, Mode::NoTranspose, 1, 0, "copy");
}

TYPED_TEST(PlanTest, RejectsBadMatrices) {
  using Exec = typename TypeParam::ExecutionSpace;
  using std::invalid_argument;
  const Small<TypeParam> small;
  const auto& p = small.A.pattern;
  const auto& values = small.A.values;
  const Exec exec;
  EXPECT_MESSAGE(invalid_argument, make_plan(exec, -1, 30, p.row_offsets, p.column_indices, values),
                 "-1 rows and 30 columns");
  EXPECT_MESSAGE(invalid_argument, make_plan(exec, 19, 30, p.row_offsets, p.column_indices, values),
                 "21 row offsets; expected rows + 1 = 20");
  EXPECT_MESSAGE(
      invalid_argument,
      make_plan(exec, 1, 30, decltype(p.row_offsets)(), decltype(p.column_indices)(), decltype(small.A.values)()),
      "there are 0 row offsets; expected rows + 1 = 2");
  EXPECT_MESSAGE(invalid_argument, make_plan(exec, 20, 5, p.row_offsets, p.column_indices, values),
                 "expected columns from 0 to 4");
  const auto fewer = Kokkos::subview(values, std::pair<std::size_t, std::size_t>(0, 3));
  EXPECT_MESSAGE(invalid_argument, make_plan(exec, 20, 30, p.row_offsets, p.column_indices, fewer),
                 "and 3 values; expected the same number");
}

TYPED_TEST(PlanTest, RejectsWhatItCannotDo) {
  using std::invalid_argument;
  const Small<TypeParam> small;
  PlanOptions options;
  options.precision = Precision::Tf32;
  EXPECT_MESSAGE(invalid_argument, small.A.plan(options), "precision tf32 is not available");
  options.on_unsupported = OnUnsupported::FallBack;
  EXPECT_NE(small.A.plan(options).explain().find("tf32 was asked for"), std::string::npos);
  options = with_format(Format::Csr);  // has no published kernel on any device
  options.kernel = Kernel::Published;
  EXPECT_MESSAGE(invalid_argument, small.A.plan(options), "Tessera::make_plan: a published kernel was asked for, and ");
  EXPECT_MESSAGE(invalid_argument, small.A.plan(options), "or kernel = Auto, or on_unsupported = FallBack");
  options.on_unsupported = OnUnsupported::FallBack;
  EXPECT_NE(small.A.plan(options).explain().find("note: a published kernel was asked for"), std::string::npos);
  options = {};
  options.hints.num_vectors = -2;
  EXPECT_MESSAGE(invalid_argument, small.A.plan(options), "options.hints.num_vectors is -2");
  options = {};
  options.hints.expected_products = -2;
  EXPECT_MESSAGE(invalid_argument, small.A.plan(options), "options.hints.expected_products is -2");
}

/// Published kernels are for Kokkos::Cuda only.
TYPED_TEST(PlanTest, RejectsPublishedKernelsOnOtherDevices) {
  const Small<TypeParam> small;
  const std::string space = TypeParam::ExecutionSpace::name();
  if (space == "Cuda") GTEST_SKIP() << "Kokkos::Cuda has them";
  for (const Format format :
       {Format::Auto, Format::BitTcf, Format::Bmat, Format::Brp, Format::Bcsr, Format::SortedColumns}) {
    PlanOptions options = with_format(format);
    options.kernel = Kernel::Published;
    EXPECT_MESSAGE(
        std::invalid_argument, small.A.plan(options),
        "plans on " + space + " do not have them; expected Kokkos::Cuda, and Tessera with its component Cuda");
  }
}

TYPED_TEST(PlanTest, RejectsBadProducts) {
  using Exec = typename TypeParam::ExecutionSpace;
  using View = typename Small<TypeParam>::View;
  using std::invalid_argument;
  const Small<TypeParam> small;
  const Exec exec;
  auto plan = small.A.plan({});
  auto other = small.A.plan({});
  auto work = plan.prepare(exec, 4, Mode::NoTranspose);
  const View x("x", 30, 4), y("y", 20, 4), wide_x("x", 30, 5), wide_y("y", 20, 5);
  const Mode N = Mode::NoTranspose;
  EXPECT_MESSAGE(invalid_argument, spmm(exec, plan, work, N, 1.0, y, 0.0, y),
                 "op(A) is 20 x 30 in mode N, X is 20 x 4");
  EXPECT_MESSAGE(invalid_argument, spmm(exec, plan, work, N, 1.0, x, 0.0, x),
                 "Y is 30 x 4; expected X with 30 rows, Y with 20 rows");
  EXPECT_MESSAGE(invalid_argument, spmm(exec, plan, work, N, 1.0, x, 0.0, wide_y), "as many columns in Y as in X");
  EXPECT_MESSAGE(invalid_argument, spmm(exec, plan, work, N, 1.0, wide_x, 0.0, wide_y),
                 "prepared for 4 columns; expected at least X's 5");
  EXPECT_MESSAGE(invalid_argument, spmm(exec, plan, work, Mode::Transpose, 1.0, y, 0.0, x),
                 "prepared for mode N; expected one for mode T");
  EXPECT_MESSAGE(invalid_argument, spmm(exec, other, work, N, 1.0, x, 0.0, y), "not from this plan's prepare()");
  Workspace<Exec> none;
  EXPECT_MESSAGE(invalid_argument, spmm(exec, plan, none, N, 1.0, x, 0.0, y), "not from this plan's prepare()");
  EXPECT_MESSAGE(invalid_argument, plan.prepare(exec, -1, N), "num_vectors is -1");
  EXPECT_MESSAGE(invalid_argument, plan.update_values(exec, Kokkos::View<double*, typename Exec::memory_space>("v", 2)),
                 "there are 2 values; expected those of the matrix");
  const UserMatrix<Exec, double, typename TypeParam::Offset> square(
      random_pattern<typename TypeParam::Offset>(20, 20, 0.2, 1));
  auto square_plan = square.plan({});
  auto square_work = square_plan.prepare(exec, 4, N);
  EXPECT_MESSAGE(invalid_argument, spmm(exec, square_plan, square_work, N, 1.0, y, 0.0, y), "are the same memory");
  const Plan<double, Exec> empty;
  EXPECT_MESSAGE(std::logic_error, empty.rows(), "this plan is empty");
}

/// The workspace of a destroyed plan does not fit the next plan, even if both have the same address.
TYPED_TEST(PlanTest, RejectsTheWorkspaceOfAPlanThatIsGone) {
  using Exec = typename TypeParam::ExecutionSpace;
  using View = typename Small<TypeParam>::View;
  const Small<TypeParam> small;
  const View x("x", 20, 2), y("y", 30, 2);
  for (int i = 0; i < 3; ++i) {
    auto work = small.A.plan({}).prepare(Exec(), 2, Mode::Transpose);
    const auto plan = small.A.plan({});
    EXPECT_MESSAGE(std::invalid_argument, spmm(Exec(), plan, work, Mode::Transpose, 1.0, x, 0.0, y),
                   "not from this plan's prepare()");
  }
}

TYPED_TEST(PlanTest, AnEmptyWorkspaceIsNotMoved) {
  using Exec = typename TypeParam::ExecutionSpace;
  Workspace<Exec> empty;
  EXPECT_MESSAGE(std::logic_error, empty.move_to(Exec()), "this workspace is empty");
}

/// The instances on which Tessera launched kernels or waited since the last clear().
std::vector<std::uint32_t>& devices_used() {
  static std::vector<std::uint32_t> devices;
  return devices;
}
void note_device(const char* label, std::uint32_t device, std::uint64_t*) {
  if (std::string(label).starts_with("Tessera::")) devices_used().push_back(device);
}

void note_wait(const char* label, std::uint32_t device, std::uint64_t*) {
  // Fences that Kokkos makes for these callbacks, or to free memory, do not count.
  const std::string name = label;
  if (name.starts_with("Tessera::") || name.starts_with("Kokkos::deep_copy")) devices_used().push_back(device);
}

/// Everything runs on the caller's instance, not on the default instance.
TYPED_TEST(PlanTest, RunsOnTheCallersInstance) {
  using Exec = typename TypeParam::ExecutionSpace;
  using View = typename Small<TypeParam>::View;
  namespace Tools = Kokkos::Tools::Experimental;
  const UserMatrix<Exec, double, typename TypeParam::Offset> A(
      unsorted_pattern<typename TypeParam::Offset>(20, 30, 4, 1));
  const auto instances = two_instances<Exec>();
  if (instances.empty()) GTEST_SKIP() << "this backend has one instance";
  const Exec& exec = instances[1];
  const std::uint32_t expected = Tools::device_id(exec);
  if (expected == Tools::device_id(Exec())) GTEST_SKIP() << "this backend does not number its instances";
  const TemporaryFolder folder;
  const View x("x", 30, 3), y("y", 20, 3);
  Tools::set_begin_parallel_for_callback(note_device);
  Tools::set_begin_parallel_reduce_callback(note_device);
  Tools::set_begin_parallel_scan_callback(note_device);
  const auto expect_all_there_or_nothing = [&](const char* what) {
    for (const std::uint32_t device : devices_used()) EXPECT_EQ(device, expected) << what;
    devices_used().clear();
  };
  const auto expect_all_there = [&](const char* what) {
    exec.fence();
    EXPECT_FALSE(devices_used().empty()) << what;
    expect_all_there_or_nothing(what);
  };
  devices_used().clear();
  for (const Format format : every_format) {
    auto plan = make_plan(exec, 20, 30, A.pattern.row_offsets, A.pattern.column_indices, A.values, with_format(format));
    expect_all_there("make_plan");
    plan.prepare(exec, 3, Mode::Transpose);
    expect_all_there("prepare");
    plan.update_values(exec, A.values);
    expect_all_there("update_values");
    auto work = plan.prepare(exec, 3, Mode::NoTranspose);
    spmm(exec, plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
    expect_all_there("spmm");
    spmm(exec, plan, work, Mode::NoTranspose, 0.0, x, 2.0, y);
    expect_all_there("spmm with alpha = 0");
    plan.follow_values(exec, A.values);
    expect_all_there_or_nothing("follow_values");
    Tools::set_begin_fence_callback(note_wait);
    save_plan(exec, plan, folder / "plan");
    plan.follow_values(exec, A.values);
    plan.release_source(exec);
    expect_all_there("save_plan and release_source");
    Tools::set_begin_fence_callback(nullptr);
  }
  Tools::set_begin_parallel_for_callback(nullptr);
  Tools::set_begin_parallel_reduce_callback(nullptr);
  Tools::set_begin_parallel_scan_callback(nullptr);
}

/// Calls without an instance wait for all instances of all backends; calls with an instance wait only for it.
TYPED_TEST(PlanTest, SavingWaitsForItsInstanceAlone) {
  using Exec = typename TypeParam::ExecutionSpace;
  const Small<TypeParam> small;
  const TemporaryFolder folder;
  auto plan = small.A.plan({});
  const ToolEvents events;
  save_plan(Exec(), plan, folder / "plan");
  plan.release_source(Exec());
  EXPECT_EQ(events.fences("Tessera::save_plan: all"), 0u) << events.text();
  EXPECT_EQ(events.fences("Tessera::release_source: all"), 0u) << events.text();
  EXPECT_GT(events.fences("Tessera::release_source"), 0u) << events.text();
}

}  // namespace Tessera::Impl::Test
