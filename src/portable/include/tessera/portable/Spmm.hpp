// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>

/// @file
/// Y = alpha A X + beta Y in Kokkos parallel patterns, for any format. Each engine instantiates it for its format.
///
/// Rows are summed in an order that depends neither on the number of threads nor on the number of columns; only a
/// single column may have an order of its own on a device, unless Product::same_bits_alone. Results are deterministic,
/// without atomics that add. If the columns of X are not adjacent, some of them at a time are packed into `scratch`
/// (see spmm_scratch_bytes()). With less scratch, fewer columns are packed at a time, or none, which is slower but
/// right.
///
/// On host backends one thread sums a row, and the inner loops are vectorised over columns for the processor. On device
/// backends lanes share the rows of CSR and of compact rows; plans cut long rows into pieces besides (RowSchedule). For
/// other formats each thread computes one element of Y.
///
/// Formats agree up to rounding errors if alpha and beta are finite. Sorted columns add alpha times each entry. Such a
/// term may be 0 although the sum of the row is not: an infinite alpha then gives NaN in place of an infinity.
///
/// Instantiated for the enabled execution spaces, offsets of type int and the scalars of the library.
namespace Tessera::Impl {
/// Returns the bytes of scratch with which a product of `columns` columns runs at full speed for any layout of X.
template <class ExecutionSpace, class VectorScalar>
std::size_t spmm_scratch_bytes(Ordinal x_rows, Ordinal columns);

/// Computes Y = alpha A X + beta Y for the pattern A of any format.
template <class ExecutionSpace, class Pattern, class MatrixScalar, class VectorScalar>
void portable_spmm(const ExecutionSpace& exec, const Pattern& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);

/// Computes rows [first, last) of Y = alpha A X + beta Y on the calling thread, in host memory, with the same bits as
/// portable_spmm(). X has fewer than 2^29 columns; they are adjacent unless there is only one.
template <class MatrixScalar, class VectorScalar>
void multiply_rows_on_host(const CsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product,
                           Ordinal first, Ordinal last);

/// Computes Y = beta Y; beta = 0 overwrites Y.
template <class ExecutionSpace, class VectorScalar>
void scale(const ExecutionSpace& exec, sum_of_t<VectorScalar> beta, const Multivector<VectorScalar>& y);

/// Copies X, whose elements have 16 bits, to Y.
template <class ExecutionSpace, class Half>
void widen(const ExecutionSpace& exec, const Multivector<const Half>& x, const Multivector<float>& y);

/// Computes Y = sums + beta Y for a 16-bit Y. The result is rounded once; beta = 0 overwrites Y.
template <class ExecutionSpace, class Half>
void add_rounded(const ExecutionSpace& exec, const Multivector<const float>& sums, float beta,
                 const Multivector<Half>& y);

/// Copies X to Y. They do not overlap.
template <class ExecutionSpace, class VectorScalar>
void copy(const ExecutionSpace& exec, const Multivector<const VectorScalar>& x, const Multivector<VectorScalar>& y);

}  // namespace Tessera::Impl
