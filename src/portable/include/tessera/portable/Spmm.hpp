// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/BcsrView.hpp>
#include <tessera/common/BitTcfView.hpp>
#include <tessera/common/BlockRowPartitionView.hpp>
#include <tessera/common/BmatView.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/common/SortedColumnsView.hpp>
#include <tessera/common/StagedView.hpp>

/// Y = alpha A X + beta Y in Kokkos parallel patterns, one overload a format.
///
/// Every row is summed by one thread in an order that neither the number of threads nor of columns changes: results are
/// deterministic, without atomics. On host backends the inner loops are vectorised over columns for the processor at
/// hand; X whose columns are not adjacent is packed, some columns at a time, into `scratch` (see spmm_scratch_bytes).
/// With less scratch than that, fewer columns are packed at a time, down to none: slower, never wrong. On device
/// backends a thread computes one element of Y and `scratch` is not used.
///
/// alpha and beta must be finite for formats to agree within rounding. Sorted columns, and formats that are decoded in
/// pieces, add alpha times a part of a row at a time, which may be 0 where the sum of the row is not: an infinite alpha
/// then gives NaN in place of an infinity.
///
/// Instantiated for the enabled execution spaces, int and std::size_t offsets and the scalars of the library.
namespace Tessera {

/// Scratch that lets a product with `columns` columns of X run at full speed whatever X's layout.
template <class ExecutionSpace, class VectorScalar>
std::size_t spmm_scratch_bytes(Ordinal x_rows, Ordinal columns);

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const BitTcfPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const BmatPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const BlockRowPartitionPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const BcsrPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);

template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const StagedWindowsPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);

/// Y = beta Y, then Y += alpha A X column of the matrix after column: here threads share the columns of X, each adding
/// to all rows of its own columns of Y, and `scratch` is not used.
template <class ExecutionSpace, class MatrixScalar, class VectorScalar, class Offset>
void portable_spmm(const ExecutionSpace& exec, const SortedColumnsPattern<Offset>& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);

/// Y = beta Y; beta = 0 overwrites.
template <class ExecutionSpace, class VectorScalar>
void scale(const ExecutionSpace& exec, VectorScalar beta, const Multivector<VectorScalar>& y);

}  // namespace Tessera
