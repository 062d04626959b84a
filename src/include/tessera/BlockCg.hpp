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

/// What block_cg() asks for.
template <class Scalar>
struct BlockCgOptions {
  double tolerance = 1e-8;    ///< a column is solved when |b - A x| is at most this share of |b|, in the 2-norm
  int max_iterations = 1000;  ///< each is one product with A
  /// A direction is left out if its part that is orthogonal to those before it is at most this share of its norm; 0
  /// stands for s eps^0.8 with s columns and the spacing eps of numbers at 1: what rounding leaves of a direction that
  /// is used up. More than that saves products where columns are nearly dependent, and costs restarts: residuals count
  /// what is left out, and a cycle ends when that is most of them.
  double dependence = 0;
  /// Computes b - A x when all columns are solved, for the recurrence of the residuals drifts from it. Columns that are
  /// not solved start again from there, so often at most. Less than 0: not computed.
  int max_restarts = 3;
  Impl::SumOverRanks<Scalar> sum_over_ranks = {};  ///< for rows that are spread over ranks
  bool keeps_history = false;                      ///< fills BlockCgResult::history
};

/// Why block_cg() ended.
enum class BlockCgStop {
  Converged,                          ///< every column is solved
  MaxIterations,                      ///< BlockCgOptions::max_iterations
  MaxRestarts,                        ///< b - A x stays above the tolerance, by rounding or BlockCgOptions::dependence
  Stagnation,                         ///< residuals no longer fall, in the block and column by column
  MatrixNotPositiveDefinite,          ///< some p^T A p is not positive, up to rounding
  PreconditionerNotPositiveDefinite,  ///< some r^T M r is not positive
};

/// For messages: "converged", "iterations ran out" and so on.
std::string to_string(BlockCgStop stop);

/// One iteration.
struct BlockCgIteration {
  Impl::Ordinal columns = 0;  ///< columns of B that were not solved before it
  Impl::Ordinal directions =
      0;  ///< columns that A was multiplied by: those that are independent, of solved ones as well
  std::vector<double> residuals;  ///< |r| / |b| after it, a number for each column of B; r is the recurrence's
};

/// What block_cg() did.
struct BlockCgResult {
  BlockCgStop stop = BlockCgStop::Converged;  ///< why it ended
  bool has_converged = false;                 ///< whether that is Converged
  int iterations = 0;                         ///< products with directions
  int columns_alone = 0;                      ///< columns that the block did not solve, and that went on one by one
  int lost_curvatures = 0;                    ///< iterations in which p^T A p of some direction was lost in rounding
  Impl::Ordinal most_dependent = 0;  ///< the most directions that were left out at once, for they depended on others
  int restarts = 0;                  ///< how often columns started again, see BlockCgOptions::max_restarts
  std::int64_t products = 0;         ///< columns that A was multiplied by, in all
  /// |b - A x| / |b| for each column of B: 0 for a column of zeros, and as the recurrence says if max_restarts < 0.
  std::vector<double> residuals;
  std::vector<BlockCgIteration> history;  ///< if BlockCgOptions::keeps_history
};

/// What to try where a solution has not converged, as a sentence; empty if it has.
std::string advice(const BlockCgResult& result);

namespace Impl {
struct BlockCgAccess;
}  // namespace Impl

/// Memory of solutions, kept from one to the next: five to seven blocks as large as B, and small matrices. It grows
/// with the largest problem; a solution that is not larger than one before allocates no View, except two blocks the
/// first time that residuals are smoothed. One workspace serves one instance of a backend at a time.
template <class ExecutionSpace, class Scalar>
class BlockCgWorkspace {
 public:
  BlockCgWorkspace();
  ~BlockCgWorkspace();
  BlockCgWorkspace(BlockCgWorkspace&&) noexcept;             ///< takes the memory of another
  BlockCgWorkspace& operator=(BlockCgWorkspace&&) noexcept;  ///< takes the memory of another

  struct Memory;  ///< what it holds

 private:
  friend struct Impl::BlockCgAccess;
  std::unique_ptr<Memory> memory_;
};

/// Solves A X = B for a symmetric positive definite A by a block conjugate gradient method: every column searches in
/// the directions of all of them. No column takes more iterations than by itself, up to a step or two of rounding, and
/// most take far fewer.
///
/// The method is BCGrQ of Dubrulle, "Retooling the method of block conjugate gradients", ETNA 12, 2001: residuals are
/// R = Q C with an orthonormal Q, and C is a small matrix on the host, so that columns that are nearly dependent or of
/// different sizes cost no digits. Two things are added. A preconditioner M enters with the Gram matrix Z^T Q of Z = M
/// Q. And the factors of Q are rank-revealing: directions that depend on others are left out, so that equal or
/// dependent columns of B, and columns that converge at different times, break nothing. (Ji and Li, "A breakdown-free
/// block conjugate gradient method", BIT Numerical Mathematics 57, 2017, leave directions out of P, without C: R then
/// loses what depends.)
///
/// Residuals of conjugate gradients swing. Where one rises close to the tolerance, iterates are smoothed from then on:
/// mixed so that residuals are least, and never rise (Zhou and Walker, "Residual smoothing techniques for iterative
/// methods", SIAM J. Sci. Comput. 15, 1994). Before, X gets a column when it has its best iterate. X is never worse
/// than that, nor than the guess.
///
/// A column that is solved takes no more steps. Its directions stay, for the Krylov space of the others needs them.
/// When all are solved, b - A x is computed, and columns that rounding has kept from it start again (max_restarts).
///
/// \param exec          [in]     the instance to run on
/// \param multiply      [in]     multiply(P, Q) makes Q = A P on `exec`, and need not wait. P and Q are unmanaged Views
///                               of LayoutRight (rows adjacent in memory) and rank 2, of at most as many columns as B,
///                               in memory of `exec`; P is const. If it has a member multiply_with_inner_products(P, Q,
///                               PtQ), that is called in place of multiply(P, Q). It also writes P^T Q, of this rank's
///                               rows, to PtQ, a View of LayoutLeft in host memory, and waits for it. If it has a
///                               member instance(), as a PlanOperator has, that must be `exec`, or one of the same
///                               stream
/// \param precondition  [in]     precondition(R, Z) makes Z = M R likewise, on `exec`, with a symmetric positive
///                               definite M that approximates the inverse of A
/// \param B             [in]     right-hand sides: a View of rank 1 or 2 and any layout, of float or double
/// \param X             [in,out] an initial guess on entry, solutions at the end, complete when this returns; of
///                               extents and type of B; must not overlap B. A column whose guess leaves |b - A x| >
///                               |b| / eps begins at 0, for rounding errors of that guess alone are larger than b
/// \param options       [in]     see BlockCgOptions
/// \param workspace     [in,out] memory
/// \throws std::invalid_argument if extents, options, memory or instances do not fit; X is then as it was
/// \throws std::runtime_error if B or X holds NaN or Inf: X is then as it was; or if what `multiply` or `precondition`
///         makes is not finite, or a solution is too large for Scalar: X then holds guesses, or iterates that were
///         better
///
/// A that is not symmetric goes unnoticed. One that is not positive definite usually shows, and ends the method with a
/// BlockCgStop; X is then the best iterate. Residuals of ill-conditioned systems may rise for long before they fall.
/// Where they no longer do, or p^T A p of several directions together is lost in rounding, columns go on one by one.
///
/// Where rows are spread over ranks, B and X hold those of this rank, which may be none; `multiply` communicates, and
/// is called on every rank equally often if sums over ranks have the same bits on all of them. The same input gives the
/// same bits in every run, with any number of threads, if `multiply` and `precondition` do so.
///
/// With s columns on n rows, an iteration has a product of at most s columns and reads or writes n x s numbers 16
/// times, with 2 waits and 2 sums over ranks: P^T A P is one pass, Q^T Q another, and updates make Q, X and P. With a
/// preconditioner it is 16 times, 3 waits and 3 sums. A product that gives P^T A P in its own pass saves 2 times, and
/// its wait stands for that of the first pass. Where residuals are nearly dependent, orthonormalize() takes the place
/// of the second pass, with two or more passes, waits and sums. Smoothing reads or writes 12 times n x s numbers more,
/// with one wait and sum. Memory: 5 n s numbers, 7 where residuals are smoothed.
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

/// The same in memory that is allocated, and freed at the end.
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

/// The same without a preconditioner, in memory that is allocated, and freed at the end.
template <class ExecutionSpace, class Multiply, class BView, class XView>
requires(Kokkos::is_view_v<BView>&& Kokkos::is_view_v<XView>) BlockCgResult
    block_cg(const ExecutionSpace& exec, Multiply&& multiply, const BView& B, const XView& X,
             const BlockCgOptions<typename XView::non_const_value_type>& options = {}) {
  return block_cg(exec, multiply, Impl::NoPreconditioner(), B, X, options);
}

}  // namespace Tessera
