// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/CsrPolicy.hpp>
#include <tessera/cuda/CsrSchedule.hpp>
#include <tessera/cuda/Stream.hpp>

namespace Tessera::Cuda {

/// Bytes of scratch memory, aligned to 16 bytes, that csr_spmm wants for X with so many columns of so many bytes an
/// element: partial sums of the pieces of long rows, for csr_panel_columns columns at a time.
std::size_t csr_workspace_bytes(const CsrScheduleSize& schedule, Ordinal columns, std::size_t vector_bytes);
inline constexpr Ordinal csr_panel_columns = 128;

/// Y = alpha A X + beta Y on CUDA cores, A in canonical compressed rows.
///
/// \param A         rows x columns; all pointers of A, schedule, product and scratch are of the device
/// \param schedule  of A
/// \param product   X is columns x N and Y rows x N with any strides: X with adjacent columns (LayoutRight) is read by
///                  groups of lanes, 16 bytes a lane where X and Y are aligned to that, or, if one lane holds all its
///                  columns, by a lane a row; anything else by a thread a row
/// \param scratch   csr_workspace_bytes; not used if no row is long
/// \param policy    for columns that are read 16 bytes a lane; the other overload chooses it
///
/// A column of Y has the same bits whatever other columns, alignment, layout or policy there are, and from run to run:
/// see CsrSchedule for the order of summation. Products are fused into sums, also those of the parts of complex
/// numbers. Work is enqueued on the stream, nothing is waited for.
///
/// Throws std::invalid_argument for extents that do not fit, a policy that is not valid or scratch that is too small,
/// std::length_error if the grid has more blocks than CUDA allows and std::runtime_error for errors of CUDA.
/// Cost: 2 nonzeros N operations; reads A once for each slab of columns and a row of X for each entry.
template <class MatrixScalar, class VectorScalar, class Offset>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);
template <class MatrixScalar, class VectorScalar, class Offset>
void csr_spmm(Stream stream, const CsrPattern<Offset>& A, const CsrSchedule& schedule,
              const Product<MatrixScalar, VectorScalar>& product, Scratch scratch, const CsrPolicy& policy);

}  // namespace Tessera::Cuda
