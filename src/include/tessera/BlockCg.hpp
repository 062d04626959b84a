// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <tessera/common/Types.hpp>
#include <tessera/dense/Orthonormalize.hpp>
#include <tessera/krylov/impl/BlockCgProblem.hpp>
#include <vector>

namespace Tessera {

/// Options of block_cg().
template <class Scalar>
struct BlockCgOptions {
  double tolerance = 1e-8;    ///< a column is solved when |b - A x| is at most this share of |b|, in the 2-norm
  int max_iterations = 1000;  ///< upper bound on the iterations, each with one product with A
  /// A direction is left out if its part that is orthogonal to earlier directions is at most this share of its norm. 0
  /// is the default s eps^0.8, for s columns and the spacing eps of numbers at 1: rounding leaves as much of a
  /// direction that is used up. A larger share saves products if columns are nearly dependent, and costs restarts:
  /// residuals include what is left out, and a cycle ends when that is most of them.
  double dependence = 0;
  /// Upper bound on the restarts. The recurrence of the residuals drifts from b - A x, so b - A x is computed when all
  /// columns are solved, and unsolved ones start again. If less than 0, b - A x is not computed.
  int max_restarts = 3;
  Impl::SumOverRanks<Scalar> sum_over_ranks = {};  ///< sums over ranks, if rows are spread over them
  bool keeps_history = false;                      ///< fills BlockCgResult::history
};

/// Why block_cg() ended.
enum class BlockCgStop {
  Converged,                          ///< every column is solved
  MaxIterations,                      ///< BlockCgOptions::max_iterations
  MaxRestarts,                        ///< b - A x exceeds the tolerance, by rounding or BlockCgOptions::dependence
  Stagnation,                         ///< residuals no longer fall, neither in the block nor column by column
  MatrixNotPositiveDefinite,          ///< some p^T A p is not positive, up to rounding
  PreconditionerNotPositiveDefinite,  ///< some r^T M r is not positive
};

/// Returns the reason in words: "converged", "iterations ran out" and so on.
std::string to_string(BlockCgStop stop);

/// An iteration of block_cg().
struct BlockCgIteration {
  Impl::Ordinal columns = 0;      ///< columns of B that were unsolved before the iteration
  Impl::Ordinal directions = 0;   ///< independent directions that A was multiplied by, solved columns included
  std::vector<double> residuals;  ///< |r| / |b| afterwards for each column of B, with the r of the recurrence
};

/// Result of block_cg().
struct BlockCgResult {
  BlockCgStop stop = BlockCgStop::Converged;  ///< why it ended
  bool has_converged = false;                 ///< whether `stop` is Converged
  int iterations = 0;                         ///< products with directions
  int columns_alone = 0;                      ///< columns that the block did not solve, iterated one by one
  int lost_curvatures = 0;                    ///< iterations in which p^T A p of some direction was lost in rounding
  Impl::Ordinal most_dependent = 0;           ///< largest number of dependent directions left out at once
  int restarts = 0;                           ///< number of restarts, see BlockCgOptions::max_restarts
  std::int64_t products = 0;                  ///< columns that A was multiplied by, in all
  /// |b - A x| / |b| for each column of B: 0 for a zero column; |r| / |b| of the recurrence if max_restarts < 0.
  std::vector<double> residuals;
  std::vector<BlockCgIteration> history;  ///< the iterations, if BlockCgOptions::keeps_history
};

/// Returns advice on a solution that has not converged, as a sentence; empty if it has converged.
std::string advice(const BlockCgResult& result);

namespace Impl {
struct BlockCgAccess;
}  // namespace Impl

/// Memory that successive solutions share: five to seven blocks as large as B, and small matrices. It grows with the
/// largest problem. A solution that is no larger than an earlier one allocates no View, except two blocks the first
/// time that residuals are smoothed. One workspace serves one instance of a backend at a time.
template <class ExecutionSpace, class Scalar>
class BlockCgWorkspace {
 public:
  BlockCgWorkspace();
  ~BlockCgWorkspace();
  BlockCgWorkspace(BlockCgWorkspace&&) noexcept;             ///< takes the memory of another
  BlockCgWorkspace& operator=(BlockCgWorkspace&&) noexcept;  ///< takes the memory of another

  struct Memory;  ///< blocks and small matrices

 private:
  friend struct Impl::BlockCgAccess;
  std::unique_ptr<Memory> memory_;
};

/// Solves A X = B for a symmetric positive definite A by a block conjugate gradient method: every column searches in
/// the directions of all columns. No column takes more iterations than alone, except a step or two for rounding, and
/// most take far fewer.
///
/// The method is BCGrQ of Dubrulle, "Retooling the method of block conjugate gradients", ETNA 12, 2001: the residuals
/// are R = Q C with an orthonormal Q, and C is a small matrix on the host. Hence no digits are lost if columns are
/// nearly dependent or of different sizes. Two things are added. A preconditioner M enters with the Gram matrix Z^T Q
/// of Z = M Q. The factors of Q are rank-revealing: directions that depend on others are left out. Hence columns of B
/// may be equal or dependent, and may converge at different times. (Ji and Li, "A breakdown-free block conjugate
/// gradient method", BIT Numerical Mathematics 57, 2017, leave directions out of P, without C: R then loses the
/// dependent parts.)
///
/// Residuals of conjugate gradients swing. Once a residual rises close to the tolerance, iterates are smoothed: they
/// are mixed to minimize the residuals, which then never rise (Zhou and Walker, "Residual smoothing techniques for
/// iterative methods", SIAM J. Sci. Comput. 15, 1994). Before that, a column of X is stored when its iterate is the
/// best so far. X is never worse than the best iterate or the guess.
///
/// A column that is solved takes no more steps. Its directions are kept, because the Krylov space of the other columns
/// needs them. When all columns are solved, b - A x is computed. Columns that are unsolved after all, due to rounding,
/// start again (max_restarts).
///
/// \param exec          [in]     the instance to run on
/// \param multiply      [in]     multiply(P, Q) makes Q = A P on `exec`, and need not wait. P and Q are unmanaged Views
///                               of LayoutRight (rows adjacent in memory) and rank 2, of at most as many columns as B,
///                               in memory of `exec`; P is const. If it has a member multiply_with_inner_products(P, Q,
///                               PtQ), this is called in place of multiply(P, Q). It also writes P^T Q of this rank's
///                               rows to PtQ, a View of LayoutLeft in host memory, and waits for it. If it has a member
///                               instance(), like PlanOperator, this must return `exec` or an instance of the same
///                               stream
/// \param precondition  [in]     precondition(R, Z) makes Z = M R likewise, on `exec`, with a symmetric positive
///                               definite M that approximates the inverse of A
/// \param B             [in]     right-hand sides: a View of rank 1 or 2 and any layout, of float or double
/// \param X             [in,out] an initial guess on entry, solutions at the end, complete on return. Extents and type
///                               are those of B; X must not overlap B. A column whose guess has |b - A x| > |b| / eps
///                               begins at 0, because the rounding errors of such a guess exceed b
/// \param options       [in]     see BlockCgOptions
/// \param workspace     [in,out] memory
/// \throws std::invalid_argument if extents, options, memory or instances do not fit; X is then as it was
/// \throws std::runtime_error if B or X holds NaN or Inf: X is then as it was; or if what `multiply` or `precondition`
///         makes is not finite, or a solution is too large for Scalar: X then holds guesses, or iterates that were
///         better
///
/// An A that is not symmetric is not detected. An A that is not positive definite usually is, and ends the method with
/// a BlockCgStop; X is then the best iterate. Residuals of ill-conditioned systems may rise for long before they fall.
/// If they no longer fall, or p^T A p of several directions is lost in rounding, columns are solved one by one.
///
/// If rows are spread over ranks, B and X hold the rows of this rank, possibly none, and `multiply` communicates. It is
/// called equally often on every rank if sums over ranks have the same bits on all ranks. The same input gives the same
/// bits in every run, with any number of threads, if `multiply` and `precondition` do so.
///
/// With s columns on n rows, an iteration has a product of at most s columns and reads or writes n x s numbers 16
/// times, with 2 waits and 2 sums over ranks: P^T A P is one pass, Q^T Q another, and updates make Q, X and P. With a
/// preconditioner it is 16 times, 3 waits and 3 sums. A product that computes P^T A P in its own pass saves 2 of these
/// times, and its wait replaces the wait of the first pass. If residuals are nearly dependent, orthonormalize()
/// replaces the second pass by two or more passes, waits and sums. Smoothing reads or writes 12 times n x s numbers
/// more, with one wait and sum. Memory: 5 n s numbers, 7 n s if residuals are smoothed.
template <class ExecutionSpace, class Multiply, class Precondition, class BView, class XView>
requires(Kokkos::is_view_v<BView>&& Kokkos::is_view_v<XView>) BlockCgResult
    block_cg(const ExecutionSpace& exec, Multiply&& multiply, Precondition&& precondition, const BView& B,
             const XView& X, const BlockCgOptions<typename XView::non_const_value_type>& options,
             BlockCgWorkspace<ExecutionSpace, typename XView::non_const_value_type>& workspace) {
  using Scalar = typename XView::non_const_value_type;
  Impl::check_instance("multiply", exec, multiply);
  Impl::check_instance("precondition", exec, precondition);
  const auto operators = Impl::block_cg_operators<ExecutionSpace, Scalar>(multiply, precondition);
  return Impl::solve_by_block_cg<ExecutionSpace, Scalar>(
      exec, operators, Impl::block_cg_argument<ExecutionSpace, const Scalar>("B", B),
      Impl::block_cg_argument<ExecutionSpace, Scalar>("X", X), options, workspace);
}

/// The same, but allocates memory and frees it at the end.
template <class ExecutionSpace, class Multiply, class Precondition, class BView, class XView>
requires(Kokkos::is_view_v<BView>&& Kokkos::is_view_v<XView>) BlockCgResult
    block_cg(const ExecutionSpace& exec, Multiply&& multiply, Precondition&& precondition, const BView& B,
             const XView& X, const BlockCgOptions<typename XView::non_const_value_type>& options = {}) {
  BlockCgWorkspace<ExecutionSpace, typename XView::non_const_value_type> workspace;
  return block_cg(exec, multiply, precondition, B, X, options, workspace);
}

/// The same without a preconditioner.
template <class ExecutionSpace, class Multiply, class BView, class XView>
requires(Kokkos::is_view_v<BView>&& Kokkos::is_view_v<XView>) BlockCgResult
    block_cg(const ExecutionSpace& exec, Multiply&& multiply, const BView& B, const XView& X,
             const BlockCgOptions<typename XView::non_const_value_type>& options,
             BlockCgWorkspace<ExecutionSpace, typename XView::non_const_value_type>& workspace) {
  return block_cg(exec, multiply, Impl::NoPreconditioner(), B, X, options, workspace);
}

/// The same without a preconditioner, but allocates memory and frees it at the end.
template <class ExecutionSpace, class Multiply, class BView, class XView>
requires(Kokkos::is_view_v<BView>&& Kokkos::is_view_v<XView>) BlockCgResult
    block_cg(const ExecutionSpace& exec, Multiply&& multiply, const BView& B, const XView& X,
             const BlockCgOptions<typename XView::non_const_value_type>& options = {}) {
  return block_cg(exec, multiply, Impl::NoPreconditioner(), B, X, options);
}

}  // namespace Tessera
