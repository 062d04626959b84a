// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/format/Csr.hpp>

namespace Tessera::Impl {

/// Rows that are sampled together: the height of the tallest window whose columns are counted.
inline constexpr Ordinal sampled_chunk = 128;

/// Returns n if one in n chunks of rows is enough to estimate statistics: samples have about a million entries, and at
/// least 32 chunks. Returns 1 for smaller matrices, all of whose rows should be counted.
std::size_t sampling_stride(Ordinal rows, std::size_t nonzeros);

/// Copies one in `stride` chunks of adjacent rows. Equal arguments give equal samples: a hash of the number of the
/// sample decides which of its `stride` chunks is taken, so that no period of the matrix coincides with the samples'.
///
/// \param stride [in] at least 1, and at most the number of whole chunks
///
/// Cost: reads the offsets and the sampled columns; waits for `exec` once.
template <class ExecutionSpace>
Csr<typename ExecutionSpace::memory_space> sample_rows(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                       std::size_t stride);

}  // namespace Tessera::Impl
