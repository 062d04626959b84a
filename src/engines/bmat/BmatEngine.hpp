// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "BmatCost.hpp"
#include "EngineKind.hpp"
#include "condensed/CondensedNames.hpp"

namespace Tessera::Impl {

template <class Scalar>
class CudaCondensed;

/// BMat, on GPUs as condensed windows of 16 rows on tensor cores.
struct BmatEngine : EngineKind<Format::Bmat, Bmat, CudaCondensed>, BmatCost {};

}  // namespace Tessera::Impl
