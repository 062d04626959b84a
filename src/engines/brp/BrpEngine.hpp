// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "BrpCost.hpp"
#include "EngineKind.hpp"

namespace Tessera {
template <class MemorySpace>
struct BlockRowPartition;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaBrp;

/// The block-row partition, as BRP-SpMM has it.
struct BrpEngine : EngineKind<Format::BlockRowPartition, BlockRowPartition, CudaBrp>, BrpCost {};

}  // namespace Tessera::Impl
