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

/// How often an iteration of block_cg() sums over ranks, if it does.
enum class BlockCgSums {
  /// Once if a rank has few numbers in a block: at most 2^15 on hosts and 2^22 on devices, with the mean number of
  /// rows.
  /// A sum then takes longer than what saves it. Otherwise Twice. One more sum at the beginning counts rows and ranks.
  Auto,
  Once,  ///< once in most iterations, twice with a preconditioner: for many ranks or slow networks
  Twice  ///< twice, three times with a preconditioner: with less arithmetic
};

/// Options of block_cg().
template <class Scalar>
struct BlockCgOptions {
  double tolerance = 1e-8;    ///< a column is solved when |b - A x| is at most this share of |b|, in the 2-norm
  int max_iterations = 1000;  ///< upper bound on the iterations; each multiplies by A once
  /// Threshold for leaving out a dependent direction: the norm of its part that is orthogonal to earlier directions,
  /// divided by its own norm. 0 selects s eps^0.8, where s is the number of columns and eps the machine epsilon:
  /// rounding leaves about that much of a dependent direction. A larger value saves products if columns are nearly
  /// dependent, but costs restarts: residuals include the parts left out, and a cycle ends when these dominate.
  double dependence = 0;
  /// Upper bound on the restarts. The residuals of the recurrence drift from b - A x. Hence b - A x is computed when
  /// all columns seem to be solved, and columns that are not start again. If negative, b - A x is not computed.
  int max_restarts = 3;
  /// Rows of memory behind the P and R that `multiply` and `precondition` are given, where these may write: room for
  /// elements of other ranks. Every block of the workspace has these rows.
  int halo_room = 0;
  Impl::SumOverRanks<Scalar> sum_over_ranks = {};  ///< the sum over ranks, if rows are distributed
  BlockCgSums sums = BlockCgSums::Auto;            ///< how often an iteration sums over ranks; the same on all of them
  bool keeps_history = false;                      ///< fills BlockCgResult::history
};

/// Why block_cg() ended.
enum class BlockCgStop {
  Converged,                          ///< every column is solved
  MaxIterations,                      ///< iterations reached BlockCgOptions::max_iterations
  MaxRestarts,                        ///< no restart is left; rounding or `dependence` keeps b - A x above tolerance
  Stagnation,                         ///< residuals no longer fall, neither in the block nor one by one
  MatrixNotPositiveDefinite,          ///< some p^T A p is not positive, up to rounding
  PreconditionerNotPositiveDefinite,  ///< some r^T M r is not positive
};

/// Returns the reason in words: "converged", "iterations ran out" and so on.
std::string to_string(BlockCgStop stop);

/// An iteration of block_cg().
struct BlockCgIteration {
  Impl::Ordinal columns = 0;      ///< columns of B that were unsolved before the iteration
  Impl::Ordinal directions = 0;   ///< independent directions that A was multiplied by, also those of solved columns
  std::vector<double> residuals;  ///< |r| / |b| of each column of B after the iteration; r is the recurrence's
};

/// Result of block_cg().
struct BlockCgResult {
  BlockCgStop stop = BlockCgStop::Converged;  ///< the reason why the method ended
  bool has_converged = false;                 ///< whether `stop` is Converged
  int iterations = 0;                         ///< number of iterations, each with one product of A
  int columns_alone = 0;                      ///< columns that the block did not solve, and that were solved one by one
  int lost_curvatures = 0;                    ///< iterations in which p^T A p of some direction was lost in rounding
  Impl::Ordinal most_dependent = 0;           ///< largest number of dependent directions left out at once
  int restarts = 0;                           ///< number of restarts, see BlockCgOptions::max_restarts
  std::int64_t products = 0;                  ///< total number of columns that A was multiplied by
  /// |b - A x| / |b| for each column of B; 0 for a zero column. If max_restarts < 0: |r| / |b| of the recurrence.
  std::vector<double> residuals;
  std::vector<BlockCgIteration> history;  ///< the iterations, if BlockCgOptions::keeps_history
};

/// Returns advice on a solution that has not converged, as a sentence; empty if it has converged.
std::string advice(const BlockCgResult& result);

namespace Impl {
struct BlockCgAccess;
}  // namespace Impl

/// Memory that one solution after another can use: five to seven blocks as large as B, and small matrices. It grows
/// with the largest problem. A solution that is no larger than an earlier one allocates no View, except two blocks when
/// residuals are smoothed for the first time. A workspace serves one instance of a backend at a time.
template <class ExecutionSpace, class Scalar>
class BlockCgWorkspace {
 public:
  BlockCgWorkspace();
  ~BlockCgWorkspace();
  BlockCgWorkspace(BlockCgWorkspace&&) noexcept;             ///< moves the memory
  BlockCgWorkspace& operator=(BlockCgWorkspace&&) noexcept;  ///< moves the memory

  struct Memory;  ///< blocks and small matrices

 private:
  friend struct Impl::BlockCgAccess;
  std::unique_ptr<Memory> memory_;
};

/// Solves A X = B for a symmetric positive definite A by a block conjugate gradient method, which searches for each
/// column in the directions of all columns. No column needs more iterations than alone (rounding may add one or two),
/// and most need far fewer.
///
/// The method is BCGrQ of Dubrulle, "Retooling the method of block conjugate gradients", ETNA 12, 2001: the residuals
/// are R = Q C with an orthonormal Q, and C is a small matrix on the host. Hence no digits are lost if columns are
/// nearly dependent or of different sizes. Tessera adds two things. A preconditioner M enters through the Gram matrix
/// Z^T Q of Z = M Q. The factorizations that make Q are rank-revealing: directions that depend on others are left out.
/// Hence columns of B may be equal or dependent, and may converge at different times. (Ji and Li, "A breakdown-free
/// block conjugate gradient method", BIT Numerical Mathematics 57, 2017, leave directions out of P but have no C: R
/// then loses the dependent parts.)
///
/// Residuals of conjugate gradients oscillate. When a residual rises close to the tolerance, smoothing begins: iterates
/// are combined to minimize the residuals, which then never rise (Zhou and Walker, "Residual smoothing techniques for
/// iterative methods", SIAM J. Sci. Comput. 15, 1994). Before that, X keeps the best iterate of each column. X is never
/// worse than the best iterate or the guess.
///
/// A solved column is not updated further. Its directions are kept, because the Krylov space of the other columns needs
/// them. When all columns seem to be solved, b - A x is computed. Columns that are unsolved after all, due to rounding,
/// start again (max_restarts).
///
/// \param exec          [in]     the instance to run on
/// \param multiply      [in]     multiply(P, Q) computes Q = A P on `exec`, and need not wait. P and Q are unmanaged
///                               Views of rank 2 and LayoutRight (row-major) in memory of `exec`, with at most as many
///                               columns as B; P is const. If `multiply` has a member multiply_with_inner_products(P,
///                               Q, PtQ), this is called instead. It also writes P^T Q of this rank's rows to PtQ, a
///                               View of LayoutLeft in host memory, and waits for it. If `multiply` has a member
///                               instance(), like PlanOperator, this must return `exec` or an instance of the same
///                               stream
/// \param precondition  [in]     precondition(R, Z) computes Z = M R on `exec` likewise, with a symmetric positive
///                               definite M that approximates the inverse of A
/// \param B             [in]     right-hand sides: a View of rank 1 or 2 and any layout, of float or double
/// \param X             [in,out] initial guesses on entry; solutions on return, for which the call waits. Extents and
///                               type are those of B; X must not overlap B. A column whose guess has |b - A x| > |b| /
///                               eps begins at 0, because the rounding errors of such a guess exceed b
/// \param options       [in]     see BlockCgOptions
/// \param workspace     [in,out] memory
/// \throws std::invalid_argument if extents, options, memory or instances do not fit; X is then unchanged
/// \throws std::runtime_error if B or X holds NaN or Inf, with X unchanged; or if a result of `multiply` or
///         `precondition` is not finite or a solution is too large for Scalar, and X then holds guesses or better
///         iterates
///
/// An unsymmetric A is not detected. An A that is not positive definite usually is, and ends the method with a
/// BlockCgStop; X is then the best iterate. Residuals of ill-conditioned systems may rise for long before they fall. If
/// they no longer fall, or p^T A p of several directions is lost in rounding, columns are solved one by one.
///
/// If rows are distributed over ranks, B and X hold the rows of this rank, possibly none, and `multiply` communicates.
/// All ranks call it the same number of times if sums over ranks have the same bits on all ranks. Results have the same
/// bits in every run and for any number of threads if those of `multiply` and `precondition` do.
///
/// With s columns on n rows, an iteration multiplies A by at most s columns. On hosts, with up to 128 columns, it reads
/// or writes n x s numbers 14 times, with 2 waits: P^T A P is one pass, Q^T Q another, and updates compute Q, X and P.
/// With a preconditioner it is 16 times, with 3 waits. A product that computes P^T A P in its own pass saves 2 of these
/// times, and its wait replaces one wait. Devices update P in two passes without a preconditioner: 16 times.
///
/// If there is a sum over ranks, each wait is followed by one. With BlockCgSums::Once an iteration has 1 sum and wait,
/// 2 with a preconditioner. The pass for P^T A P then computes all that the Gram matrix of the next Q takes, and Q is
/// updated and made orthonormal in one pass. Hosts read or write n x s numbers 12 times, 14 times with a
/// preconditioner, and compute about a third more. A product that computes P^T A P in its own pass saves 1 of these
/// times; its wait is another wait. Devices move n x s numbers 19 times. Chronopoulos and Gear, "s-step iterative
/// methods for symmetric linear systems", J. Comput. Appl. Math. 25, 1989, sum once an iteration likewise: |r|^2
/// follows from products before r is computed.
///
/// The terms of this Gram matrix cancel where residuals fall. If it is not accurate enough, which all ranks decide
/// alike, the iteration computes it from Q, with one more wait and sum. For ill-conditioned systems whose residuals
/// swing, most iterations do.
///
/// If residuals are nearly dependent, orthonormalize() replaces this by two or more passes, waits and sums. Smoothing
/// reads or writes n x s numbers another 12 times, with one more wait and sum. Memory: 5 n s numbers, 7 n s if
/// residuals are smoothed.
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

/// Like the overload above, but allocates its memory and frees it at the end.
template <class ExecutionSpace, class Multiply, class Precondition, class BView, class XView>
requires(Kokkos::is_view_v<BView>&& Kokkos::is_view_v<XView>) BlockCgResult
    block_cg(const ExecutionSpace& exec, Multiply&& multiply, Precondition&& precondition, const BView& B,
             const XView& X, const BlockCgOptions<typename XView::non_const_value_type>& options = {}) {
  BlockCgWorkspace<ExecutionSpace, typename XView::non_const_value_type> workspace;
  return block_cg(exec, multiply, precondition, B, X, options, workspace);
}

/// Like the first overload, but without a preconditioner.
template <class ExecutionSpace, class Multiply, class BView, class XView>
requires(Kokkos::is_view_v<BView>&& Kokkos::is_view_v<XView>) BlockCgResult
    block_cg(const ExecutionSpace& exec, Multiply&& multiply, const BView& B, const XView& X,
             const BlockCgOptions<typename XView::non_const_value_type>& options,
             BlockCgWorkspace<ExecutionSpace, typename XView::non_const_value_type>& workspace) {
  return block_cg(exec, multiply, Impl::NoPreconditioner(), B, X, options, workspace);
}

/// Solves without a preconditioner, and allocates its memory and frees it at the end.
template <class ExecutionSpace, class Multiply, class BView, class XView>
requires(Kokkos::is_view_v<BView>&& Kokkos::is_view_v<XView>) BlockCgResult
    block_cg(const ExecutionSpace& exec, Multiply&& multiply, const BView& B, const XView& X,
             const BlockCgOptions<typename XView::non_const_value_type>& options = {}) {
  return block_cg(exec, multiply, Impl::NoPreconditioner(), B, X, options);
}

}  // namespace Tessera
