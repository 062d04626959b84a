// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TESSERA_SIMD_NAMESPACE Baseline
#define TESSERA_SIMD_BYTES 16
#include "Kernels.inl"
