// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <tessera/common/Product.hpp>

namespace Tessera::Cuda {

/// For kernels whose formats name rows of X themselves.
template <class MatrixScalar, class Scalar>
void expect_no_x_rows(const char* function, const Product<MatrixScalar, Scalar>& product) {
  if (product.x_rows != nullptr) throw std::invalid_argument(std::string(function) + ": x_rows must be null");
}

}  // namespace Tessera::Cuda
