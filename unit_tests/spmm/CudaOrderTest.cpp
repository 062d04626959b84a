// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of products may begin before the kernels before them on the stream have ended. Tests that they wait before
// they read values or X, or write Y. Empty if Kokkos has no CUDA.
#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <functional>
#include <limits>

#include "CudaCheck.hpp"

namespace Tessera::Impl::Test {

namespace {

/// Copies `source` to `target` in a kernel whose blocks take some microseconds before they write.
template <class View>
void copy_late(const Exec& exec, const View& source, const View& target) {
  using Scalar = typename View::non_const_value_type;
  const auto columns = source.extent(1);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(exec, 0, source.extent(0) * columns), KOKKOS_LAMBDA(std::size_t k) {
        Scalar value = source(k / columns, k % columns);
        for (int i = 0; i < 500; ++i) value = value * Scalar(-1);
        target(k / columns, k % columns) = value;
      });
}

/// Long, short and empty rows: every kernel has pieces that it adds in a second step.
HostPattern<int> several_lengths() {
  Random random(6);
  HostPattern<int> A;
  A.columns = 12000;
  while (A.rows < 6000) {
    const int among = A.rows % 700 == 9 ? 1 : A.rows % 50 == 3 ? 40 : 600;
    for (int j = 0; j < A.columns; ++j)
      if (A.rows % 31 != 0 && random.below(among) == 0) A.column_indices.push_back(j);
    A.end_row();
  }
  return A;
}

/// What tests of the order of work need: X and Y with NaN where nothing was written, and a plan with zeros as values.
template <class Scalar>
struct Operands {
  Operands(const CudaMatrix<Scalar>& A, int columns)
      : x("x", A.host.columns, columns),
        source("source", A.host.columns, columns),
        nan("nan", A.host.columns, columns),
        y("y", A.host.rows, columns),
        expected("expected", A.host.rows, columns),
        zeros("zeros", A.values.extent(0)) {
    const Exec exec;
    fill(exec, source);
    Kokkos::deep_copy(exec, nan, std::numeric_limits<Scalar>::quiet_NaN());
    exec.fence();
  }
  Right<Scalar> x, source, nan, y, expected;
  Kokkos::View<Scalar*, Exec::memory_space> zeros;
};

template <class Scalar>
void expect_waits(const CudaMatrix<Scalar>& A, const PlanOptions& options, int columns) {
  const Exec exec;
  auto plan = A.plan(options);
  auto work = plan.prepare(exec, columns, Mode::NoTranspose);
  Operands<Scalar> o(A, columns);
  spmm(exec, plan, work, o.source, o.expected);
  exec.fence();
  for (int round = 0; round < 10; ++round) {
    copy_late(exec, o.nan, o.x);
    plan.update_values(exec, o.zeros);
    spmm(exec, plan, work, o.x, o.y);  // NaN
    copy_late(exec, o.source, o.x);
    plan.update_values(exec, A.values);
    spmm(exec, plan, work, Mode::NoTranspose, 3, o.x, 0, o.y);
    spmm(exec, plan, work, Mode::NoTranspose, 1, o.x, 0, o.y);
    Kokkos::deep_copy(exec, o.x, o.nan);
    exec.fence();
    ASSERT_EQ(different_elements(exec, o.y, o.expected), 0)
        << to_string(plan.format()) << ", " << columns << " columns, round " << round;
  }
}

}  // namespace

TEST(CudaOrder, ProductsWaitForWhatTheyRead) {
  const CudaMatrix<double> A(several_lengths());
  const CudaMatrix<float> B(A.host);
  for (const Format format : every_format) {
    for (const int columns : {1, 2, 4, 8, 33, 128}) {
      PlanOptions options = with_format(format);
      options.hints.num_vectors = columns;
      options.hints.expected_products = 1000000000;
      expect_waits(A, options, columns);
      expect_waits(B, options, columns);
      options.same_bits_alone = true;
      if (columns == 1) expect_waits(A, options, columns);
    }
  }
}

/// The operation before a product may be a copy, a memset, a host function, or work of another stream. Graphs keep
/// this.
TEST(CudaOrder, ProductsFollowOperationsThatAreNoKernels) {
  const CudaMatrix<double> A(several_lengths());
  for (const int columns : {1, 8, 32}) {
    for (const Format format : {Format::Csr, Format::RowGroups, Format::BitTcf, Format::Staged}) {
      PlanOptions options = with_format(format);
      options.hints.num_vectors = columns;
      options.hints.expected_products = 1000000000;
      auto plan = A.plan(options);
      cudaStream_t streams[2];
      cudaEvent_t events[2];
      for (auto& stream : streams) ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
      for (auto& event : events) ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
      {
        const Exec exec(streams[0]);
        auto work = plan.prepare(exec, columns, Mode::NoTranspose);
        Operands<double> o(A, columns);
        const std::size_t bytes = o.x.size() * sizeof(double);
        spmm(exec, plan, work, Mode::NoTranspose, 1, o.source, 0, o.y);
        spmm(exec, plan, work, Mode::NoTranspose, 1, o.source, 2, o.y);
        Kokkos::deep_copy(exec, o.expected, o.y);
        exec.fence();
        const auto record = [&] {
          cudaMemsetAsync(o.x.data(), 0xff, bytes, streams[0]);  // NaN
          spmm(exec, plan, work, Mode::NoTranspose, 1, o.x, 0, o.y);
          cudaMemcpyAsync(o.x.data(), o.source.data(), bytes, cudaMemcpyDeviceToDevice, streams[0]);
          spmm(exec, plan, work, Mode::NoTranspose, 1, o.x, 0, o.y);
          cudaMemsetAsync(o.x.data(), 0xff, bytes, streams[0]);
          cudaEventRecord(events[0], streams[0]);
          cudaStreamWaitEvent(streams[1], events[0], 0);
          cudaMemcpyAsync(o.x.data(), o.source.data(), bytes, cudaMemcpyDeviceToDevice, streams[1]);
          cudaEventRecord(events[1], streams[1]);
          cudaStreamWaitEvent(streams[0], events[1], 0);
          spmm(exec, plan, work, Mode::NoTranspose, 1, o.x, 2, o.y);
          cudaLaunchHostFunc(
              streams[0], [](void*) {}, nullptr);
        };
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal), cudaSuccess);
        record();
        ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
        const std::function<void()> replay = [&] { cudaGraphLaunch(executable, streams[0]); };
        for (const auto& run : {std::function<void()>(record), replay, replay}) {
          run();
          exec.fence();
          EXPECT_EQ(different_elements(exec, o.y, o.expected), 0) << to_string(format) << ", " << columns;
        }
        cudaGraphExecDestroy(executable);
        cudaGraphDestroy(graph);
      }
      for (auto& event : events) cudaEventDestroy(event);
      for (auto& stream : streams) cudaStreamDestroy(stream);
    }
  }
}

}  // namespace Tessera::Impl::Test

#endif
