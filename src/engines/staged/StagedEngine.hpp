// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "StagedCost.hpp"

namespace Tessera {
template <class MemorySpace>
struct StagedWindows;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaStaged;

/// Windows of 64 rows, whose rows of X are staged in shared memory.
struct StagedEngine : EngineKind<Format::Staged, StagedWindows, CudaStaged>, StagedCost {};

}  // namespace Tessera::Impl
