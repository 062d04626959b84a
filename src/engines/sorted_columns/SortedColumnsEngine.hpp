// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "SortedColumnsCost.hpp"

namespace Tessera {
template <class MemorySpace>
struct SortedColumns;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaSortedColumns;

/// Sorted columns, as Swift has them.
struct SortedColumnsEngine : EngineKind<Format::SortedColumns, SortedColumns, CudaSortedColumns>, SortedColumnsCost {};

}  // namespace Tessera::Impl
