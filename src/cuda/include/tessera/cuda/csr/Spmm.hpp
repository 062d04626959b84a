// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>
#include <tessera/cuda/csr/Policy.hpp>
#include <tessera/cuda/csr/Schedule.hpp>

namespace Tessera::Cuda {

/// Columns that csr_spmm computes at a time at most, if it wants scratch memory for rows of X.
inline constexpr Ordinal csr_packed_columns = 128;
/// As many columns as this are read where they are, whatever the strides.
inline constexpr Ordinal csr_narrow_columns = 4;

/// Columns that csr_spmm computes at a time at most, if there are pieces: each such panel takes launches of its own.
/// 2^19 partial sums fit, or those of 128 columns.
Ordinal csr_panel_columns(const CsrScheduleSize& schedule);

/// Whether csr_spmm copies X whose columns are not adjacent (LayoutLeft) to rows first. That costs the time to read X
/// and write it; without, each entry fetches its elements of X one by one, as for very few columns and where A has less
/// than 4 nonzeros a row of X.
///
/// \param x_rows   columns of A
/// \param columns  of X
bool csr_packs(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns);

/// Bytes of scratch memory, aligned to 16 bytes, that csr_spmm wants: partial sums of the pieces of long rows, for
/// csr_panel_columns() columns at a time, and rows of X where csr_packs, for csr_packed_columns.
///
/// \param x_rows            columns of A
/// \param columns           of X
/// \param vector_bytes      of an element of X
/// \param adjacent_columns  the columns of X are adjacent (LayoutRight); otherwise it is enough for any X
std::size_t csr_workspace_bytes(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns,
                                std::size_t vector_bytes, bool adjacent_columns = false);

/// Y = alpha A X + beta Y on CUDA cores, A in canonical compressed rows.
///
/// \param A         rows x columns; all pointers of A, schedule, product and scratch are of the device
/// \param schedule  of A
/// \param product   X is columns x N and Y rows x N with any strides. X with adjacent columns (LayoutRight) is read by
///                  groups of lanes, 16 bytes a lane where it is aligned to that (and so is Y, if its columns are
///                  adjacent); other X is packed, see csr_packs, but with x_rows. Y that
///                  is not so aligned is then written through shared memory, by columns
/// \param scratch   csr_workspace_bytes for elements of the size of A's, or more: fewer columns of wider elements are
///                  computed at a time then
/// \param policy    for columns that are read 16 bytes a lane; the other overload chooses it. For 16 bytes of columns
/// or
///                  fewer, and for csr_narrow_columns or fewer that are not aligned, it only says whether there are
///                  more rounds than one
///
/// A column of Y has the same bits whatever other columns, alignment, layout or policy there are, and from run to run:
/// see CsrSchedule for the order of summation. Products are fused into sums, also those of the parts of complex
/// numbers. Work is enqueued on the stream, nothing is waited for.
///
/// Throws std::invalid_argument for extents that do not fit, a policy that is not valid or scratch that is too small,
/// std::length_error if the grid has more blocks than CUDA allows and std::runtime_error for errors of CUDA.
/// Cost: 2 nonzeros N operations; reads A once for each slab of columns and a row of X for each entry; packing reads X
/// and writes it once.
template <class MatrixScalar, class VectorScalar, class Offset>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);
template <class MatrixScalar, class VectorScalar, class Offset>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch, const CsrPolicy& policy);

}  // namespace Tessera::Cuda
