// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <tessera/dense/DenseAlgebra.hpp>

/// Sums over the rows of a block, computed together with the block: on a host, its last rows are then still in cache.
namespace Tessera::Impl {

/// Computes the rows of a block.
struct RowProducer {
  /// Computes all rows; it may enqueue a kernel.
  std::function<void()> make_all;
  /// Computes rows [first, last) on the calling thread. Threads of a host call it concurrently for different rows. If
  /// empty, only make_all() can be called.
  std::function<void(Ordinal first, Ordinal last)> make_rows = {};
  /// Returns the bytes that are read and written to compute and sum the rows before `row`. Ascends with `row`.
  std::function<std::int64_t(Ordinal row)> bytes_before = {};
};

/// Computes Y, and C = [X, Y]^T Y or, if there is no X, C = Y^T Y. Waits once.
///
/// Rows are computed and summed piece by piece if make_rows is not empty and there are at most 128 columns. Pieces
/// depend only on bytes_before() and the number of columns, and their sums are added in order. Otherwise all rows are
/// computed first. Blocks whose columns are not adjacent are copied to the workspace, which needs memory for the
/// copies.
///
/// \param blocks [in] X and Y, or one of them: C has a row for each of their columns, one block after the other
template <class ExecutionSpace, class Scalar>
void make_with_inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                              const RowProducer& rows, std::span<const Multivector<const Scalar>> blocks,
                              const Multivector<const Scalar>& Y, const SmallMatrix<Scalar>& C);

/// Computes Y, and result[j] = y_j . y_j for each column, in the same way. Waits once.
template <class ExecutionSpace, class Scalar>
void make_with_dots(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    const RowProducer& rows, const Multivector<const Scalar>& Y, Scalar* result);

}  // namespace Tessera::Impl
