// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests kernels for NVIDIA GPUs that plans of complex matrices choose. Empty if Kokkos has no CUDA.
#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include "CudaCheck.hpp"

namespace Tessera::Impl::Test {

TEST_F(CudaKernels, UnevenRowsOfComplexNumbers) {
  const CudaMatrix<Complex<double>> A(uneven_rows());
  auto plan = A.plan(cuda_options(Format::Auto));
  expect_products<Kokkos::complex<double>>(A, plan, Precision::Native, "complex");
}

TEST_F(CudaKernels, RejectedOptionsOfComplexMatricesAreNamed) {
  const CudaMatrix<Complex<double>> A(uneven_windows());
  const auto message = [&](const PlanOptions& options) {
    return message_of<std::invalid_argument>([&] { A.plan(options); });
  };
  EXPECT_NE(message(cuda_options(Format::Auto, Precision::Fp16)).find("expected native, or on_unsupported"),
            std::string::npos);
  auto published = cuda_options(Format::Auto);
  published.kernel = Kernel::Published;
  EXPECT_NE(message(published).find("the matrix is complex"), std::string::npos);
}

}  // namespace Tessera::Impl::Test

#endif
