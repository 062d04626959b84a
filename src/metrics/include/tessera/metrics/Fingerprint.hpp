// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>

namespace Tessera::Impl {

/// Returns a number that identifies a pattern. It is equal for equal extents, offsets (of any type) and column indices,
/// on every backend. Two different patterns have the same number with a probability of 2^-64. Values do not matter.
///
/// \param exec     [in] the instance to run on; the call waits for it
/// \param A        [in] a canonical pattern
/// \param nonzeros [in] the number of its nonzeros
///
/// Cost: a pass over the entries.
template <class ExecutionSpace>
std::uint64_t fingerprint(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros);

}  // namespace Tessera::Impl
