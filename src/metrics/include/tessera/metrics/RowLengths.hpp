// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>

namespace Tessera::Impl {

/// Statistics of the number of entries in the rows of a matrix; all 0 if there are no rows.
struct RowLengths {
  double mean = 0;           ///< mean number of entries of a row
  double deviation = 0;      ///< standard deviation: the root of the mean of (length - mean)^2
  std::size_t shortest = 0;  ///< entries of the shortest row
  std::size_t longest = 0;   ///< entries of the longest row
  std::size_t empty = 0;     ///< number of rows without entries
};

/// Returns the lengths of the rows of A. Cost: two passes over the row offsets; waits for `exec`.
template <class ExecutionSpace, class Offset>
RowLengths row_lengths(const ExecutionSpace& exec, const CsrPattern<Offset>& A);

/// Returns the largest number of entries in `window_rows` adjacent rows, which begin at a multiple of `window_rows`.
///
/// Cost: a pass over the row offsets; waits for `exec`.
template <class ExecutionSpace, class Offset>
std::size_t most_entries(const ExecutionSpace& exec, const CsrPattern<Offset>& A, Ordinal window_rows);

}  // namespace Tessera::Impl
