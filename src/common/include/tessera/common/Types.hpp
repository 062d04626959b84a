// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// @file
/// The macros and types that all layers use.

/// Marks a function that runs on host and device.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSERA_FUNCTION __host__ __device__ inline
#else
#define TESSERA_FUNCTION inline
#endif

/// Marks a TESSERA_FUNCTION template that calls a function object, which may run on host or device only.
#if defined(__CUDACC__)
#define TESSERA_CALLS_ARGUMENT _Pragma("nv_exec_check_disable")
#else
#define TESSERA_CALLS_ARGUMENT
#endif

/// Unrolls the next loop on devices. Arrays that such loops index stay in registers.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TESSERA_UNROLL _Pragma("unroll")
#else
#define TESSERA_UNROLL
#endif

namespace Tessera::Impl {

/// Row and column indices.
using Ordinal = int;

/// Offsets into the entries of a plan. A matrix with more entries is stored as several blocks of rows. Users' offsets
/// have 4 or 8 bytes: a template that reads them has their type as a parameter.
using Offset = int;

/// Returns the number of windows of `height` rows that cover `rows` rows; the last may reach beyond them.
TESSERA_FUNCTION constexpr Ordinal window_count(Ordinal rows, Ordinal height) {
  return rows / height + (rows % height != 0);
}

}  // namespace Tessera::Impl
