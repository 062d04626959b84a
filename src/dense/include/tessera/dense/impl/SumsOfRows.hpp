// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <tessera/dense/DenseAlgebra.hpp>

/// Sums over the rows of a block while it is computed: on a host, the last rows are still in cache.
namespace Tessera::Impl {

/// Makes the rows of a block.
struct RowProducer {
  /// Makes all rows; it may enqueue a kernel.
  std::function<void()> make_all;
  /// Makes rows [first, last) on the calling thread. Threads of a host call it at the same time for different rows. If
  /// empty, only make_all() can be called.
  std::function<void(Ordinal first, Ordinal last)> make_rows = {};
  /// Returns the bytes that are read and written to make and sum the rows before this one; ascends with the row.
  std::function<std::int64_t(Ordinal row)> bytes_before = {};
};

/// Makes Y, then C = [X, Y]^T Y or, if there is no X, C = Y^T Y. Waits once.
///
/// Rows are made and summed piece by piece if make_rows() is not empty and there are at most 128 columns. Pieces depend
/// only on bytes_before() and the number of columns, and their sums are added in order. Otherwise all rows are made
/// first. Blocks without adjacent columns are copied to the workspace, which needs their memory again.
///
/// \param blocks [in] some of X and Y: the rows of C are their columns, one block after the other
template <class ExecutionSpace, class Scalar>
void make_with_inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                              const RowProducer& rows, std::span<const Multivector<const Scalar>> blocks,
                              const Multivector<const Scalar>& Y, const SmallMatrix<Scalar>& C);

/// Makes Y, then result[j] = y_j . y_j for each column, in the same way. Waits once.
template <class ExecutionSpace, class Scalar>
void make_with_dots(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    const RowProducer& rows, const Multivector<const Scalar>& Y, Scalar* result);

}  // namespace Tessera::Impl
