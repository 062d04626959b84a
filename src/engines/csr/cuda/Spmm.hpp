// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>

#include "csr/cuda/Policy.hpp"
#include "csr/cuda/Schedule.hpp"

namespace Tessera::Cuda {

/// The most columns that csr_spmm() computes at a time if it packs X.
inline constexpr Ordinal csr_packed_columns = 128;
/// The columns of a slab of X that csr_spmm() reads where they are, for any strides.
inline constexpr Ordinal csr_narrow_columns = 4;

/// The columns that csr_spmm() computes at a time, in launches of their own: fewer than all if the sums of the pieces
/// of long rows would take too much memory. Each such panel reads A again. A panel has at most as many partial sums as
/// an eighth of X has elements, or 2^19, or those of 128 columns, whichever is most. Never fewer for more columns.
///
/// \param schedule [in] the schedule of A
/// \param x_rows   [in] rows of X
/// \param columns  [in] columns of X
Ordinal csr_panel_columns(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns);
/// The bytes of scratch memory for this many columns at a time: partial sums, and `packed_rows` packed rows of X.
std::size_t csr_panel_bytes(const CsrScheduleSize& schedule, Ordinal packed_rows, Ordinal columns,
                            std::size_t vector_bytes);

/// Whether csr_spmm() first copies an X whose columns are not adjacent (LayoutLeft) to rows, which costs a launch, and
/// reading and writing X. Otherwise each entry fetches its elements of X one by one, in slabs of few columns: for one
/// slab, for small matrices, and if A has less than 4 nonzeros for each row of X.
///
/// \param schedule [in] the schedule of A
/// \param x_rows   [in] rows of X
/// \param columns  [in] columns of X
bool csr_packs(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns);

/// Whether csr_spmm() multiplies an X with adjacent columns in slabs of csr_narrow_columns columns: one slab, or two of
/// a small matrix. A wider slab fetches more at a time, but starts with fewer rows.
bool csr_is_narrow(const CsrScheduleSize& schedule, Ordinal columns);

/// The number of bytes of scratch memory, aligned to 16 bytes, that csr_spmm() needs: csr_panel_bytes() for the columns
/// of a panel. With an X that csr_packs(), panels have csr_packed_columns columns, and hold their rows of X as well.
///
/// \param schedule         [in] the schedule of A
/// \param x_rows           [in] rows of X
/// \param columns          [in] columns of X
/// \param vector_bytes     [in] bytes of an element of X
/// \param adjacent_columns [in] whether the columns of X are adjacent (LayoutRight); if not, the result is enough for
///                              any X
std::size_t csr_workspace_bytes(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns,
                                std::size_t vector_bytes, bool adjacent_columns = false);

/// Y = alpha A X + beta Y on CUDA cores, A in canonical compressed rows. The overload with a policy uses it; this one
/// chooses the policy.
///
/// X with adjacent columns (LayoutRight) is read by groups of lanes, 16 bytes a lane if X is aligned to 16 bytes and so
/// is a Y with adjacent columns. Other X is packed if csr_packs(), but not with x_rows. Y whose columns are not
/// adjacent is written through shared memory, by columns.
///
/// \param stream   [in]     the stream of the kernels; the call does not wait for it
/// \param A        [in]     rows x columns; all pointers of A, schedule, product and scratch are device memory
/// \param schedule [in]     the schedule of A
/// \param product  [in,out] X is columns x N and Y is rows x N, with any strides
/// \param scratch  [in,out] csr_workspace_bytes() for elements of the size of A's, or more; with wider elements, fewer
///                          columns are computed at a time
///
/// A column of Y has the same bits for any other columns, alignment, layout and policy, and from run to run;
/// CsrSchedule tells the order of summation. Products are fused into sums, also those of the parts of complex numbers.
///
/// \throws std::invalid_argument for extents that do not fit, or scratch that is too small
/// \throws std::length_error if the grid has more blocks than CUDA allows
/// \throws std::runtime_error for errors of CUDA
///
/// Cost: 2 nonzeros N operations. It reads A once for each slab of columns, and a row of X for each entry; packing
/// reads and writes X once.
template <class MatrixScalar, class VectorScalar>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);
/// The product with this policy, which is for columns that are read 16 bytes a lane. For columns that
/// csr_is_narrow(), the policy only tells whether there are several rounds and, for a single column, tiles. Rows of two
/// vectors are narrow, too, and ignore it.
///
/// \throws std::invalid_argument for a policy that is not valid as well
template <class MatrixScalar, class VectorScalar>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch, const CsrPolicy& policy);

}  // namespace Tessera::Cuda
