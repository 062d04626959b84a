// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StoredEngine.hpp"
#include "condensed/CondensedFormat.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include "CudaBitTcf.hpp"

namespace Tessera::Impl {

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<AccSpmmEngine, Scalar, Exec>;
TESSERA_IF_CUDA(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
#endif
