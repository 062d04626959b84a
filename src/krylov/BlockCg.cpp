// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tessera/common/Overlap.hpp>
#include <tessera/dense/impl/SmallAlgebra.hpp>
#include <tessera/krylov/BlockCg.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <vector>

#include "BlockCgBlocks.hpp"

namespace Tessera {

std::string to_string(BlockCgStop stop) {
  switch (stop) {
    case BlockCgStop::Converged:
      return "converged";
    case BlockCgStop::MaxIterations:
      return "iterations ran out";
    case BlockCgStop::MaxRestarts:
      return "rounding allows no better solution";
    case BlockCgStop::MatrixNotPositiveDefinite:
      return "the matrix is not positive definite";
    case BlockCgStop::PreconditionerNotPositiveDefinite:
      return "the preconditioner is not positive definite";
  }
  return "unknown";
}

template <class ExecutionSpace, class Scalar>
BlockCgWorkspace<ExecutionSpace, Scalar>::BlockCgWorkspace() : memory_(std::make_unique<Memory>()) {}
template <class ExecutionSpace, class Scalar>
BlockCgWorkspace<ExecutionSpace, Scalar>::~BlockCgWorkspace() = default;
template <class ExecutionSpace, class Scalar>
BlockCgWorkspace<ExecutionSpace, Scalar>::BlockCgWorkspace(BlockCgWorkspace&&) noexcept = default;
template <class ExecutionSpace, class Scalar>
BlockCgWorkspace<ExecutionSpace, Scalar>& BlockCgWorkspace<ExecutionSpace, Scalar>::operator=(
    BlockCgWorkspace&&) noexcept = default;

namespace Impl {
namespace {

[[noreturn]] void refuse(const std::string& found) { throw std::invalid_argument("Tessera::block_cg: " + found); }
[[noreturn]] void fail(const std::string& found) { throw std::runtime_error("Tessera::block_cg: " + found); }

template <class Scalar>
void check(const Multivector<const Scalar>& B, const Multivector<Scalar>& X, const BlockCgOptions<Scalar>& options) {
  if (B.rows != X.rows || B.columns != X.columns) {
    refuse("X is " + std::to_string(X.rows) + " x " + std::to_string(X.columns) + "; expected " +
           std::to_string(B.rows) + " x " + std::to_string(B.columns) + ", as B");
  }
  const bool has_elements = B.rows > 0 && B.columns > 0;
  if (has_elements && B.data == nullptr) refuse("B has no memory");
  if (has_elements && X.data == nullptr) refuse("X has no memory");
  if (overlap<Scalar>(B, {X.data, X.rows, X.columns, X.row_stride, X.column_stride})) {
    refuse("X shares memory with B; expected memory apart from it");
  }
  if (!(options.tolerance >= 0)) {
    refuse("options.tolerance is " + std::to_string(options.tolerance) + "; expected a number from 0 on");
  }
  if (options.max_iterations < 0) {
    refuse("options.max_iterations is " + std::to_string(options.max_iterations) + "; expected a number from 0 on");
  }
  if (!(options.dependence >= 0 && options.dependence < 1)) {
    refuse("options.dependence is " + std::to_string(options.dependence) + "; expected at least 0 and less than 1");
  }
}

/// One solution. The columns that are not solved are *active*; X, R and what is made of them have only these.
///
/// Beside the blocks stand small matrices of their inner products, over all ranks: PtQ is P^T Q and so on.
template <class ExecutionSpace, class Scalar>
class BlockCg {
 public:
  using Blocks = BlockCgBlocks<ExecutionSpace, Scalar>;
  using List = typename Blocks::List;
  using Operators = BlockCgOperators<Scalar>;

  BlockCg(const ExecutionSpace& exec, const Operators& operators, const Multivector<const Scalar>& B,
          const Multivector<Scalar>& X, const BlockCgOptions<Scalar>& options, typename Blocks::Memory& memory)
      : operators_(operators),
        B_(B),
        X_(X),
        options_(options),
        blocks_(exec, memory, options.sum_over_ranks, B.rows, B.columns) {}

  BlockCgResult run() {
    read_arguments();
    iterate();
    if (options_.max_restarts >= 0) verify();
    result_.has_converged = result_.stop == BlockCgStop::Converged;
    return std::move(result_);
  }

 private:
  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();

  /// What a search for directions has to know: inner products with Z = M R, or with Z = R without a preconditioner.
  struct Inner {
    Small QtZ, RtZ, ZtZ, PtZ;  // the last with a preconditioner alone
    /// Without one: only these columns stay.
    void keep(const List& columns) {
      QtZ = QtZ.some_columns(columns);
      RtZ = RtZ.some_columns(columns).transposed().some_columns(columns).transposed();
      ZtZ = RtZ;
    }
  };

  Ordinal active() const { return static_cast<Ordinal>(active_.size()); }
  auto block(typename Blocks::Name name, Ordinal columns) const { return blocks_.block(name, columns); }
  auto X() const { return block(Blocks::X, active()); }
  auto R() const { return block(Blocks::R, active()); }
  auto P() const { return block(Blocks::P, directions_); }
  auto Q() const { return block(Blocks::Q, directions_); }
  bool has_preconditioner() const { return static_cast<bool>(operators_.precondition); }
  double& residual(Ordinal column) { return result_.residuals[static_cast<std::size_t>(column)]; }

  void multiply(const TallBlock<Scalar>& from, const TallBlock<Scalar>& to) {
    operators_.multiply(from, to);
    result_.products += from.columns;
  }

  // ---- B, X and residuals ----

  /// B -> R, X -> X, all columns. Columns of B are measured and, if squares of their elements could overflow or lose
  /// digits, scaled by powers of 2.
  void read_arguments() {
    active_.resize(static_cast<std::size_t>(B_.columns));
    std::iota(active_.begin(), active_.end(), 0);
    result_.residuals.resize(active_.size());
    moved_.resize(active_.size());
    if (active_.empty()) return;
    blocks_.load({X_.data, X_.rows, X_.columns, X_.row_stride, X_.column_stride}, active_, Blocks::X);
    const std::vector<double> guess = blocks_.magnitudes(X());
    expect_finite(guess, "X");
    blocks_.load(B_, active_, Blocks::R);
    norms_ = blocks_.squares(R());
    const double least = std::sqrt(std::sqrt(double(std::numeric_limits<Scalar>::min())));
    const auto is_safe = [&](double square) { return square >= least && square <= 1 / least; };
    if (!std::all_of(norms_.begin(), norms_.end(), is_safe)) scale_arguments();
    for (double& norm : norms_) norm = std::sqrt(norm);
    if (std::any_of(guess.begin(), guess.end(), [](double magnitude) { return magnitude > 0; })) subtract_guess();
    leave_columns_of_zeros();
  }

  static void expect_finite(const std::vector<double>& magnitudes, const char* name) {
    for (std::size_t j = 0; j < magnitudes.size(); ++j) {
      if (std::isfinite(magnitudes[j])) continue;
      fail("column " + std::to_string(j) + " of " + name + " holds NaN or Inf; expected finite numbers");
    }
  }

  void scale_arguments() {
    const std::vector<double> greatest = blocks_.magnitudes(R());
    expect_finite(greatest, "B");
    const int most = std::numeric_limits<Scalar>::max_exponent - 3;
    exponents_.resize(greatest.size());
    for (std::size_t j = 0; j < greatest.size(); ++j)
      exponents_[j] = greatest[j] > 0 ? -std::clamp(std::ilogb(greatest[j]), -most, most) : 0;
    scale_back(R(), active_, 1);
    scale_back(X(), active_, 1);
    norms_ = blocks_.squares(R());
  }
  /// Scales a block of the columns of a list, or back (sign = -1).
  void scale_back(const TallBlock<Scalar>& block, const List& columns, int sign) {
    if (exponents_.empty()) return;
    std::vector<int> exponents;
    for (const Ordinal j : columns) exponents.push_back(sign * exponents_[static_cast<std::size_t>(j)]);
    blocks_.scale_columns(block, exponents);
  }

  /// R = B - A X, with R = B on entry. Columns of X that are useless as guesses become 0: rounding would keep them from
  /// being solved, and squares of their residuals, or X itself once it is scaled as B is, may be too large.
  void subtract_guess() {
    subtract_product();
    const List useless = useless_guesses(blocks_.squares(R()));
    if (useless.empty()) return;
    for (const Ordinal j : useless) blocks_.fill_with_zeros(X().some_columns(j, 1));
    blocks_.load(B_, active_, Blocks::R);
    scale_back(R(), active_, 1);
    subtract_product();
  }
  /// Those that leave more than |b| / eps, or what is not finite.
  List useless_guesses(const std::vector<double>& squares) const {
    List result;
    for (Ordinal j = 0; j < active(); ++j) {
      const double norm = norms_[static_cast<std::size_t>(j)], left = std::sqrt(squares[static_cast<std::size_t>(j)]);
      if (norm > 0 && !(left * epsilon <= norm)) result.push_back(j);
    }
    return result;
  }
  /// R -= A X
  void subtract_product() {
    multiply(X(), block(Blocks::Q, active()));
    blocks_.add_to(Scalar(-1), block(Blocks::Q, active()), R());
  }

  void leave_columns_of_zeros() {
    List zeros, others;
    for (Ordinal j = 0; j < active(); ++j) (norms_[static_cast<std::size_t>(j)] > 0 ? others : zeros).push_back(j);
    for (const Ordinal j : zeros) blocks_.fill_with_zeros(X().some_columns(j, 1));
    leave(zeros, others);
  }

  /// Columns at these places among the active ones leave, and the others stay.
  void leave(const List& leaving, const List& staying) {
    if (leaving.empty()) return;
    List targets, rest;
    for (const Ordinal place : leaving) targets.push_back(active_[static_cast<std::size_t>(place)]);
    for (const Ordinal place : staying) rest.push_back(active_[static_cast<std::size_t>(place)]);
    TallBlock<Scalar> going = X();
    going.columns = static_cast<Ordinal>(leaving.size());
    going.column_list = leaving.data();
    scale_back(going, targets, -1);
    blocks_.store(active(), leaving, targets, X_);
    blocks_.keep(Blocks::X, active(), staying);
    blocks_.keep(Blocks::R, active(), staying);
    active_ = rest;
  }

  /// Takes note of the residuals, and lets columns leave that are solved. Returns the places of those that stay.
  List leave_solved(const std::vector<double>& squares) {
    List leaving, staying;
    for (Ordinal j = 0; j < active(); ++j) {
      const Ordinal column = active_[static_cast<std::size_t>(j)];
      if (!std::isfinite(squares[static_cast<std::size_t>(j)])) fail("residuals have become NaN or Inf");
      residual(column) = std::sqrt(squares[static_cast<std::size_t>(j)]) / norms_[static_cast<std::size_t>(column)];
      (residual(column) <= options_.tolerance ? leaving : staying).push_back(j);
    }
    leave(leaving, staying);
    return staying;
  }

  // ---- The method ----

  /// Until no column is active. Begins with R = B - A X and without directions.
  void iterate() {
    directions_ = 0;
    curvature_ = {};
    PtP_ = {};
    result_.stop = BlockCgStop::Converged;
    for (bool is_first = true; active() > 0; is_first = false) {
      Inner inner = measure_residuals();
      if (!is_first) note_iteration();
      if (active() == 0) return;
      if (result_.iterations == options_.max_iterations) return stop(BlockCgStop::MaxIterations);
      if (has_preconditioner()) inner = precondition();
      if (!make_directions(inner)) return stop(BlockCgStop::PreconditionerNotPositiveDefinite);
      if (options_.keeps_history) result_.history.push_back({active(), directions_, {}});
      if (!take_step()) return stop(BlockCgStop::MatrixNotPositiveDefinite);
    }
  }

  void note_iteration() {
    if (options_.keeps_history) result_.history.back().residuals = result_.residuals;
  }

  /// All columns leave as they are.
  void stop(BlockCgStop why) {
    result_.stop = why;
    if (options_.keeps_history && !result_.history.empty() && result_.history.back().residuals.empty())
      note_iteration();
    List all(active_.size());
    std::iota(all.begin(), all.end(), 0);
    leave(all, {});
  }

  /// Columns that are solved leave. Without a preconditioner the same pass gives what the next directions take.
  Inner measure_residuals() {
    if (has_preconditioner()) {
      leave_solved(blocks_.squares(R()));
      return {};
    }
    const Ordinal before = directions_, columns = active();
    const Small sums = before > 0 ? blocks_.products({Q(), R()}, R()) : blocks_.products({R()}, R());
    Inner inner{sums.some_rows(0, before), sums.some_rows(before, columns), {}, {}};
    std::vector<double> squares;
    for (Ordinal j = 0; j < columns; ++j) squares.push_back(inner.RtZ(j, j));
    inner.keep(leave_solved(squares));
    return inner;
  }

  /// Z = M R, which is the spare block.
  Inner precondition() {
    const auto Z = block(Blocks::Spare, active());
    operators_.precondition(R(), Z);
    const Ordinal before = directions_, columns = active();
    const Small sums = before > 0 ? blocks_.products({Q(), P(), R(), Z}, Z) : blocks_.products({R(), Z}, Z);
    if (!sums.is_finite()) fail("`precondition` has made NaN or Inf, or numbers whose squares are too large");
    return {sums.some_rows(0, before), sums.some_rows(2 * before, columns),
            sums.some_rows(2 * before + columns, columns), sums.some_rows(before, before)};
  }

  /// P = Z + P beta with beta = -(P^T Q)^-1 Q^T Z, orthonormal, without columns that depend on others.
  ///
  /// The Gram matrix of Z + P beta follows from inner products that are there, and its Cholesky factor makes directions
  /// orthonormal in the pass that makes them. Where it cannot tell whether they are independent, orthonormalize() does.
  bool make_directions(const Inner& inner) {
    for (Ordinal j = 0; j < active(); ++j)
      if (!(inner.RtZ(j, j) > 0)) return false;
    const Small beta = -curvature_.solve(inner.QtZ);
    const Small of_P = beta.transposed() * PtP_ * beta;
    Small gram = inner.ZtZ + of_P;
    if (has_preconditioner() && directions_ > 0) {  // without one, P^T Z = P^T R is 0
      const Small mixed = inner.PtZ.transposed() * beta;
      gram = gram + mixed + mixed.transposed();
    }
    const double told = 10 * std::sqrt(active() * epsilon);  // the least share that a Gram matrix tells from rounding
    const double dependence = options_.dependence > 0 ? options_.dependence : told;
    const double share = std::max(told, dependence);
    const CholeskyFactor factor(gram, share * share);
    bool is_enough = is_orthonormal_ && (factor.keeps_all() || dependence >= told);
    for (Ordinal j = 0; j < active(); ++j)
      is_enough = is_enough && is_accurate(gram(j, j), inner.ZtZ(j, j), of_P(j, j));
    if (is_enough) {
      const Small F = factor.inverse_factor();
      combine(F, beta);
      PtR_ = F.transposed() * inner.RtZ.transposed();
    } else {
      orthonormalize_directions(beta, dependence);
    }
    is_known_ = is_enough && is_known_ + 1 < 16 ? is_known_ + 1 : 0;
    return directions_ > 0;
  }

  /// Whether a square is the sum of others without loss of digits, and neither too small nor too large.
  static bool is_accurate(double square, double of_Z, double of_P) {
    const double least = double(std::numeric_limits<Scalar>::min()) / (epsilon * epsilon);
    return std::isfinite(square) && of_Z >= least && square >= 0.01 * std::max(of_Z, of_P);
  }

  /// P = Z F + P beta F
  void combine(const Small& F, const Small& beta) {
    const auto target = has_preconditioner() ? Blocks::Q : Blocks::Spare;
    const auto Z = has_preconditioner() ? block(Blocks::Spare, active()) : R();
    const auto result = block(target, F.columns());
    blocks_.update(Scalar(1), Z, F, Scalar(0), result);
    if (directions_ > 0) blocks_.update(Scalar(1), P(), beta * F, Scalar(1), result);
    blocks_.swap(Blocks::P, target);
    directions_ = F.columns();
  }

  void orthonormalize_directions(const Small& beta, double dependence) {
    const auto Z = block(Blocks::Spare, active());
    if (!has_preconditioner()) blocks_.copy_block(R(), Z);
    if (directions_ > 0) blocks_.update(Scalar(1), P(), beta, Scalar(1), Z);
    const List independent = blocks_.make_orthonormal(Z, dependence);
    blocks_.swap(Blocks::P, Blocks::Spare);
    blocks_.keep(Blocks::P, active(), independent);
    directions_ = static_cast<Ordinal>(independent.size());
  }

  /// X += P alpha, R -= Q alpha with alpha = (P^T Q)^-1 P^T R. Returns whether P^T Q is positive definite.
  bool take_step() {
    const Small PtQ = multiply_directions();
    ++result_.iterations;
    if (!PtQ.is_finite()) fail("`multiply` has made NaN or Inf, or numbers whose inner products are too large");
    // A direction whose curvature is lost in rounding is left out of the step.
    curvature_ = CholeskyFactor(PtQ, 10 * directions_ * epsilon);
    if (curvature_.least_pivot() < -std::sqrt(epsilon) || curvature_.kept().empty()) return false;
    const Small alpha = curvature_.solve(PtR_);
    blocks_.update(Scalar(1), P(), alpha, Scalar(1), X());
    blocks_.update(Scalar(-1), Q(), alpha, Scalar(1), R());
    for (const Ordinal column : active_) moved_[static_cast<std::size_t>(column)] = true;
    return true;
  }

  /// Q = A P. Returns P^T Q, and measures P^T P and P^T R. If the product gives P^T Q itself, they are taken as they
  /// should be, which saves a pass; rounding adds up, and they are measured in one of 16 iterations.
  Small multiply_directions() {
    const Ordinal p = directions_;
    if (!operators_.multiply_with_inner_products) {
      multiply(P(), Q());
      const Small sums = blocks_.products({Q(), P(), R()}, P());
      take_products(sums.some_rows(p, p), sums.some_rows(2 * p, active()));
      return sums.some_rows(0, p).transposed();
    }
    const Small PtQ = blocks_.filled(
        p, p, [&](const SmallMatrix<Scalar>& sums) { operators_.multiply_with_inner_products(P(), Q(), sums); });
    result_.products += p;
    if (is_known_ > 0) {
      PtP_ = identity(p);
    } else {
      const Small sums = blocks_.products({P(), R()}, P());
      take_products(sums.some_rows(0, p), sums.some_rows(p, active()));
    }
    return PtQ;
  }

  void take_products(const Small& PtP, const Small& RtP) {
    PtP_ = PtP;
    PtR_ = RtP.transposed();
    is_orthonormal_ = true;
    for (Ordinal j = 0; j < directions_; ++j)
      for (Ordinal i = 0; i < directions_; ++i)
        is_orthonormal_ = is_orthonormal_ && std::abs(PtP(i, j) - (i == j)) <= 0.1;
  }

  // ---- The end ----

  /// Computes B - A X for columns that have changed. Those that are not solved start again.
  void verify() {
    for (;;) {
      active_.clear();
      for (Ordinal j = 0; j < B_.columns; ++j)
        if (moved_[static_cast<std::size_t>(j)]) active_.push_back(j);
      if (active_.empty()) return;
      std::fill(moved_.begin(), moved_.end(), false);
      compute_residuals();
      const BlockCgStop before = result_.stop;
      leave_solved(blocks_.squares(R()));
      if (active() == 0 && before == BlockCgStop::MaxIterations) result_.stop = BlockCgStop::Converged;
      if (active() == 0 || before != BlockCgStop::Converged) return;
      if (result_.restarts == options_.max_restarts) return stop(BlockCgStop::MaxRestarts);
      ++result_.restarts;
      iterate();
    }
  }

  void compute_residuals() {
    blocks_.load({X_.data, X_.rows, X_.columns, X_.row_stride, X_.column_stride}, active_, Blocks::X);
    blocks_.load(B_, active_, Blocks::R);
    scale_back(X(), active_, 1);
    scale_back(R(), active_, 1);
    subtract_product();
  }

  const Operators& operators_;
  Multivector<const Scalar> B_;
  Multivector<Scalar> X_;
  const BlockCgOptions<Scalar>& options_;
  Blocks blocks_;
  BlockCgResult result_;
  std::vector<double> norms_;   // of the columns of B, scaled
  std::vector<int> exponents_;  // powers of 2 that columns are scaled by; empty if they are not
  List active_;                 // the columns of B that are not solved
  std::vector<bool> moved_;     // columns of X that have changed since their residuals were computed
  Ordinal directions_ = 0;
  CholeskyFactor curvature_;  // of P^T Q
  Small PtP_, PtR_;
  bool is_orthonormal_ = true;  // P, nearly
  int is_known_ = 0;            // for how many iterations P^T P and P^T R have been known without a measurement
};

}  // namespace

template <class ExecutionSpace, class Scalar>
BlockCgResult solve_by_block_cg(const ExecutionSpace& exec, const BlockCgOperators<Scalar>& operators,
                                const Multivector<const Scalar>& B, const Multivector<Scalar>& X,
                                const BlockCgOptions<Scalar>& options,
                                const BlockCgWorkspace<ExecutionSpace, Scalar>& workspace) {
  const Kokkos::Profiling::ScopedRegion region("Tessera::block_cg");
  check(B, X, options);
  BlockCgResult result = BlockCg<ExecutionSpace, Scalar>(exec, operators, B, X, options, workspace.memory()).run();
  exec.fence("Tessera::block_cg");
  return result;
}

#define TESSERA_INSTANTIATE_SOLVER(Exec, S)                                                                      \
  template BlockCgResult solve_by_block_cg(const Exec&, const BlockCgOperators<S>&, const Multivector<const S>&, \
                                           const Multivector<S>&, const BlockCgOptions<S>&,                      \
                                           const BlockCgWorkspace<Exec, S>&);
#define TESSERA_FOR_EACH_REAL(Exec, M) TESSERA_IF_FLOAT(M, Exec, float) TESSERA_IF_DOUBLE(M, Exec, double)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_REAL, TESSERA_INSTANTIATE_SOLVER)

}  // namespace Impl

#define TESSERA_INSTANTIATE_WORKSPACE(Exec, S) template class BlockCgWorkspace<Exec, S>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_REAL, TESSERA_INSTANTIATE_WORKSPACE)

}  // namespace Tessera
