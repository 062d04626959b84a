// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/common/Complex.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>

#include "HostSpmm.hpp"

namespace Tessera {

template <class ExecutionSpace, class VectorScalar>
std::size_t spmm_scratch_bytes(Ordinal x_rows, Ordinal columns) {
  if (!Impl::is_host_space_v<ExecutionSpace> || columns < 2) return 0;
  return static_cast<std::size_t>(std::max(x_rows, 1)) * std::min(columns, Impl::slab_columns<VectorScalar>) *
         sizeof(VectorScalar);
}

template <class ExecutionSpace, class VectorScalar>
void scale(const ExecutionSpace& exec, VectorScalar beta, const Multivector<VectorScalar>& y) {
  const bool column_major = y.row_stride < y.column_stride;
  const std::int64_t inner = column_major ? y.rows : y.columns;
  const std::int64_t elements = std::int64_t(y.rows) * y.columns;
  Kokkos::parallel_for(
      "Tessera::scale", Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, elements),
      KOKKOS_LAMBDA(std::int64_t i) {
        const auto fast = static_cast<Ordinal>(i % inner);
        const auto slow = static_cast<Ordinal>(i / inner);
        VectorScalar& target = column_major ? y(fast, slow) : y(slow, fast);
        target = beta == VectorScalar(0) ? VectorScalar(0) : beta * target;
      });
}

#define TESSERA_INSTANTIATE(Exec, V)                                  \
  template std::size_t spmm_scratch_bytes<Exec, V>(Ordinal, Ordinal); \
  template void scale(const Exec&, V, const Multivector<V>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)

}  // namespace Tessera
