// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "EngineKind.hpp"
#include "condensed/CondensedNames.hpp"

namespace Tessera::Impl {

template <class Scalar>
class CudaBitTcf;

/// BitTCF with the kernel of Acc-SpMM.
struct AccSpmmEngine : EngineKind<Format::BitTcf, BitTcf, CudaBitTcf, CudaFor::RealMatrices, TakenBy::PublishedAlone> {
};

}  // namespace Tessera::Impl
