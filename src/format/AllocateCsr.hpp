// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arena.hpp>

namespace Tessera::Impl {

/// Allocates the arrays of a pattern, but does not fill them.
template <class Exec>
Csr<typename Exec::memory_space> allocate_csr(const Exec& exec, Ordinal rows, Ordinal columns, std::size_t nonzeros) {
  using Memory = typename Exec::memory_space;
  Csr<Memory> csr{rows, columns, nonzeros, {}, {}};
  take_at_once<Memory>(exec, "Tessera::Csr", [&](Arena<Memory>& arena) {
    arena.take(csr.column_indices, nonzeros);  // first, hence aligned: kernels read several at once
    arena.take_behind(csr.row_offsets, static_cast<std::size_t>(rows) + 1);
  });
  return csr;
}

}  // namespace Tessera::Impl
