// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <tessera/dense/DenseAlgebra.hpp>

namespace Tessera::Impl {

/// The replacement of a column that depends on earlier columns.
enum class Dependent {
  Random,  ///< random directions, orthonormal to all other columns
  Zero,    ///< zeros
};

/// Options of orthonormalize().
struct OrthonormalizeOptions {
  /// A column depends on earlier columns if the norm of its part that is orthogonal to them is at most this share of
  /// its own norm. 0 selects 50 sqrt(columns of X) epsilon, where epsilon is 2^-52 for double and 2^-23 for float.
  /// Rounding leaves somewhat less of a dependent column. Up to 64 columns of condition 10^13 are independent (double).
  double dependence = 0;
  double least_norm = 0;                    ///< a column is also dependent if the norm of that part is at most this
  Dependent dependent = Dependent::Random;  ///< the replacement of dependent columns
  std::uint64_t seed = 1;                   ///< seed of the random directions
  std::int64_t first_row = 0;               ///< number of rows on lower ranks: see randomize()
};

/// Replaces `count` sums of this rank, in place, by the sums over all ranks, like an Allreduce. All ranks make the same
/// calls. Empty if there is one rank.
template <class Scalar>
using SumOverRanks = std::function<void(Scalar* sums, Ordinal count)>;

/// Makes the columns of X orthonormal, and orthogonal to the orthonormal columns of the blocks Q.
///
/// If X holds X0 on entry, X0 = Q C + X R on return, up to rounding errors. R is upper triangular with a diagonal that
/// is not negative. For a dependent column, the diagonal element of R is 0, and the other elements are the coefficients
/// of earlier columns, up to the share OrthonormalizeOptions::dependence. Of two equal columns, the first is
/// independent. X may have any condition: its columns become orthonormal, and orthogonal to Q, up to a few epsilon.
///
/// A step computes all inner products, of X with Q and of X with itself, in one pass over X and Q, with one sum over
/// ranks and one wait; the update is a second pass (block classical Gram-Schmidt with the inner product of Pythagoras,
/// BCGS-PIP, and Cholesky factors: Carson, Lund, Rozlozník, Thomas, "Block Gram-Schmidt algorithms and their stability
/// properties", 2022). Steps are repeated until the Gram matrix at the start of a step is the unit matrix up to a few
/// unit roundoffs: two steps for well-conditioned columns, three or four for a condition up to 10^13, a few more if
/// columns are dependent. Columns are scaled first if squares of their elements would underflow or overflow. If the
/// norm of a column overflows, its elements of C and R are infinite.
///
/// \param Q  [in] orthonormal blocks; may be empty
/// \param C  [out] a row for each column of all blocks Q and a column for each column of X; or empty (no data)
/// \param R  [out] square, with a row and a column for each column of X; or empty
/// \return the number of independent columns
/// \throws std::runtime_error if X holds NaN or Inf; X is then unchanged
template <class ExecutionSpace, class Scalar>
Ordinal orthonormalize(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                       std::span<const TallBlock<const Scalar>> Q, const TallBlock<Scalar>& X,
                       const SmallMatrix<Scalar>& C, const SmallMatrix<Scalar>& R,
                       const SumOverRanks<Scalar>& sum_over_ranks = {}, const OrthonormalizeOptions& options = {});

}  // namespace Tessera::Impl
