// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PortableSpmm.hpp"
#include "StoredEngine.hpp"
#include "brp/Brp.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include "CudaBrp.hpp"
#endif

namespace Tessera::Impl {

#define TESSERA_INSTANTIATE(Exec, M, V) \
  template void portable_spmm(const Exec&, const BrpPattern&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<BrpEngine, Scalar, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)
}  // namespace Tessera::Impl
