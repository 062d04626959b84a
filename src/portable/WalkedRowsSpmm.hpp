// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "DecodedRows.hpp"
#include "DeviceSpmm.hpp"
#include "HostSpmm.hpp"

namespace Tessera::Impl {

/// The product with any format whose rows can be walked along (for_each_entry), on host and device.
template <class ExecutionSpace, class Pattern, class MatrixScalar, class VectorScalar>
void multiply_walked_rows(const char* label, const ExecutionSpace& exec, const Pattern& A, std::size_t nonzeros,
                          const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  if constexpr (is_host_space_v<ExecutionSpace>) {
    multiply_decoded(label, exec, A, nonzeros, product, scratch);
  } else {
    multiply_rows(label, exec, A, product);
  }
}

}  // namespace Tessera::Impl
