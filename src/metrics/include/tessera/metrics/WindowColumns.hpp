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
  double reuse = 0;  ///< nonzeros a distinct column: how many entries one gathered row of X serves; 0 without any
};

/// For windows of 8, 16, 32, 64 and 128 rows.
///
/// \param A        [in] canonical
/// \param nonzeros [in] of A
///
/// Cost: the distinct columns of 8 rows are listed, then those of two windows at a time merged, a pass each; memory for
/// two lists as long as A's column indices. Waits for `exec`.
template <class ExecutionSpace, class Offset>
std::array<WindowColumns, 5> window_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                            std::size_t nonzeros);

}  // namespace Tessera
