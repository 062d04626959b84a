// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSERA_FUNCTION __host__ __device__ inline
#else
#define TESSERA_FUNCTION inline
#endif

// Before a TESSERA_FUNCTION template that calls a function given to it, on the side where that one can run.
#if defined(__CUDACC__)
#define TESSERA_CALLS_ARGUMENT _Pragma("nv_exec_check_disable")
#else
#define TESSERA_CALLS_ARGUMENT
#endif

namespace Tessera {

/// Row and column indices. Offsets into the nonzeros are a template parameter: int or std::size_t.
using Ordinal = int;

/// Windows of `height` rows that cover this many rows; the last may reach beyond them.
TESSERA_FUNCTION constexpr Ordinal window_count(Ordinal rows, Ordinal height) {
  return rows / height + (rows % height != 0);
}

}  // namespace Tessera
