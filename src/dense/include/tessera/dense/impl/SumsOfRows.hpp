// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <tessera/dense/DenseAlgebra.hpp>

/// Sums over the rows of a block that is just being made: on a host, while what was made last is still in cache.
namespace Tessera::Impl {

/// Makes the rows of a block.
struct RowProducer {
  /// Makes all rows; it may enqueue a kernel.
  std::function<void()> make_all;
  /// Makes rows [first, last) on the thread that calls. Threads of a host call it at the same time, each for rows of
  /// its own. Empty: only make_all() can be called.
  std::function<void(Ordinal first, Ordinal last)> make_rows = {};
  /// The bytes that the rows before this one take to be made and summed. It ascends.
  std::function<std::int64_t(Ordinal row)> bytes_before = {};
};

/// Makes Y, then C = [X, Y]^T Y or, if there is no X, C = Y^T Y. Waits once.
///
/// Rows are made and summed piece by piece if make_rows() is there and there are at most 128 columns. Pieces are cut by
/// bytes_before() and the number of columns alone, and their sums are added in order. Else all rows are made first.
/// Strides are any; what does not have adjacent columns is copied to the workspace, which then takes its memory again.
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
