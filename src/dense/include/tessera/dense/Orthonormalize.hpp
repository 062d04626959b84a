// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <tessera/dense/DenseAlgebra.hpp>

namespace Tessera::Impl {

/// What becomes of columns that depend on those before.
enum class Dependent {
  Random,  ///< random directions, orthonormal to all others, take their places
  Zero,    ///< they become 0
};

/// How orthonormalize() works.
struct OrthonormalizeOptions {
  /// A column depends on those before if its part that is orthogonal to them has at most this share of its norm. 0
  /// stands for 50 sqrt(columns of X) epsilon, with epsilon = 2^-52 for double and 2^-23 for float: somewhat more than
  /// rounding leaves of a column that was made of others. Up to 64 columns of condition 10^13 are independent (double).
  double dependence = 0;
  double least_norm = 0;                    ///< nor is it independent if the norm of that part is at most this
  Dependent dependent = Dependent::Random;  ///< what becomes of dependent columns
  std::uint64_t seed = 1;                   ///< of the random directions
  std::int64_t first_row = 0;               ///< number of rows on the ranks before: see randomize()
};

/// Replaces, in place, sums of this rank by those of all ranks: an Allreduce. `count` numbers; the same calls are made
/// on every rank. Empty for one rank.
template <class Scalar>
using SumOverRanks = std::function<void(Scalar* sums, Ordinal count)>;

/// Makes the columns of X orthonormal, and orthogonal to the orthonormal columns of the blocks Q.
///
/// With X0 for what X holds before, X0 = Q C + X R afterwards, up to roundoff; R is upper triangular with a diagonal
/// that is not negative. R has a diagonal element 0 for each dependent column; the column's other elements tell how it
/// is made of those before, up to its share that is called dependent. Columns are independent in order: the first of
/// two equal columns stays. X may have any condition: its columns are orthonormal, and orthogonal to Q, up to a few
/// epsilon.
///
/// All inner products of a step, with Q and of X with itself, are one pass over X and Q, one sum over ranks and one
/// wait; the update is a second pass (block classical Gram-Schmidt with the inner product of Pythagoras, BCGS-PIP, and
/// Cholesky factors: Carson, Lund, Rozlozník, Thomas, "Block Gram-Schmidt algorithms and their stability properties",
/// 2022). Steps are repeated until the Gram matrix that a step begins with is the unit matrix up to a few unit
/// roundoffs: two steps for well-conditioned columns, three or four for a condition up to 10^13, a few more where
/// columns are dependent. Where squares of tiny or large elements would underflow or overflow, columns are scaled
/// first. The elements of C and R of a column whose norm no number can hold are infinite.
///
/// \param Q  [in] orthonormal blocks, or none
/// \param C  [out] as many rows as Q has columns in all, as many columns as X; or empty (no data)
/// \param R  [out] square, as many columns as X; or empty
/// \return the number of columns that were independent
/// \throws std::runtime_error if X holds NaN or Inf; X is then as it was
template <class ExecutionSpace, class Scalar>
Ordinal orthonormalize(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                       std::span<const TallBlock<const Scalar>> Q, const TallBlock<Scalar>& X,
                       const SmallMatrix<Scalar>& C, const SmallMatrix<Scalar>& R,
                       const SumOverRanks<Scalar>& sum_over_ranks = {}, const OrthonormalizeOptions& options = {});

}  // namespace Tessera::Impl
