// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>

#include "DeviceSpmm.hpp"
#include "HostSpmm.hpp"

namespace Tessera {

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void bittcf_spmm(const ExecutionSpace& exec, const BitTcfPattern<Offset>& A, std::size_t nonzeros,
                 const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  if constexpr (Impl::is_host_space_v<ExecutionSpace>) {
    const auto kernel = Impl::host_kernels<MatrixScalar, VectorScalar, Offset>(Impl::simd_target()).bittcf;
    Impl::for_each_slab<ExecutionSpace, Offset>(exec, nonzeros, product, scratch, [&](const auto& slab) {
      Impl::parallel_for_balanced(
          "Tessera::bittcf_spmm", exec, A.windows(),
          [=](Ordinal window) { return A.tile_offsets[A.window_offsets[window]]; },
          [=](Ordinal first, Ordinal last) { kernel(A, slab, first, last); });
    });
  } else {
    Impl::for_each_element(
        "Tessera::bittcf_spmm", exec, product, KOKKOS_LAMBDA(Ordinal row, Ordinal column) {
          auto sum = VectorScalar(0);
          const Ordinal window = row / BitTcfPattern<Offset>::tile_rows;
          const int r = row % BitTcfPattern<Offset>::tile_rows;
          for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
            const std::uint64_t mask = A.tile_masks[tile];
            const std::uint64_t before = mask & ((std::uint64_t(1) << (8 * r)) - 1);
            Offset k = A.tile_offsets[tile] + static_cast<Offset>(Kokkos::popcount(before));
            for (unsigned bits = bittcf_row_mask(mask, r); bits != 0; bits &= bits - 1, ++k) {
              sum += Impl::term(product, k, A.tile_columns[std::size_t(tile) * 8 + Kokkos::countr_zero(bits)], column);
            }
          }
          return sum;
        });
  }
}

#define TESSERA_INSTANTIATE(Exec, M, V, Offset) \
  template void bittcf_spmm(const Exec&, const BitTcfPattern<Offset>&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)

}  // namespace Tessera
