// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

namespace Tessera::Impl {

/// Permutes the rows of A: row i of the result is row order(i) of A. The map gives each value's place in A's values.
///
/// \param exec     [in] the instance to run on
/// \param A        [in] a canonical pattern
/// \param nonzeros [in] number of entries
/// \param order    [in] a permutation of the rows of A
///
/// Cost: one pass over the entries.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> permute_rows(
    const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
    const Impl::Array<Ordinal*, typename ExecutionSpace::memory_space>& order);

/// Permutes the columns of A: column j of the result is column order(j) of A. The result is canonical. The map gives
/// each value's place in A's values.
///
/// Cost: a radix sort of the entries.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> permute_columns(
    const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
    const Impl::Array<Ordinal*, typename ExecutionSpace::memory_space>& order);

}  // namespace Tessera::Impl
