// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>

#include "DeviceSpmm.hpp"
#include "HostSpmm.hpp"

namespace Tessera {

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const BcsrPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  if constexpr (Impl::is_host_space_v<ExecutionSpace>) {
    const auto kernel = Impl::host_kernels<MatrixScalar, VectorScalar, Offset>(Impl::simd_target()).bcsr;
    Impl::for_each_slab<ExecutionSpace, Offset>(exec, nonzeros, product, scratch, [&](const auto& slab) {
      Impl::parallel_for_balanced(
          "Tessera::bcsr_spmm", exec, A.windows(), [=](Ordinal window) { return entries_before(A, window); },
          [=](Ordinal first, Ordinal last) { kernel(A, slab, first, last); });
    });
  } else {
    Impl::multiply_rows("Tessera::bcsr_spmm", exec, A, product);
  }
}

#define TESSERA_INSTANTIATE(Exec, M, V, Offset) \
  template void portable_spmm(const Exec&, const BcsrPattern<Offset>&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)

}  // namespace Tessera
