// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

/// Instruction sets of hosts. A layer compiles the same kernels once for each (tessera_add_simd_kernels in
/// cmake/TesseraSimd.cmake), in a namespace of its name. One is chosen at run time: one binary runs on every processor.
namespace Tessera::Impl {

enum class SimdTarget { Baseline, Avx2, Avx512 };

std::string_view to_string(SimdTarget target);

/// Returns the instruction sets that this library was built for and this processor has, Baseline first.
const std::vector<SimdTarget>& available_simd_targets();

/// Returns the best available instruction set, or a lesser one that the environment variable TESSERA_SIMD names
/// (baseline, avx2, avx512).
SimdTarget simd_target();

}  // namespace Tessera::Impl
