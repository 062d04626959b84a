// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "bcsr/BcsrView.hpp"
#include "condensed/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// Returns which X bcsr_spmm() can read in place.
constexpr XAccess bcsr_x_access(Precision precision) { return is_half(precision) ? XAccess::Copies : XAccess::Vectors; }

/// Returns the bytes of scratch memory for a product of these operands.
template <class Scalar>
std::size_t bcsr_workspace_bytes(const BcsrPattern& A, Precision precision, const CondensedSchedule& schedule,
                                 const Multivector<const Scalar>& x) {
  return window_scratch(schedule, A.window_rows(), x, bcsr_x_access(precision), precision).bytes;
}

/// Computes Y = alpha A X + beta Y on tensor cores, for A in rows of dense blocks (SMaT, section IV.D). All pointers
/// are device memory.
///
/// Precisions, their types and their shapes of blocks:
///
/// ```{.unparsed}
///   Native         double  16x8, 8x8, 8x4   FP64 products and sums
///   Tf32x3, Tf32   float   16x8, 8x8        TF32 products, FP32 sums
///   Fp16, Bf16     float   16x16            products of operands rounded to 16 bits, FP32 sums
/// ```
///
/// schedule comes from build_condensed_schedule() of A.block_offsets. put_longest_first() prevents long rows from
/// running last. The rules of condensed_spmm() for operands, workspace, results and errors apply, but x_rows may be
/// given. product.values are aligned to 16 bytes. Fp16 and Bf16 also read rounded_values: the result of round_values()
/// for all values, aligned to 16 bytes.
///
/// Sums that are not finite are computed again in the precision of Scalar. This includes sums with operands of 65520 or
/// more, which are infinite in FP16. The rounding of operands adds an error of up to
///
/// ```{.unparsed}
///   |alpha| sum (2 u |a| |x| + e (|a| + |x|)) plus smaller terms,    u = 2^-11, e = 2^-25 for Fp16
///                                                                    u = 2^-8,  e = 2^-134 for Bf16
/// ```
///
/// over the entries of a row. FP32 sums add up to n 2^-23 times the same sum of magnitudes, for n entries.
///
/// Deviations from the paper: A warp multiplies 32, 64 or 128 columns, not 8. It sums in FP32, not FP16. Blocks for 16
/// bits are 16x16, because the 16x8 blocks in the paper's text do not fit m16n8k16. Rows of X are copied some stages
/// ahead, like blocks; the paper loads most of the width of X beforehand. Blocks of FP64 and FP32 are the right operand
/// and X^T is the left one, so blocks of 8 rows fill an instruction. Long rows are cut into pieces, which a second step
/// adds in order. The paper's schedule, one warp for each tile of Y, collapses on skewed matrices (dc2, section VI.B).
/// Masks, which the paper lacks, distinguish entries from zeros.
///
/// Cost: block.size() * N multiplications per block, three times as many with Tf32x3. N is rounded up to 32, beyond 32
/// to a multiple of 64 (beyond 64 with Tf32x3, of 128). Reads for each block its mask, the 16 bytes around each entry,
/// and the rows of X for which it has entries.
template <class Scalar>
void bcsr_spmm(Stream stream, const BcsrPattern& A, Precision precision, const CondensedSchedule& schedule,
               const Product<Scalar, Scalar>& product, const std::uint16_t* rounded_values, const Scratch& workspace);

}  // namespace Tessera::Impl::Cuda
