// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TESSERA_SIMD_NAMESPACE Avx512
#define TESSERA_SIMD_BYTES 64
#include "Kernels.inl"
