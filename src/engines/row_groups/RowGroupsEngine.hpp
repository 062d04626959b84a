// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "RowGroupsCost.hpp"

namespace Tessera {
template <class MemorySpace>
struct RowGroups;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaRowGroups;

/// Compressed rows in groups of adjacent rows that share their columns.
struct RowGroupsEngine : EngineKind<Format::RowGroups, RowGroups, CudaRowGroups, CudaFor::AllMatrices>,
                         RowGroupsCost {};

}  // namespace Tessera::Impl
