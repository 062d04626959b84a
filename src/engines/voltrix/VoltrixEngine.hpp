// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"

namespace Tessera {
template <class Offset, class MemorySpace>
struct Bmat;
}

namespace Tessera::Impl {

template <class Scalar, class Offset>
class CudaBmat;

/// BMat with the kernel of Voltrix-SpMM.
struct VoltrixEngine : EngineKind<Format::Bmat, Bmat, CudaBmat, CudaFor::RealMatrices, TakenBy::PublishedAlone> {};

}  // namespace Tessera::Impl
