// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "condensed/CondensedNames.hpp"

namespace Tessera::Impl {

template <class Scalar>
class CudaBmat;

/// Multiplies BMat with the kernel of Voltrix-SpMM.
struct VoltrixEngine : EngineKind<Format::Bmat, Bmat, CudaBmat, CudaFor::RealMatrices, TakenBy::PublishedAlone> {};

}  // namespace Tessera::Impl
