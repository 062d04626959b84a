// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Reordering.hpp>

namespace Tessera {

/// The most bytes that finding an order allocates at once, the order included: an upper bound. None for
/// Reordering::None and Automatic.
///
/// \param A        [in] canonical
/// \param nonzeros [in] of A
///
/// Cost: a pass over the row offsets for DataAffinity, nothing for others. Waits for `exec`.
template <class ExecutionSpace, class Offset>
std::size_t reordering_bytes(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                             Reordering reordering);

}  // namespace Tessera
