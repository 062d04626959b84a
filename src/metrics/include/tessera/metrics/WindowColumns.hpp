// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <tessera/common/Csr.hpp>

namespace Tessera::Impl {

/// The distinct columns of each window of adjacent rows, summed over the windows. A kernel that keeps the rows of X of
/// a window gathers that many rows.
struct WindowColumns {
  int window_rows = 0;           ///< rows of a window
  std::size_t columns = 0;       ///< distinct columns, summed over the windows
  std::size_t tiles = 0;         ///< tiles of 8 columns, each in one window
  std::size_t most_columns = 0;  ///< maximum of the distinct columns of a window
  double reuse = 0;  ///< nonzeros / columns: the number of entries that use one gathered row of X; 0 without entries
};

/// Counts the columns of windows of 8, 16, 32, 64 and 128 rows.
///
/// \param exec     [in] the instance to run on; the call waits for it
/// \param A        [in] a canonical pattern
/// \param nonzeros [in] the number of its nonzeros
///
/// Cost: a pass over the entries, which enters the columns of 128 rows at a time into hash tables. Memory: 30 bytes an
/// entry, for the larger of an eighth of the entries and 2^18 entries (2^21 on devices).
template <class ExecutionSpace, class Offset>
std::array<WindowColumns, 5> window_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                            std::size_t nonzeros);

}  // namespace Tessera::Impl
