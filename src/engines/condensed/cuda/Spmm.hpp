// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "condensed/cuda/Schedule.hpp"
#include "condensed/cuda/View.hpp"

namespace Tessera::Impl::Cuda {

/// Returns which X condensed_spmm() reads in place.
///
/// \tparam Scalar  the type of X
template <class Scalar>
constexpr XAccess condensed_x_access(Precision precision) {
  if (!is_half(precision)) return XAccess::Rows;
  return is_operand_of<Scalar>(precision) ? XAccess::WholeVectors : XAccess::Copies;
}

/// Returns the bytes of scratch memory for a product of these operands.
template <class Scalar>
std::size_t condensed_workspace_bytes(const CondensedPattern& A, Precision precision, const CondensedSchedule& schedule,
                                      const Multivector<const Scalar>& x) {
  return window_scratch(schedule, A.window_rows(), x, condensed_x_access<Scalar>(precision), precision).bytes;
}

/// Computes Y = alpha A X + beta Y on tensor cores, for A in condensed windows of 1 or 2 strips.
///
/// These rules apply to the products of all formats with windows:
///
/// - All pointers are device memory. product.x is (columns of A) x N, product.y (rows of A) x N, with any N and any
///   strides. y_rows may be given; x_rows must be null; conjugate_values has no meaning for real numbers.
/// - workspace has the bytes that the kernel's workspace function returns, and is aligned to 256 bytes. Nothing else
///   may use it before the product is done.
/// - A column of Y depends neither on N, nor on the other columns of X, nor on alignment, and is the same in every run.
/// - An infinity or a NaN in row j of X reaches only the rows of Y whose rows of A have an entry in column j. Sums that
///   are not finite are computed again from the entries only, which is slow.
/// - Products throw std::invalid_argument for operands, a precision or a workspace that do not fit, std::length_error
///   for sizes that are too large for a launch, and std::runtime_error if a launch fails.
///
/// `values` says whether product.values are compact or dense. Rounded is for windows of one strip in 16 bits; it also
/// needs the blocks of expand_rounded_tiles(). precision is Native for double (FP64 products and sums), Tf32x3 or Tf32
/// for float, and Bf16 or Fp16 for either. In 16 bits, X is rounded in the workspace unless it is_operand_of() the
/// precision. A's values are rounded beforehand or as they are read. Sums are FP32. Only then may X and Y have 16 bits,
/// or be double with a float matrix. Rounding adds up to 2 u times an element's sum of magnitudes to the error of FP32;
/// u is 2^-8 for Bf16 and 2^-11 for Fp16. Fp16 also adds up to 2^-25 in each operand that is too small for it. Sums
/// that overflow FP32, and sums with operands beyond FP16's 65504, are treated as not finite.
///
/// Dense and rounded values are faster wherever memory has room for them. In TF32, windows of 16 rows are faster than
/// windows of 8 if they have less than three quarters as many tiles.
///
/// Cost: 16 * 64 * strips multiplications for each tile and 16 columns. 8 rows of X are read for each tile.
template <class MatrixScalar, class Scalar>
void condensed_spmm(Stream stream, const CondensedPattern& A, TileValues values, Precision precision,
                    const CondensedSchedule& schedule, const Product<MatrixScalar, Scalar>& product,
                    const Scratch& workspace, const std::uint16_t* rounded_values = nullptr);

}  // namespace Tessera::Impl::Cuda
