// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that plans launch kernels for NVIDIA GPUs from several threads, with Views of any strides, and without waiting.
// Empty if Kokkos has no CUDA.
#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <thread>

#include "CudaCheck.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

/// Two plans whose kernels need more and less shared memory, each on its own instance and thread.
TEST_F(CudaKernels, TwoThreadsMultiplyByTwoPlans) {
  constexpr int columns = 32, rounds = 500;
  const CudaMatrix<double> wide(shared_windows(300)), narrow(shared_windows(300, 40));
  auto options = cuda_options(Format::Staged);
  std::array plans{wide.plan(options), narrow.plan(options)};
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  std::vector<Workspace<Exec>> work;
  std::vector<Right<double>> x, first, again;
  for (std::size_t t = 0; t < 2; ++t) {
    ASSERT_NE(plans[t].explain().find("staged in shared memory"), std::string::npos) << plans[t].explain();
    x.emplace_back("x", wide.host.columns, columns);
    first.emplace_back("first", wide.host.rows, columns);
    again.emplace_back("again", wide.host.rows, columns);
    fill(instances[t], x[t]);
    work.push_back(plans[t].prepare(instances[t], columns, Mode::NoTranspose));
    spmm(instances[t], plans[t], work[t], Mode::NoTranspose, 1.0, x[t], 0.0, first[t]);
    instances[t].fence();
  }
  std::string errors[2];
  const auto multiply = [&](std::size_t t) {
    try {
      for (int round = 0; round < rounds; ++round)
        spmm(instances[t], plans[t], work[t], Mode::NoTranspose, 1.0, x[t], 0.0, again[t]);
      instances[t].fence();
    } catch (const std::exception& error) {
      errors[t] = error.what();
    }
  };
  std::thread other(multiply, 1);
  multiply(0);
  other.join();
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(errors[t], "");
    EXPECT_EQ(different_elements(instances[t], first[t], again[t]), 0) << "of plan " << t;
  }
}

/// X with a single row and a row stride beyond 32 bits.
TEST_F(CudaKernels, RowsOfXFarApart) {
  HostPattern<int> column;
  column.columns = 1;
  for (int row = 0; row < 100; ++row) {
    column.column_indices.push_back(0);
    column.end_row();
  }
  const CudaMatrix<double> A(column);
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    auto work = plan.prepare(Exec(), 8, Mode::NoTranspose);
    const Right<double> x("x", 1, 8), expected("expected", 100, 8), y("y", 100, 8);
    fill(Exec(), x);
    spmm(Exec(), plan, work, Mode::NoTranspose, 1.0, x, 0.0, expected);
    const Strided<double> far(x.data(), Kokkos::LayoutStride(1, std::size_t(1) << 30, 8, 1));
    spmm(Exec(), plan, work, Mode::NoTranspose, 1.0, far, 0.0, y);
    EXPECT_EQ(different_elements(Exec(), y, expected), 0) << to_string(format);
  }
}

TEST_F(CudaKernels, ViewsOfAnyStrides) {
  const CudaMatrix<double> A(shared_windows(300));
  for (const Format format : {Format::Auto, Format::BitTcf, Format::Bmat, Format::Csr, Format::Staged}) {
    auto plan = A.plan(cuda_options(format));
    auto work = plan.prepare(Exec(), 35, Mode::NoTranspose);
    const Right<double> x("x", A.host.columns, 35), y("y", A.host.rows, 35), expected("expected", A.host.rows, 35);
    fill(Exec(), x);
    spmm(Exec(), plan, work, Mode::NoTranspose, 1.0, x, 0.0, expected);
    // Views of every second row and third column of larger arrays.
    const Strided<double> far_x("x", Kokkos::LayoutStride(A.host.columns, 2, 35, 6 * A.host.columns));
    const Strided<double> far_y("y", Kokkos::LayoutStride(A.host.rows, 2, 35, 6 * A.host.rows));
    Kokkos::deep_copy(far_x, x);
    spmm(Exec(), plan, work, Mode::NoTranspose, 1.0, far_x, 0.0, far_y);
    Kokkos::deep_copy(y, far_y);
    EXPECT_EQ(different_elements(Exec(), y, expected), 0) << to_string(format);
  }
}

/// Sets and returns a CUDA error that Tessera cannot cause, like a mistake elsewhere in a program.
cudaError_t leave_an_error() { return cudaSetDevice(-1); }

/// Products do not report an earlier CUDA error of other code, and preserve it, so that code can query it.
template <class Scalar>
void expect_errors_of_others_stay(Precision asked) {
  const CudaMatrix<Scalar> A(uneven_windows()), other(A.host, 5);
  const Exec exec;
  for (const Format format : every_format) {
    const std::string what = std::string(to_string(format)) + ", " + std::string(to_string(asked));
    const Left<Scalar> x("x", A.host.columns, 35), y("y", A.host.rows, 35), expected("expected", A.host.rows, 35);
    fill(exec, x);
    auto right = other.plan(cuda_options(format, asked));
    auto right_work = right.prepare(exec, 35, Mode::NoTranspose);
    spmm(exec, right, right_work, Mode::NoTranspose, Scalar(1), x, Scalar(0), expected);
    right.prepare(exec, 35, Mode::Transpose);
    right.update_values(exec, other.values);
    exec.fence();
    ASSERT_EQ(cudaGetLastError(), cudaSuccess) << what << ": without an error of others";
    const cudaError_t left = leave_an_error();
    ASSERT_NE(left, cudaSuccess);
    try {
      auto plan = A.plan(cuda_options(format, asked));
      EXPECT_EQ(cudaPeekAtLastError(), left) << what << ": make_plan";
      auto work = plan.prepare(exec, 35, Mode::NoTranspose);
      plan.prepare(exec, 35, Mode::Transpose);
      EXPECT_EQ(cudaPeekAtLastError(), left) << what << ": prepare";
      plan.update_values(exec, other.values);
      EXPECT_EQ(cudaPeekAtLastError(), left) << what << ": update_values";
      spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), x, Scalar(0), y);
      exec.fence();
    } catch (const std::exception& error) {
      ADD_FAILURE() << what << ": " << error.what();
    }
    EXPECT_EQ(cudaGetLastError(), left) << what << ": spmm";
    EXPECT_EQ(different_elements(exec, y, expected), 0) << what;
  }
}

TEST_F(CudaKernels, ErrorsOfOthersAreTheirs) {
  expect_errors_of_others_stay<double>(Precision::Native);
  expect_errors_of_others_stay<float>(Precision::Tf32);
  expect_errors_of_others_stay<float>(Precision::Fp16);
}

template <class Scalar>
std::size_t csr_workspace_bytes_of(int columns) {
  const CudaMatrix<Scalar> A(uneven_windows());
  auto plan = A.plan(with_format(Format::Csr));
  return plan.prepare(Exec(), columns, Mode::NoTranspose).bytes();
}

/// Workspaces for float are half as large, even if kernels multiply fewer columns of double at a time.
TEST_F(CudaKernels, WorkspacesOfFloatsAreHalfAsLarge) {
  for (const int columns : {32, 128, 200}) {
    EXPECT_EQ(2 * csr_workspace_bytes_of<float>(columns), csr_workspace_bytes_of<double>(columns)) << columns;
  }
}

template <class Scalar>
void expect_no_waiting(Precision asked) {
  const CudaMatrix<Scalar> A(uneven_windows());
  const Exec exec;
  for (const Format format : every_format) {
    auto plan = A.plan(cuda_options(format, asked));
    auto work = plan.prepare(exec, 130, Mode::NoTranspose);
    const Left<Scalar> x("x", A.host.columns, 130), y("y", A.host.rows, 130);
    exec.fence();
    const ToolEvents events;
    spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), x, Scalar(0), y);
    EXPECT_EQ(events.executions(), 1u);
    EXPECT_EQ(events.allocations(), 0u) << events.text();
    // Kokkos waits before it reports a kernel to a tool.
    EXPECT_EQ(events.fences(""), events.fences("Kokkos::Tools::")) << to_string(format) << '\n' << events.text();
  }
}

TEST_F(CudaKernels, ProductsAllocateNothingAndDoNotWait) {
  expect_no_waiting<double>(Precision::Native);
  expect_no_waiting<float>(Precision::Tf32);
  expect_no_waiting<float>(Precision::Bf16);
}

}  // namespace Tessera::Impl::Test

#endif
