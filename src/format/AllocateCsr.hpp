// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>

namespace Tessera::Impl {

/// A pattern whose arrays have their lengths and hold nothing yet.
template <class Offset, class Exec>
Csr<typename Exec::memory_space> allocate_csr(const Exec& exec, Ordinal rows, Ordinal columns, std::size_t nonzeros) {
  Csr<typename Exec::memory_space> csr{rows, columns, nonzeros, {}, {}};
  csr.row_offsets =
      allocate<decltype(csr.row_offsets)>(exec, "Tessera::Csr::row_offsets", static_cast<std::size_t>(rows) + 1);
  csr.column_indices = allocate<decltype(csr.column_indices)>(exec, "Tessera::Csr::column_indices", nonzeros);
  return csr;
}

}  // namespace Tessera::Impl
