// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "Panels.hpp"
#include "condensed/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// Returns which X warpgroup_spmm() can read in place.
constexpr XAccess warpgroup_x_access(Precision precision) {
  return is_half(precision) ? XAccess::Copies : XAccess::WholeVectors;
}

/// Returns the bytes of scratch memory for a product of these operands.
inline std::size_t warpgroup_workspace_bytes(Precision precision, const CondensedSchedule& schedule,
                                             const Multivector<const float>& x) {
  return window_scratch(schedule, panel_rows, x, warpgroup_x_access(precision), precision).bytes;
}

/// Returns the bytes of the lines of this number of blocks, and of a block of zeros after them, which stands for
/// missing blocks.
constexpr std::size_t lines_bytes(Precision precision, std::size_t blocks) {
  return (blocks + 1) * square_side * square_side * (precision == Precision::Tf32x3 ? 8 : is_half(precision) ? 2 : 4);
}

/// Writes the values of blocks in the precision and the order in which warpgroups multiply them: rows of a block, 128
/// bytes of each, swizzled (ptx/Warpgroup.cuh). Tf32x3 writes the big and the small parts of 32 columns in turn.
///
/// values and lines are device memory; lines are aligned to 16 bytes, and the last block of lines is set by the caller.
/// `wanted` is null or device memory: if it holds 0 when the kernel runs, nothing is done. Throws std::invalid_argument
/// for another precision, std::runtime_error if the launch fails. Cost: reads the values once and writes lines_bytes().
void arrange_lines(Stream stream, Precision precision, std::size_t blocks, const float* values, std::byte* lines,
                   const std::uint32_t* wanted = nullptr);

/// Whether the current GPU has warpgroup_spmm(): compute capability 9.0.
bool has_warpgroup_spmm();

/// Computes Y = alpha A X + beta Y on tensor cores with the instructions of warpgroups, for A in blocks of 64 x 64
/// that are nearly full, and many columns of X. All pointers are device memory.
///
/// Tf32, Tf32x3, Fp16 and Bf16, with FP32 sums. The blocks of two rows of blocks, a panel, that are in the same column
/// share the rows of X. `steps` lists them for each panel (for_each_step), and the schedule comes from
/// build_condensed_schedule() of the first step of each panel. `lines` are those of arrange_lines().
///
/// The rules of bcsr_spmm() for operands, workspace, results, errors and bounds apply.
///
/// Deviation from SMaT: its blocks are 16 x 8, for mma.sync. In blocks of 64 x 64, and in panels of two of their rows,
/// more rows of A use a row of X that was read once.
///
/// Cost: 2 * 4096 N operations per block, three times as many with Tf32x3. N is rounded up to 128, beyond 128 to a
/// multiple of 256 (with Tf32x3, of 128). Reads for each slab of so many columns the lines, and 64 rows of X for each
/// step.
void warpgroup_spmm(Stream stream, const BcsrPattern& A, Precision precision, const BlockStep* steps,
                    const CondensedSchedule& schedule, const Product<float, float>& product, const std::byte* lines,
                    const Scratch& workspace);

}  // namespace Tessera::Impl::Cuda
