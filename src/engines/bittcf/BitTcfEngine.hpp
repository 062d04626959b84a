// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "BitTcfCost.hpp"
#include "EngineKind.hpp"
#include "condensed/CondensedNames.hpp"

namespace Tessera::Impl {

template <class Scalar>
class CudaCondensed;

/// BitTCF, on GPUs as condensed windows of 8 rows on tensor cores.
struct BitTcfEngine : EngineKind<Format::BitTcf, BitTcf, CudaCondensed>, BitTcfCost {};

}  // namespace Tessera::Impl
