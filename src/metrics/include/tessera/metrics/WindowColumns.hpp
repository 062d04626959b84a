// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <tessera/common/Csr.hpp>

namespace Tessera {

/// The distinct columns in windows of adjacent rows, summed over the windows: how many rows of X a kernel gathers that
/// keeps those of a window at hand.
struct WindowColumns {
  int window_rows = 0;
  std::size_t columns = 0;
  std::size_t tiles = 0;         ///< those of 8 columns that each window's fill
  std::size_t most_columns = 0;  ///< of a window
  double reuse = 0;  ///< nonzeros a distinct column: how many entries one gathered row of X serves; 0 without any
};

/// For windows of 8, 16, 32, 64 and 128 rows.
///
/// \param A        [in] canonical
/// \param nonzeros [in] of A
///
/// Cost: a pass over the entries, which enters the columns of 128 rows at a time into hash tables; memory for those of
/// an eighth of the entries, or of 2^18 (2^21 on devices), 30 bytes an entry. Waits for `exec`.
template <class ExecutionSpace, class Offset>
std::array<WindowColumns, 5> window_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                            std::size_t nonzeros);

/// Bytes that window_columns() allocates at once.
template <class ExecutionSpace, class Offset>
std::size_t window_columns_bytes(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros);

}  // namespace Tessera
