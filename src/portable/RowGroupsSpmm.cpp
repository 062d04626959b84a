// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>

#include "KernelSpmm.hpp"

namespace Tessera {

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const RowGroupsPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  Impl::multiply_by_kernel("Tessera::row_groups_spmm", exec, A, nonzeros, product, scratch,
                           [](const auto& kernels) { return kernels.row_groups; });
}

#define TESSERA_INSTANTIATE(Exec, M, V, Offset) \
  template void portable_spmm(const Exec&, const RowGroupsPattern<Offset>&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)

}  // namespace Tessera
