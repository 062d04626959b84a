// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Reordering.hpp>

namespace Tessera {

/// An upper bound on the number of bytes that finding an order allocates at once, the order included. It is 0 for
/// Reordering::None, Automatic and Default.
///
/// \param exec       [in] the instance to run on; the call waits for it
/// \param A          [in] a canonical pattern
/// \param nonzeros   [in] the number of its nonzeros
/// \param reordering [in] the order
///
/// Cost: a pass over the row offsets for DataAffinity, nothing for others.
template <class ExecutionSpace, class Offset>
std::size_t reordering_bytes(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                             Reordering reordering);

}  // namespace Tessera
