// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The CUDA runtime's name of the struct to which a cudaStream_t points. With it, no header here includes the runtime.
struct CUstream_st;

namespace Tessera::Impl::Cuda {

/// A cudaStream_t.
using Stream = CUstream_st*;

}  // namespace Tessera::Impl::Cuda
