// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <tessera/common/Complex.hpp>
#include <tessera/cuda/PackRows.hpp>
#include <vector>

#include "DeviceMemory.hpp"

namespace Tessera::Impl::Cuda {
namespace {

using Test::OnDevice;

template <class Scalar>
void check(int rows, int columns, int row_stride) {
  const std::ptrdiff_t column_stride = rows + 3;
  std::vector<Scalar> x(static_cast<std::size_t>(columns * column_stride));
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = Scalar(static_cast<float>(k + 1));
  const OnDevice<Scalar> from(x), to(std::vector<Scalar>(static_cast<std::size_t>(rows * row_stride), Scalar(-1.0f)));
  pack_rows<Scalar>(nullptr, {from.data(), rows, columns, 1, column_stride}, to.data(), row_stride);
  const std::vector<Scalar> packed = to.to_host();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < row_stride; ++j) {
      const Scalar expected = j < columns ? x[static_cast<std::size_t>(i + j * column_stride)] : Scalar(0.0f);
      ASSERT_EQ(packed[static_cast<std::size_t>(i * row_stride + j)], expected)
          << i << ", " << j << " of " << rows << " x " << columns << ", rows " << row_stride << " apart";
    }
  }
}

template <class Scalar>
class PackRows : public ::testing::Test {};
using EveryScalar = ::testing::Types<float, double, Complex<float>, Complex<double>>;
TYPED_TEST_SUITE(PackRows, EveryScalar);

TYPED_TEST(PackRows, EveryElementAndZerosBehind) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int rows : {1, 31, 32, 33, 257, 1025}) {
    for (const int columns : {1, 2, 3, 8, 31, 32, 33, 65}) {
      for (const int gap : {0, 1, 5}) {
        if (!Test::is_chosen(9)) continue;
        check<TypeParam>(rows, columns, columns + gap);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

// A kernel that starts does not report an earlier error of CUDA that was never queried.
TEST(Launch, ErrorsBeforeAreNotTheKernels) {
  TESSERA_SKIP_WITHOUT_GPU();
  void* too_much = nullptr;
  ASSERT_NE(cudaMalloc(&too_much, std::size_t(1) << 60), cudaSuccess);
  EXPECT_NO_THROW(check<float>(33, 3, 4));
  EXPECT_NE(cudaGetLastError(), cudaSuccess) << "still its caller's";
}

}  // namespace
}  // namespace Tessera::Impl::Cuda
