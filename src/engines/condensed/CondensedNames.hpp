// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera {

template <class Offset, class MemorySpace, int strips>
struct CondensedFormat;

/// BitTCF (BitTcfView.hpp) that owns its arrays.
template <class Offset, class MemorySpace>
using BitTcf = CondensedFormat<Offset, MemorySpace, 1>;
/// BMat (BmatView.hpp) that owns its arrays.
template <class Offset, class MemorySpace>
using Bmat = CondensedFormat<Offset, MemorySpace, 2>;

}  // namespace Tessera
