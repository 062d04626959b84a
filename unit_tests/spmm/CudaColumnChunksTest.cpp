// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests plans that multiply a single column in chunks in shared memory. Empty if Kokkos has no CUDA.
#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include "CudaCheck.hpp"

namespace Tessera::Impl::Test {

namespace {

/// Checks a single column with rows that are spread over several chunks of it. The transpose has one chunk.
template <class Scalar>
void check_column_chunks(const HostPattern<int>& pattern) {
  const CudaMatrix<Scalar> A(pattern), other(pattern, 77);
  ASSERT_GE(A.host.nonzeros(), 50000u * Exec().cuda_device_prop().multiProcessorCount) << "too few for chunks";
  auto options = cuda_options(Format::Csr);
  options.reordering = Reordering::None;
  const std::string kernel = "compressed rows on CUDA cores", chunks = ", a single column in chunks in shared memory";
  options.hints.num_vectors = 33;
  EXPECT_EQ(kernels_of(A.plan(options)), kernel);
  options.hints.num_vectors = 0;
  EXPECT_EQ(kernels_of(A.plan(options)), kernel + chunks) << "the first product may have one column";
  options.hints.num_vectors = 32;
  auto wide = A.plan(options);
  EXPECT_EQ(kernels_of(wide), kernel + chunks);
  expect_case<Right<Scalar>>(A, wide, {1, Mode::NoTranspose, 1, 0}, "a plan for 32 columns");
  options.hints.num_vectors = 1;
  auto plan = A.plan(options);
  EXPECT_EQ(kernels_of(plan), kernel + chunks);
  EXPECT_GE(plan.kernel_bytes(), 4 * 2500 * 16u);
  for (const auto& [alpha, beta] : {std::pair(1.0, 0.0), std::pair(1.5, 0.5)}) {
    expect_case<Right<Scalar>>(A, plan, {1, Mode::NoTranspose, alpha, beta}, kernel + chunks);
    expect_case<Right<Scalar>>(A, plan, {1, Mode::Transpose, alpha, beta}, kernel + chunks);
    expect_case<Right<Scalar>>(A, plan, {5, Mode::NoTranspose, alpha, beta}, "five columns");
  }
  if constexpr (std::is_same_v<Scalar, float>)
    expect_case<Right<double>>(A, plan, {1, Mode::NoTranspose, 1.5, 0.5}, "vectors of double");
  plan.update_values(Exec(), other.values);
  expect_case<Right<Scalar>>(other, plan, {1, Mode::NoTranspose, 1, 0}, "new values");
  options.same_bits_alone = true;
  auto in_order = A.plan(options);
  EXPECT_EQ(kernels_of(in_order), kernel);
  plan.update_values(Exec(), A.values);
  const Right<Scalar> x("x", A.host.columns, 1), y("y", A.host.rows, 1), other_y("other y", A.host.rows, 1);
  fill(Exec(), x);
  spmm(Exec(), plan, x, y);
  spmm(Exec(), in_order, x, other_y);
  EXPECT_GT(different_elements(Exec(), y, other_y), 0) << "chunks add in another order";
}

}  // namespace

TEST_F(CudaKernels, ChunksOfASingleColumn) {
  const auto pattern = random_pattern<int>(2500, 240000, 0.014, 5, 7);
  check_column_chunks<double>(pattern);
  check_column_chunks<float>(pattern);
}

}  // namespace Tessera::Impl::Test

#endif
