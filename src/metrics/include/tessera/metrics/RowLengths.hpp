// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>

namespace Tessera {

/// How many entries the rows of a matrix have; all 0 without rows.
struct RowLengths {
  double mean = 0;
  double deviation = 0;  ///< standard deviation: the root of the mean square of length - mean
  std::size_t shortest = 0;
  std::size_t longest = 0;
  std::size_t empty = 0;  ///< rows without entries
};

/// Cost: two passes over the row offsets; waits for `exec`.
template <class ExecutionSpace, class Offset>
RowLengths row_lengths(const ExecutionSpace& exec, const CsrPattern<Offset>& A);

/// The most entries of so many rows, one after the other, that begin at a multiple of their number.
///
/// Cost: a pass over the row offsets; waits for `exec`.
template <class ExecutionSpace, class Offset>
std::size_t most_entries(const ExecutionSpace& exec, const CsrPattern<Offset>& A, Ordinal window_rows);

}  // namespace Tessera
