// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of docs/guides/gpu.md about streams and graphs. Empty if Kokkos has no CUDA.
#include "Documents.hpp"

#ifdef KOKKOS_ENABLE_CUDA
namespace Tessera::Documents {

namespace {

class Gpu : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&left_, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&right_, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    cudaStreamDestroy(left_);
    cudaStreamDestroy(right_);
  }

  cudaStream_t left_ = nullptr, right_ = nullptr;
};

TEST_F(Gpu, TwoStreamsMultiply) {
  const auto A = make_matrix<double>();
  const auto X1 = make_block<double>(A.columns, 64, 1), X2 = make_block<double>(A.columns, 64, 2);
  const auto Y1 = make_block<double>(A.rows, 64, 0), Y2 = make_block<double>(A.rows, 64, 0);
  const PlanOptions options = {};
  const cudaStream_t left_stream = left_, right_stream = right_;
  Kokkos::fence();

  const Kokkos::Cuda left(left_stream), right(right_stream);
  auto plan = Tessera::make_plan(left, A, X1, options);
  auto left_work = plan.prepare(left, 64);
  auto right_work = plan.prepare(right, 64);
  Tessera::spmm(left, plan, left_work, X1, Y1);
  Tessera::spmm(right, plan, right_work, X2, Y2);  // at the same time

  left.fence();
  right.fence();
  EXPECT_EQ(element(Y1, 0, 63), first_sum);
  EXPECT_EQ(element(Y2, 0, 63), 2 * first_sum);
}

TEST_F(Gpu, AGraphTakesNewValues) {
  const Kokkos::Cuda exec(left_);
  const auto A = make_matrix<double>();
  const auto X = make_block<double>(A.columns, 8, 1), Y = make_block<double>(A.rows, 8, 0);
  const Kokkos::View<double*, Space> values("values", A.values.extent(0));
  Kokkos::fence();
  auto plan = make_plan(exec, A, X);
  auto work = plan.prepare(exec, 8);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;

  Tessera::spmm(exec, plan, work, X, Y);  // the first product loads the kernels
  exec.fence();
  cudaStreamBeginCapture(exec.cuda_stream(), cudaStreamCaptureModeGlobal);
  Tessera::spmm(exec, plan, work, X, Y);
  cudaStreamEndCapture(exec.cuda_stream(), &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  plan.update_values(exec, values);  // needs no new graph
  cudaGraphLaunch(executable, exec.cuda_stream());

  exec.fence();
  EXPECT_EQ(element(Y, 0, 7), 0);  // the new values are 0
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

}  // namespace

}  // namespace Tessera::Documents
#endif
