// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tessera::Impl {

template <class MemorySpace, int strips>
struct CondensedFormat;

/// A pattern in BitTCF (BitTcfView.hpp) that owns its arrays.
template <class MemorySpace>
using BitTcf = CondensedFormat<MemorySpace, 1>;
/// A pattern in BMat (BmatView.hpp) that owns its arrays.
template <class MemorySpace>
using Bmat = CondensedFormat<MemorySpace, 2>;

}  // namespace Tessera::Impl
