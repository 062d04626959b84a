// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/common/Complex.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/portable/Spmm.hpp>

#include "Slabs.hpp"

namespace Tessera::Impl {

template <class ExecutionSpace, class VectorScalar>
std::size_t spmm_scratch_bytes(Ordinal x_rows, Ordinal columns) {
  if (columns < 2) return 0;
  constexpr Ordinal lane = is_host_space<ExecutionSpace> ? 1 : lane_elements<VectorScalar>;
  const Ordinal slab = std::min(window_count(columns, lane) * lane, slab_columns<VectorScalar>);
  return static_cast<std::size_t>(std::max(x_rows, 1)) * static_cast<std::size_t>(slab) * sizeof(VectorScalar);
}

/// Calls body(i, j) for all elements. Elements that are adjacent in the memory of Y follow each other.
template <class ExecutionSpace, class VectorScalar, class Body>
static void for_each_element(const char* label, const ExecutionSpace& exec, const Multivector<VectorScalar>& y,
                             const Body& body) {
  const bool column_major = y.row_stride < y.column_stride;
  const std::int64_t inner = column_major ? y.rows : y.columns;
  const std::int64_t elements = std::int64_t(y.rows) * y.columns;
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, elements),
      KOKKOS_LAMBDA(std::int64_t e) {
        const auto fast = static_cast<Ordinal>(e % inner);
        const auto slow = static_cast<Ordinal>(e / inner);
        column_major ? body(fast, slow) : body(slow, fast);
      });
}

template <class VectorScalar>
struct ScaleElement {
  using Sum = sum_of_t<VectorScalar>;
  Sum beta;
  Multivector<VectorScalar> y;
  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal j) const {
    y(i, j) = beta == Sum(0) ? VectorScalar(Sum(0)) : VectorScalar(beta * Sum(y(i, j)));
  }
};
template <class Half>
struct WidenElement {
  Multivector<const Half> x;
  Multivector<float> y;
  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal j) const { y(i, j) = float(x(i, j)); }
};
template <class Half>
struct AddRoundedElement {
  Multivector<const float> sums;
  float beta;
  Multivector<Half> y;
  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal j) const {
    y(i, j) = Half(beta == 0 ? sums(i, j) : sums(i, j) + beta * float(y(i, j)));
  }
};
template <class VectorScalar>
struct CopyElement {
  Multivector<const VectorScalar> x;
  Multivector<VectorScalar> y;
  KOKKOS_FUNCTION void operator()(Ordinal i, Ordinal j) const { y(i, j) = x(i, j); }
};

template <class ExecutionSpace, class VectorScalar>
void scale(const ExecutionSpace& exec, sum_of_t<VectorScalar> beta, const Multivector<VectorScalar>& y) {
  Impl::for_each_element("Tessera::scale", exec, y, Impl::ScaleElement<VectorScalar>{beta, y});
}

template <class ExecutionSpace, class VectorScalar>
void copy(const ExecutionSpace& exec, const Multivector<const VectorScalar>& x, const Multivector<VectorScalar>& y) {
  Impl::for_each_element("Tessera::copy", exec, y, Impl::CopyElement<VectorScalar>{x, y});
}

template <class ExecutionSpace, class Half>
void widen(const ExecutionSpace& exec, const Multivector<const Half>& x, const Multivector<float>& y) {
  Impl::for_each_element("Tessera::widen", exec, y, Impl::WidenElement<Half>{x, y});
}

template <class ExecutionSpace, class Half>
void add_rounded(const ExecutionSpace& exec, const Multivector<const float>& sums, float beta,
                 const Multivector<Half>& y) {
  Impl::for_each_element("Tessera::add_rounded", exec, y, Impl::AddRoundedElement<Half>{sums, beta, y});
}

#define TESSERA_INSTANTIATE(Exec, V)                                  \
  template std::size_t spmm_scratch_bytes<Exec, V>(Ordinal, Ordinal); \
  template void scale(const Exec&, V, const Multivector<V>&);         \
  template void copy(const Exec&, const Multivector<const V>&, const Multivector<V>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)

#define TESSERA_INSTANTIATE_HALF(Exec, V)                                                   \
  template void scale(const Exec&, float, const Multivector<V>&);                           \
  template void widen(const Exec&, const Multivector<const V>&, const Multivector<float>&); \
  template void add_rounded(const Exec&, const Multivector<const float>&, float, const Multivector<V>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_HALF, TESSERA_INSTANTIATE_HALF)

}  // namespace Tessera::Impl
