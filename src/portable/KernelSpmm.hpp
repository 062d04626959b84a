// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "DeviceSpmm.hpp"
#include "HostSpmm.hpp"

namespace Tessera::Impl {

/// The product with a format that has a host kernel for its windows [first, last), and for_each_entry for devices.
///
/// \param kernel_of [in] takes the table of host kernels and returns that of the format
template <class ExecutionSpace, class Pattern, class MatrixScalar, class VectorScalar, class KernelOf>
void multiply_by_kernel(const char* label, const ExecutionSpace& exec, const Pattern& A, std::size_t nonzeros,
                        const Product<MatrixScalar, VectorScalar>& product, Scratch scratch,
                        const KernelOf& kernel_of) {
  using Offset = typename Pattern::offset_type;
  if constexpr (is_host_space_v<ExecutionSpace>) {
    const auto kernel = kernel_of(host_kernels<MatrixScalar, VectorScalar, Offset>(simd_target()));
    for_each_slab<ExecutionSpace, Offset>(exec, nonzeros, product, scratch, [&](const auto& slab) {
      parallel_for_balanced(
          label, exec, A.windows(), [=](Ordinal window) { return entries_before(A, window); },
          [=](Ordinal first, Ordinal last) { kernel(A, slab, first, last); });
    });
  } else {
    multiply_rows(label, exec, A, product);
  }
}

}  // namespace Tessera::Impl
