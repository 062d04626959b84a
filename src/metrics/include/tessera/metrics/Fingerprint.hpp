// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>

namespace Tessera {

/// A number that tells patterns apart: equal for equal extents, offsets and column indices, on every backend and with
/// offsets of any size; different, but for one chance in 2^64, for others. Values do not count.
///
/// \param A        [in] canonical
/// \param nonzeros [in] of A
///
/// Cost: a pass over the entries. Waits for `exec`.
template <class ExecutionSpace, class Offset>
std::uint64_t fingerprint(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros);

}  // namespace Tessera
