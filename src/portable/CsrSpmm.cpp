// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>

#include "DeviceSpmm.hpp"
#include "HostSpmm.hpp"

namespace Tessera {

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void csr_spmm(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  if constexpr (Impl::is_host_space_v<ExecutionSpace>) {
    const auto kernel = Impl::host_kernels<MatrixScalar, VectorScalar, Offset>(Impl::simd_target()).csr;
    Impl::for_each_slab<ExecutionSpace, Offset>(exec, nonzeros, product, scratch, [&](const auto& slab) {
      Impl::parallel_for_balanced(
          "Tessera::csr_spmm", exec, A.rows, [=](Ordinal row) { return A.row_offsets[row]; },
          [=](Ordinal first, Ordinal last) { kernel(A, slab, first, last); });
    });
  } else {
    Impl::for_each_element(
        "Tessera::csr_spmm", exec, product, KOKKOS_LAMBDA(Ordinal row, Ordinal column) {
          auto sum = VectorScalar(0);
          for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
            sum += Impl::term(product, k, A.column_indices[k], column);
          }
          return sum;
        });
  }
}

#define TESSERA_INSTANTIATE(Exec, M, V, Offset) \
  template void csr_spmm(const Exec&, const CsrPattern<Offset>&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)

}  // namespace Tessera
