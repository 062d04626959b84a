// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>

#include "csr/cuda/Policy.hpp"
#include "csr/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// Upper bound on the columns that csr_spmm() computes at a time if it packs X.
inline constexpr Ordinal csr_packed_columns = 128;
/// Number of columns of a slab of X that csr_spmm() reads in place, for any strides.
inline constexpr Ordinal csr_narrow_columns = 4;

/// Returns the columns of a panel. csr_spmm() launches each panel separately, and reads A again for it. Panels do not
/// have all columns if long rows would have too many partial sums. At most, their number is the largest of three: 2^19,
/// an eighth of the elements of X, and the sums of 128 columns. The result never falls if columns are added.
///
/// \param schedule [in] the schedule of A
/// \param x_rows   [in] rows of X
/// \param columns  [in] columns of X
Ordinal csr_panel_columns(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns);
/// Returns the bytes of scratch memory for this many columns: partial sums, and `packed_rows` packed rows of X.
std::size_t csr_panel_bytes(const CsrScheduleSize& schedule, Ordinal packed_rows, Ordinal columns,
                            std::size_t vector_bytes);

/// Returns the bytes of scratch memory for a single column, whatever its type is: the partial sums of rows that are
/// cut.
std::size_t csr_column_bytes(const CsrScheduleSize& schedule);

/// Whether csr_spmm() first copies a column-major X to rows, which costs a launch and one read and write of X.
/// Otherwise each entry gathers its elements of X one by one, in slabs of few columns: for one slab, for small
/// matrices, and if A has fewer than 4 nonzeros per row of X.
///
/// \param schedule [in] the schedule of A
/// \param x_rows   [in] rows of X
/// \param columns  [in] columns of X
bool csr_packs(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns);

/// Whether csr_spmm(), unless it gathers rows of X for tiles, multiplies an X with adjacent columns in slabs of
/// csr_narrow_columns columns: for one slab, or for two slabs of a small matrix if rows of X are not whole vectors. A
/// wider slab gathers more at a time, but fewer rows are in progress.
bool csr_is_narrow(const CsrScheduleSize& schedule, Ordinal columns);

/// Returns the bytes of scratch memory, aligned to 16 bytes, that csr_spmm() needs: csr_panel_bytes() for the columns
/// of a panel, or csr_column_bytes() if these are more. If csr_packs(), panels have csr_packed_columns columns, and the
/// memory also holds packed rows of X.
///
/// \param schedule         [in] the schedule of A
/// \param x_rows           [in] rows of X
/// \param columns          [in] columns of X
/// \param vector_bytes     [in] bytes of an element of X
/// \param adjacent_columns [in] whether the columns of X are adjacent (LayoutRight); if not, the result is enough for
///                              any X
std::size_t csr_workspace_bytes(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns,
                                std::size_t vector_bytes, bool adjacent_columns = false);

/// Computes Y = alpha A X + beta Y on CUDA cores, with A in canonical CSR. This overload chooses the policy; the other
/// one uses the caller's.
///
/// If A is small and without long rows, and rows of X have one, two or four vectors, these are gathered for tiles of A
/// (csr_gathers_tiles()). Otherwise groups of lanes read an X with adjacent columns (LayoutRight). A lane reads 16
/// bytes if X, and a Y with adjacent columns, are aligned to 16 bytes. Any other X is packed if csr_packs(), unless
/// x_rows is set. A Y whose columns are not adjacent is written through shared memory, column by column.
///
/// \param stream   [in]     the stream of the kernels; the call does not wait for it
/// \param A        [in]     rows x columns; all pointers of A, schedule, product and scratch are device memory
/// \param schedule [in]     the schedule of A
/// \param product  [in,out] X is columns x N and Y is rows x N, with any strides
/// \param scratch  [in,out] at least csr_workspace_bytes() for elements of the size of A's; with wider elements, fewer
///                          columns are computed at a time
///
/// A column of Y has the same bits for any other columns, alignment, layout and policy, and in every run. CsrSchedule
/// defines the order of summation. A single column may be summed in another order (CsrColumnKernel): unless rows of X
/// are 4 GiB apart, it has the same bits for any alignment and layout and in every run, but not for another policy.
/// With CsrScheduleSize::keeps_order it is no exception. Products are added by fused multiply-adds, also for the parts
/// of complex numbers, except those of a single column that a tile stores in shared memory.
///
/// \throws std::invalid_argument for extents that do not fit, or scratch that is too small
/// \throws std::length_error if the grid has more blocks than CUDA allows
/// \throws std::runtime_error for errors of CUDA
///
/// Cost: 2 nonzeros N operations. A is read once for each slab of columns, and a row of X for each entry. Packing reads
/// and writes X once.
template <class MatrixScalar, class VectorScalar>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);
/// Multiplies with this policy. It applies to columns that are read 16 bytes per lane. For columns that
/// csr_is_narrow(), the policy only decides whether there are several rounds. Rows of two vectors are narrow as well,
/// and ignore it. For a single column, unless it keeps the order, the policy has the number of lanes and decides on
/// tiles. Rows of X of one, two or four vectors are gathered if the policy has tiles.
///
/// \throws std::invalid_argument also if the policy is not valid
template <class MatrixScalar, class VectorScalar>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch, const CsrPolicy& policy);

}  // namespace Tessera::Impl::Cuda
