// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSERA_FUNCTION __host__ __device__ inline
#else
#define TESSERA_FUNCTION inline
#endif

namespace Tessera {

/// Row and column indices. Offsets into the nonzeros are a template parameter: int or std::size_t.
using Ordinal = int;

}  // namespace Tessera
