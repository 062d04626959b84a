// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "csr/cuda/RowCounts.hpp"

namespace Tessera::Impl {

/// Counts the rows of a canonical pattern for all lengths of pieces at once. Waits once.
template <class ExecutionSpace>
Cuda::CsrRowCounts count_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                              const Cuda::CsrPieceLengths& lengths) {
  Cuda::CsrRowCounts counts;
  Kokkos::parallel_reduce(
      "Tessera::count_rows", IndexPolicy<ExecutionSpace>(exec, 0, static_cast<std::size_t>(A.rows)),
      KOKKOS_LAMBDA(std::size_t row, Cuda::CsrRowCounts & sum) { sum.add_row(A, static_cast<Ordinal>(row), lengths); },
      counts);
  return counts;
}

}  // namespace Tessera::Impl
