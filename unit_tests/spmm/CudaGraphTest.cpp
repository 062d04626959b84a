// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records products in a CUDA graph and replays it. Captures use the global mode, which fails if anything in the process
// allocates memory, waits for a stream or the device, or copies to the host. Captured calls must do none of these.
// Empty if Kokkos has no CUDA.
#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include "CudaCheck.hpp"
#include "GrowingPlans.hpp"

namespace Tessera::Impl::Test {

namespace {

void expect_success(cudaError_t status, const char* what) {
  ASSERT_EQ(status, cudaSuccess) << what << ": " << cudaGetErrorString(status);
}

class Stream {
 public:
  Stream() { expect_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// The graph of the work that record() submits to a stream.
class Graph {
 public:
  template <class Record>
  Graph(cudaStream_t stream, const Record& record) {
    expect_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "beginning the capture");
    record();
    expect_success(cudaStreamEndCapture(stream, &graph_), "ending the capture");
    if (graph_ == nullptr) return;
    expect_success(cudaGraphGetNodes(graph_, nullptr, &nodes_), "counting nodes");
    expect_success(cudaGraphInstantiate(&executable_, graph_, 0), "instantiating the graph");
  }
  ~Graph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::size_t nodes() const { return nodes_; }
  void launch(cudaStream_t stream) const {
    expect_success(cudaGraphLaunch(executable_, stream), "launching the graph");
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  std::size_t nodes_ = 0;
};

template <class View>
void fill_randomly(const Exec& exec, const View& view, std::uint64_t seed) {
  const auto host = Kokkos::create_mirror_view(view);
  Random random(seed);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j)
      host(i, j) = static_cast<typename View::non_const_value_type>(random.real());
  Kokkos::deep_copy(exec, view, host);
  exec.fence();
}

/// Records Y = op(A) X and Y = 2 op(A) X - Y / 2, and replays both with new values of A and another X each time. The
/// results must be bitwise equal to products without a graph.
template <class View, class Matrix, class Plan>
void expect_replays(const Matrix& A, Plan& plan, const Stream& stream, int columns, Mode mode,
                    const std::string& what) {
  using Scalar = typename View::non_const_value_type;
  const Exec exec(stream.get());
  const int x_rows = is_transposed(mode) ? A.host.rows : A.host.columns;
  const int y_rows = is_transposed(mode) ? A.host.columns : A.host.rows;
  const View x("x", x_rows, columns), y("y", y_rows, columns), expected("expected", y_rows, columns);
  auto work = plan.prepare(exec, columns, mode);
  plan.update_values(exec, A.values);  // a plan that follows values would record that, too
  const auto multiply = [&](const View& result) {
    spmm(exec, plan, work, mode, Scalar(1), x, Scalar(0), result);
    spmm(exec, plan, work, mode, Scalar(2), x, Scalar(-0.5), result);
  };
  multiply(expected);  // loads the kernels, because a first launch cannot be captured
  exec.fence();
  const Graph graph(stream.get(), [&] { multiply(y); });
  ASSERT_GE(graph.nodes(), 2u) << what;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Matrix B(A.host, seed);
    plan.update_values(exec, B.values);
    fill_randomly(exec, x, seed + 10);
    multiply(expected);
    Kokkos::deep_copy(exec, y, poison<Scalar>());
    graph.launch(stream.get());
    exec.fence();
    ASSERT_EQ(different_elements(exec, y, expected), 0) << what << ", values " << seed;
  }
}

/// Records follow_values() and Y = op(A) X, and replays both while the values of A change in place.
template <class View, class Matrix, class Plan>
void expect_followed(const Matrix& A, Plan& plan, const PlanOptions& options, const Stream& stream, int columns,
                     Mode mode, const std::string& what) {
  using Scalar = typename View::non_const_value_type;
  const Exec exec(stream.get());
  const int x_rows = is_transposed(mode) ? A.host.rows : A.host.columns;
  const int y_rows = is_transposed(mode) ? A.host.columns : A.host.rows;
  const View x("x", x_rows, columns), y("y", y_rows, columns), expected("expected", y_rows, columns);
  fill_randomly(exec, x, 4);
  auto work = plan.prepare(exec, columns, mode);
  const auto multiply = [&] {
    plan.follow_values(exec, A.values, mode);
    spmm(exec, plan, work, mode, Scalar(1), x, Scalar(0), y);
  };
  multiply();
  exec.fence();
  const Graph graph(stream.get(), multiply);
  auto other = A.plan(options);
  auto other_work = other.prepare(exec, columns, mode);
  for (const std::uint64_t seed : {1, 1, 2, 1}) {
    Kokkos::deep_copy(exec, A.values, Matrix(A.host, seed).values);
    Kokkos::deep_copy(exec, y, poison<Scalar>());
    graph.launch(stream.get());
    exec.fence();
    other.update_values(exec, A.values);
    spmm(exec, other, other_work, mode, Scalar(1), x, Scalar(0), expected);
    exec.fence();
    ASSERT_EQ(different_elements(exec, y, expected), 0) << what << ", values " << seed;
  }
}

template <class Scalar>
void expect_replays_of(const HostPattern<int>& pattern, const PlanOptions& options) {
  const Stream stream;
  const CudaMatrix<Scalar> A(pattern);
  auto plan = A.plan(options);
  for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
    for (const int columns : {1, 3, 32, 130}) {
      const std::string what = std::string(to_string(plan.format())) + ", mode " + std::string(to_string(mode)) + ", " +
                               std::to_string(columns) + " columns";
      expect_replays<Left<Scalar>>(A, plan, stream, columns, mode, what + ", left");
      expect_replays<Right<Scalar>>(A, plan, stream, columns, mode, what + ", right");
      expect_followed<Right<Scalar>>(A, plan, options, stream, columns, mode, what + ", followed");
    }
  }
}

/// Windows of 64 rows that share columns, among scattered, long and empty rows.
HostPattern<int> several_kinds_of_rows() {
  Random random(5);
  HostPattern<int> A;
  A.columns = 4000;
  while (A.rows < 3000) {
    const int kind = A.rows / 64 % 3, first = A.rows / 64 * 64;
    for (int j = 0; j < A.columns; ++j) {
      const bool is_near = j >= first && j < first + 128;
      const int among = A.rows % 500 == 7 ? 1 : kind == 0 ? 400 : is_near ? 5 : 4000;
      if (A.rows % 31 != 0 && random.below(among) == 0) A.column_indices.push_back(j);
    }
    A.end_row();
  }
  return A;
}

}  // namespace

TEST(CudaGraph, ReplaysEveryFormat) {
  for (const Format format : every_format) expect_replays_of<double>(several_kinds_of_rows(), with_format(format));
}

TEST(CudaGraph, ReplaysWhatIsChosen) {
  PlanOptions options;
  for (const int products : {0, 1000000000}) {
    options.hints.expected_products = products;
    expect_replays_of<double>(several_kinds_of_rows(), options);
    expect_replays_of<float>(several_kinds_of_rows(), options);
  }
}

/// A graph reads the rows, so the plan keeps them, however many products follow.
TEST(CudaGraph, ACapturedProductKeepsTheRows) {
  constexpr int columns = 32;
  const CudaMatrix<double> A(dense_blocks(3000));
  auto plan = A.plan({});
  const Stream stream;
  const Exec exec(stream.get());
  auto work = plan.prepare(exec, columns, Mode::NoTranspose);
  const Right<double> x("x", A.host.columns, columns), y("y", A.host.rows, columns),
      expected("e", A.host.rows, columns);
  fill_randomly(exec, x, 1);
  spmm(exec, plan, work, x, expected);
  exec.fence();
  const Graph graph(stream.get(), [&] { spmm(exec, plan, work, x, y); });
  EXPECT_NE(plan.explain().find("compressed rows stay, because a graph captured product 2"), std::string::npos)
      << plan.explain();
  for (int product = 0; product < 300; ++product) spmm(exec, plan, work, x, y);
  EXPECT_EQ(plan.format(), Format::Csr);
  Kokkos::deep_copy(exec, y, poison<double>());
  graph.launch(stream.get());
  exec.fence();
  EXPECT_EQ(different_elements(exec, y, expected), 0);
}

/// A graph with new values writes those of the rows, so the plan keeps them.
TEST(CudaGraph, CapturedNewValuesKeepTheRows) {
  constexpr int columns = 32;
  const CudaMatrix<double> A(dense_blocks(3000)), B(A.host, 2);
  auto plan = A.plan({}), other = B.plan({});
  const Stream stream;
  const Exec exec(stream.get());
  auto work = plan.prepare(exec, columns, Mode::NoTranspose);
  const Right<double> x("x", A.host.columns, columns), y("y", A.host.rows, columns),
      expected("e", A.host.rows, columns);
  fill_randomly(exec, x, 1);
  auto other_work = other.prepare(exec, columns, Mode::NoTranspose);
  spmm(exec, other, other_work, x, expected);
  exec.fence();
  const Graph graph(stream.get(), [&] { plan.update_values(exec, B.values); });
  EXPECT_NE(plan.explain().find("compressed rows stay, because a graph captured new values"), std::string::npos)
      << plan.explain();
  for (int product = 0; product < 300; ++product) spmm(exec, plan, work, x, y);
  EXPECT_EQ(plan.format(), Format::Csr);
  graph.launch(stream.get());
  spmm(exec, plan, work, x, y);
  exec.fence();
  EXPECT_EQ(different_elements(exec, y, expected), 0);
}

/// A plan that shares values has no room for others, and allocates none while a graph is captured.
TEST(CudaGraph, SharedValuesNeedRoomBeforeACapture) {
  const CudaMatrix<double> A(dense_blocks(300)), B(A.host, 2);
  PlanOptions options;
  options.shares_values = true;
  auto plan = A.plan(options);
  const Stream stream;
  const Exec exec(stream.get());
  const Graph rejected(stream.get(), [&] { EXPECT_THROW(plan.update_values(exec, B.values), std::logic_error); });
  plan.update_values(exec, A.values);
  const Graph graph(stream.get(), [&] { plan.update_values(exec, B.values); });
  graph.launch(stream.get());
  exec.fence();
  expect_product<Right<double>>(B, plan, 8, Mode::NoTranspose, 1, 0, "new values");
}

/// A captured product allocates nothing: a workspace that was made for the rows, and is too small for the format that
/// replaced them, must have been enlarged by a product before.
TEST(CudaGraph, AWorkspaceOfTheRowsIsEnlargedBefore) {
  constexpr int columns = 32;
  const CudaMatrix<double> A(dense_blocks(3000));
  auto plan = A.plan({});
  const Stream stream;
  const Exec exec(stream.get());
  const Left<double> x("x", A.host.columns, columns), y("y", A.host.rows, columns);
  auto small = plan.prepare(exec, columns, Mode::NoTranspose),
       enlarged = plan.prepare(exec, columns, Mode::NoTranspose);
  plan.settle(exec);
  ASSERT_NE(plan.format(), Format::Csr);
  const auto needed = plan.prepare(exec, columns, Mode::NoTranspose).bytes();
  spmm(exec, plan, enlarged, x, y);
  exec.fence();
  EXPECT_GE(enlarged.bytes(), needed);
  Graph(stream.get(), [&] { spmm(exec, plan, enlarged, x, y); });
  if (small.bytes() >= needed) GTEST_SKIP() << "the format needs no more than the rows";
  Graph(stream.get(), [&] {
    EXPECT_MESSAGE(std::logic_error, spmm(exec, plan, small, x, y), "a graph is being captured");
    spmm(exec, plan, enlarged, x, y);
  });
}

TEST(CudaGraph, ReplaysReorderedRows) {
  PlanOptions options;
  options.reordering = Reordering::WindowGrowing;
  options.always_reorder = true;
  expect_replays_of<double>(several_kinds_of_rows(), options);
}

TEST(CudaGraph, ReplaysTensorCoresOfFloat) {
  if (Exec().cuda_device_prop().major < 8) GTEST_SKIP() << "the GPU has no tensor cores for TF32";
  for (const Format format : {Format::BitTcf, Format::Bmat}) {
    PlanOptions options = with_format(format);
    options.precision = Precision::Tf32x3;
    expect_replays_of<float>(several_kinds_of_rows(), options);
  }
}

/// Captures a product on each of two streams, and replays both at the same time.
TEST(CudaGraph, TwoStreamsReplayOnePlanAtOnce) {
  constexpr int columns = 16, rounds = 50;
  const CudaMatrix<double> A(several_kinds_of_rows());
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    const Stream first, second;
    const Exec instances[] = {Exec(first.get()), Exec(second.get())};
    const Stream* streams[] = {&first, &second};
    std::vector<Left<double>> x, y, expected;
    std::vector<Workspace<Exec>> work;
    std::vector<std::unique_ptr<Graph>> graphs;
    for (std::size_t s = 0; s < 2; ++s) {
      x.emplace_back("x", A.host.columns, columns);
      y.emplace_back("y", A.host.rows, columns);
      expected.emplace_back("expected", A.host.rows, columns);
      work.push_back(plan.prepare(instances[s], columns, Mode::NoTranspose));
      fill_randomly(instances[s], x[s], s + 1);
      spmm(instances[s], plan, work[s], Mode::NoTranspose, 1.0, x[s], 0.0, expected[s]);
      instances[s].fence();
      graphs.push_back(std::make_unique<Graph>(
          streams[s]->get(), [&] { spmm(instances[s], plan, work[s], Mode::NoTranspose, 1.0, x[s], 0.0, y[s]); }));
      ASSERT_GE(graphs[s]->nodes(), 1u);
    }
    for (int round = 0; round < rounds; ++round)
      for (std::size_t s = 0; s < 2; ++s) graphs[s]->launch(streams[s]->get());
    for (std::size_t s = 0; s < 2; ++s) {
      instances[s].fence();
      EXPECT_EQ(different_elements(instances[s], y[s], expected[s]), 0) << to_string(format) << ", stream " << s;
    }
  }
}

}  // namespace Tessera::Impl::Test

#endif
