// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/format/Csr.hpp>

namespace Tessera {

/// The rows of A in another order: row i is row order(i) of A. The values are where the map says in A's.
///
/// \param A     [in] canonical
/// \param order [in] each of A's rows once
///
/// Cost: one pass over the entries.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> permute_rows(
    const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
    const Kokkos::View<Ordinal*, typename ExecutionSpace::memory_space>& order);

/// The columns of A in another order: column j is column order(j) of A. Canonical again, and with a map like that of
/// permute_rows.
///
/// Cost: a radix sort of the entries.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> permute_columns(
    const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
    const Kokkos::View<Ordinal*, typename ExecutionSpace::memory_space>& order);

}  // namespace Tessera
