// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/condensed/Schedule.hpp>
#include <tessera/cuda/condensed/View.hpp>

namespace Tessera::Cuda {

/// Scratch memory, in bytes, for a product of these operands: sums of the pieces of windows that the schedule splits,
/// and X by rows, if its columns are not adjacent or its precision has 16 bits.
template <class Offset, class Scalar>
std::size_t condensed_workspace_bytes(const CondensedPattern<Offset>& A, Precision precision,
                                      const CondensedSchedule<Offset>& schedule, const Multivector<const Scalar>& x);

/// Y = alpha A X + beta Y on tensor cores, A in condensed windows of 1 or 2 strips. All pointers are device memory.
///
/// product.values are compact or dense, as `values` says; product.x is columns of A x N, product.y rows of A x N, with
/// any N and any strides; y_rows is honoured, conjugate_values has no meaning for reals, x_rows must be null.
/// workspace: condensed_workspace_bytes, aligned to 256 bytes; nothing else may use it until the stream gets there.
/// precision: Native for double (FP64 products and sums), Tf32x3 or Tf32 for float; Bf16 or Fp16 for either: X is
/// rounded to 16 bits in the workspace, A's values as they are read, and sums are FP32. Then an entry errs by up to 2 u
/// of its sum of magnitudes, u = 2^-8 or 2^-11 (and 2^-25 an operand that FP16 has too few bits for), besides FP32's
/// error.
///
/// A column of Y depends neither on N, nor on the other columns of X, nor on alignment, nor on the run. An infinity or
/// a NaN in X reaches the rows of Y that touch it and no others: sums of blocks that are not finite are computed anew
/// from the entries alone, slowly. (So are sums that overflow FP32, and those with operands beyond FP16's 65504.)
///
/// Dense values are faster wherever there is room for them; windows of 16 rows are for TF32 where they have less than
/// three quarters of the tiles.
///
/// Throws std::invalid_argument for a precision, a number of strips or a workspace that does not do, std::length_error
/// for sizes beyond a launch, std::runtime_error if a launch fails. Cost: 16 * 64 * strips multiplications for each
/// tile and 16 columns; reads 8 rows of X a tile.
template <class Offset, class MatrixScalar, class Scalar>
void condensed_spmm(Stream stream, const CondensedPattern<Offset>& A, TileValues values, Precision precision,
                    const CondensedSchedule<Offset>& schedule, const Product<MatrixScalar, Scalar>& product,
                    const Scratch& workspace);

}  // namespace Tessera::Cuda
