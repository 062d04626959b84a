// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>

#include "DevicePack.hpp"
#include "DeviceProduct.hpp"
#include "DeviceSpmm.hpp"
#include "HostSpmm.hpp"
#include "WindowSpmm.hpp"

/// The product for every format that can be visited by rows (on devices) or by windows (on hosts). Each engine
/// instantiates it for its format.
namespace Tessera::Impl {

/// Multiplies the windows [first, last) on a host. Formats that plans choose on hosts have overloads in namespace
/// Tessera.
template <class Pattern, class MatrixScalar, class VectorScalar>
void multiply_windows(const Pattern& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                      Ordinal last) {
  WindowSums<Pattern, MatrixScalar, VectorScalar> sums(A, product, simd_target());
  for (Ordinal window = first; window < last; ++window) sums.multiply(window);
}

template <class ExecutionSpace, class Pattern, class MatrixScalar, class VectorScalar>
void portable_spmm(const ExecutionSpace& exec, const Pattern& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    using Impl::multiply_windows;
    Impl::for_each_slab<ExecutionSpace>(exec, nonzeros, product, scratch, [&](const auto& slab) {
      Impl::parallel_for_balanced(
          Pattern::label, exec, A.windows(), [=](Ordinal window) { return entries_before(A, window); },
          [=](Ordinal first, Ordinal last) { multiply_windows(A, slab, first, last); });
    });
  } else if constexpr (has_row_entries<Pattern>) {
    constexpr Ordinal usual_columns = 8;
    const RowSchedule schedule =
        choose_row_schedule(A.rows, static_cast<double>(nonzeros), {}, usual_columns, sizeof(VectorScalar));
    DeviceProduct<ExecutionSpace, Pattern, MatrixScalar, VectorScalar>(exec, A, nonzeros, schedule, product, scratch)
        .run();
  } else {
    for_each_packed_slab(exec, nonzeros, product, scratch,
                         [&](const auto& slab) { multiply_on_device(exec, A, nonzeros, slab); });
  }
}

}  // namespace Tessera::Impl
