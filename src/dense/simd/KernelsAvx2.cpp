// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define TESSERA_SIMD_NAMESPACE Avx2
#define TESSERA_SIMD_BYTES 32
#include "Kernels.inl"
