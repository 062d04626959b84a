// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompareKokkosKernels.inl"

namespace Tessera::Driver {

TESSERA_INSTANTIATE(float)

}  // namespace Tessera::Driver
