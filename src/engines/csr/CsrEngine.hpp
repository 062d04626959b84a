// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CsrCost.hpp"
#include "EngineKind.hpp"

namespace Tessera {
template <class MemorySpace>
struct Csr;
}

namespace Tessera::Impl {

template <class Scalar>
class CudaCsr;

/// Compressed rows.
struct CsrEngine : EngineKind<Format::Csr, Csr, CudaCsr, CudaFor::AllMatrices>, CsrCost {};

}  // namespace Tessera::Impl
