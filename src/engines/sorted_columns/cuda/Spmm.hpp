// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "sorted_columns/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// How sorted_columns_spmm() reads X. This decides whether X is read in place.
inline constexpr XAccess sorted_columns_x_access = XAccess::WholeVectors;

/// Returns the columns of a slab of X. A product of N columns computes one slab at a time. The workspace has the sums
/// of all slots for one slab. Slabs are as wide as 2 GiB of slots allow, and about equally wide: a multiple of 32
/// columns, or fewer for very large matrices, down to 16 bytes of a row.
template <class Scalar>
Ordinal sorted_columns_slab(const SortedColumnsSchedule& schedule, Ordinal N);

/// Returns the bytes of scratch memory for a product with these operands: for a slab of columns, the slots of the
/// schedule and a copy of X if it cannot be read 16 bytes at a time (columns that are not adjacent, or rows that do not
/// begin and end at multiples of 16 bytes).
template <class Scalar>
std::size_t sorted_columns_workspace_bytes(const SortedColumnsPattern& A, const SortedColumnsSchedule& schedule,
                                           const Multivector<const Scalar>& x);

/// Computes Y = alpha A X + beta Y on CUDA cores, with A in sorted columns (Swift, sections IV-A to IV-D). All
/// pointers, including those of the schedule, are device memory.
///
/// product.values are in the order of A.row_indices. product.x is (columns of A) x N, product.y (rows of A) x N, with
/// any N and any strides. y_rows and x_rows must be null; conjugate_values has no meaning for real numbers. workspace
/// has sorted_columns_workspace_bytes(), aligned to 256 bytes; nothing else may use it before the product is done.
/// precision is Native.
///
/// Each slab of columns has two steps. First, thread blocks read the elements of a group in parallel, sort them by row
/// in shared memory with position_indices, sum the elements of each row, and write the sums to the workspace. Pieces of
/// irregular columns write their products there. Then each row of Y is the sum of its slots in the schedule.
///
/// A column of Y does not depend on N, the other columns of X, or alignment, and is the same in every run. The number
/// of steps of a group changes it within rounding errors. Nothing is multiplied by a zero that is not in A: an infinity
/// or a NaN in X reaches only the rows of Y that have an entry in its row of X.
///
/// Deviations from the paper, in addition to those of the format (SortedColumnsView.hpp):
/// - The paper adds to Y by atomics, in an order that varies from run to run. Here sums have slots of their own, and a
///   second kernel adds them in order. This costs a write and a read of N numbers for each segment.
/// - A group may have more steps than the eight of a set, hence fewer segments. With eight steps it is the paper's set.
/// - The paper needs X column-major, and each thread has an element of A. Here some lanes sum a segment in registers,
///   each for 16 bytes of a row of X. X is packed if it is not row-major.
/// - Groups and pieces are multiplied in one kernel, not two.
///
/// Throws std::invalid_argument if operands, precision, schedule or workspace do not fit, std::length_error for too
/// large sizes, std::runtime_error if a launch fails. Cost: N multiplications and reads of X for each nonzero; N
/// numbers written and read for each slot. Slots cause most memory traffic if those of a slab exceed the L2 cache.
template <class Scalar>
void sorted_columns_spmm(Stream stream, const SortedColumnsPattern& A, Precision precision,
                         const SortedColumnsSchedule& schedule, const Product<Scalar, Scalar>& product,
                         const Scratch& workspace);

}  // namespace Tessera::Impl::Cuda
