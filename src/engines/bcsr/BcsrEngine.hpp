// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "BcsrCost.hpp"
#include "EngineKind.hpp"

namespace Tessera {
template <class MemorySpace>
struct Bcsr;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaBcsr;

/// Compressed rows of dense blocks, as SMaT has them.
struct BcsrEngine : EngineKind<Format::Bcsr, Bcsr, CudaBcsr>, BcsrCost {};

}  // namespace Tessera::Impl
