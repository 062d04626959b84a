// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <tessera/common/Csr.hpp>

namespace Tessera::Impl {

/// The number of distinct columns of windows of adjacent rows, summed over the windows. A kernel that keeps the rows of
/// X that a window needs gathers this many rows.
struct WindowColumns {
  int window_rows = 0;           ///< rows of a window
  std::size_t columns = 0;       ///< distinct columns, summed over the windows
  std::size_t tiles = 0;         ///< number of tiles of 8 columns; a tile is in one window
  std::size_t most_columns = 0;  ///< largest number of distinct columns of a window
  double reuse = 0;              ///< nonzeros / columns: how many entries use a gathered row of X; 0 without entries
};

/// Counts the distinct columns of windows of 8, 16, 32, 64 and 128 rows.
///
/// \param exec     [in] the instance to run on; the call waits for it
/// \param A        [in] a canonical pattern
/// \param nonzeros [in] the number of its nonzeros
/// \param one_in   [in] a power of two: a hash picks one in this number of columns, whose counts stand for all of them.
///                      With 1 the counts are exact
///
/// Cost: a pass over the entries, in which hash tables hold the columns of 128 rows each. Memory: 30 bytes per entry
/// for an eighth of the entries or, if that is more, for 2^18 entries (2^21 on devices).
template <class ExecutionSpace, class Offset>
std::array<WindowColumns, 5> window_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                            std::size_t nonzeros, unsigned one_in = 1);

}  // namespace Tessera::Impl
