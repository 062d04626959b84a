// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Spmm.cuh"

namespace Tessera::Impl::Cuda {

TESSERA_INSTANTIATE_COMPACT_ROWS_SPMM(float, double)

}  // namespace Tessera::Impl::Cuda
