// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/common/BcsrView.hpp>
#include <tessera/common/BitTcfView.hpp>
#include <tessera/common/BlockRowPartitionView.hpp>
#include <tessera/common/BmatView.hpp>
#include <tessera/common/RowGroupsView.hpp>
#include <tessera/common/StagedView.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>

#include "DeviceSpmm.hpp"
#include "HostSpmm.hpp"
#include "WindowSpmm.hpp"

namespace Tessera {

/// The formats whose windows are multiplied apart, with the names that profilers see.
#define TESSERA_FOR_EACH_PATTERN(M, ...)                        \
  M(CsrPattern, "Tessera::csr_spmm", __VA_ARGS__)               \
  M(BitTcfPattern, "Tessera::bittcf_spmm", __VA_ARGS__)         \
  M(BmatPattern, "Tessera::bmat_spmm", __VA_ARGS__)             \
  M(BlockRowPartitionPattern, "Tessera::brp_spmm", __VA_ARGS__) \
  M(BcsrPattern, "Tessera::bcsr_spmm", __VA_ARGS__)             \
  M(StagedWindowsPattern, "Tessera::staged_spmm", __VA_ARGS__)  \
  M(RowGroupsPattern, "Tessera::row_groups_spmm", __VA_ARGS__)

namespace Impl {

#define TESSERA_NAME(Pattern, name, ...)                  \
  template <class Offset>                                 \
  constexpr const char* name_of(const Pattern<Offset>&) { \
    return name;                                          \
  }
TESSERA_FOR_EACH_PATTERN(TESSERA_NAME)

/// The windows [first, last) of a product on a host. CSR and BitTCF, which a plan may choose for a host, have kernels.
template <class Pattern, class MatrixScalar, class VectorScalar>
void multiply_windows(const Pattern& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                      Ordinal last) {
  using Offset = typename Pattern::offset_type;
  if constexpr (std::is_same_v<Pattern, CsrPattern<Offset>>) {
    host_kernels<MatrixScalar, VectorScalar, Offset>(simd_target()).csr(A, product, first, last);
  } else if constexpr (std::is_same_v<Pattern, BitTcfPattern<Offset>>) {
    host_kernels<MatrixScalar, VectorScalar, Offset>(simd_target()).bittcf(A, product, first, last);
  } else {
    WindowSums<Pattern, MatrixScalar, VectorScalar> sums(A, product, simd_target());
    for (Ordinal window = first; window < last; ++window) sums.multiply(window);
  }
}

}  // namespace Impl

template <class ExecutionSpace, class Pattern, class MatrixScalar, class VectorScalar>
void portable_spmm(const ExecutionSpace& exec, const Pattern& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    Impl::for_each_slab<ExecutionSpace, typename Pattern::offset_type>(
        exec, nonzeros, product, scratch, [&](const auto& slab) {
          Impl::parallel_for_balanced(
              Impl::name_of(A), exec, A.windows(), [=](Ordinal window) { return entries_before(A, window); },
              [=](Ordinal first, Ordinal last) { Impl::multiply_windows(A, slab, first, last); });
        });
  } else {
    Impl::multiply_rows(Impl::name_of(A), exec, A, product);
  }
}

template <class MatrixScalar, class VectorScalar, class Offset>
void multiply_rows_on_host(const CsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product,
                           Ordinal first, Ordinal last) {
  Impl::multiply_windows(A, product, first, last);
}

#define TESSERA_INSTANTIATE_PATTERN(Pattern, name, Exec, M, V, Offset) \
  template void portable_spmm(const Exec&, const Pattern<Offset>&, std::size_t, const Product<M, V>&, Scratch);
#define TESSERA_INSTANTIATE(...) TESSERA_FOR_EACH_PATTERN(TESSERA_INSTANTIATE_PATTERN, __VA_ARGS__)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)

#define TESSERA_INSTANTIATE_ROWS(Ignored, M, V, Offset) \
  template void multiply_rows_on_host(const CsrPattern<Offset>&, const Product<M, V>&, Ordinal, Ordinal);
TESSERA_FOR_EACH_PRODUCT(, TESSERA_INSTANTIATE_ROWS)

}  // namespace Tessera
