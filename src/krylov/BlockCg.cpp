// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tessera/BlockCg.hpp>
#include <tessera/common/Overlap.hpp>
#include <tessera/dense/impl/SmallAlgebra.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/Teams.hpp>
#include <vector>

#include "BlockCgSmoothing.hpp"
#include "BlockCgSystem.hpp"

namespace Tessera {

std::string to_string(BlockCgStop stop) {
  switch (stop) {
    case BlockCgStop::Converged:
      return "converged";
    case BlockCgStop::MaxIterations:
      return "iterations ran out";
    case BlockCgStop::MaxRestarts:
      return "rounding allows no better solution";
    case BlockCgStop::Stagnation:
      return "residuals no longer fall";
    case BlockCgStop::MatrixNotPositiveDefinite:
      return "the matrix is not positive definite";
    case BlockCgStop::PreconditionerNotPositiveDefinite:
      return "the preconditioner is not positive definite";
  }
  return "unknown";
}

std::string advice(const BlockCgResult& result) {
  const std::string dependence = result.most_dependent > 0 ? "; up to " + std::to_string(result.most_dependent) +
                                                                 " directions depended on others and were left out, "
                                                                 "which a BlockCgOptions::dependence of 0 does least"
                                                           : "";
  switch (result.stop) {
    case BlockCgStop::Converged:
      return "";
    case BlockCgStop::MaxIterations:
      return "residuals may still fall: take more iterations or a better preconditioner" + dependence;
    case BlockCgStop::Stagnation:
      return "take a better preconditioner: residuals have not fallen for half of the iterations, and for more than an "
             "exact method takes in all" +
             dependence;
    case BlockCgStop::MaxRestarts:
      return "take a greater tolerance, a more accurate product or double in place of float" + dependence;
    case BlockCgStop::MatrixNotPositiveDefinite:
      return result.lost_curvatures > 0
                 ? "the condition may be too large for rounding: scale A, or take a better preconditioner or double"
                 : "check that A is symmetric, and the sign of A: a direction p has p^T A p <= 0";
    case BlockCgStop::PreconditionerNotPositiveDefinite:
      return "check that M is symmetric, and the sign of M: a residual r has r^T M r <= 0";
  }
  return "";
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

[[noreturn]] void reject(const std::string& found) { throw std::invalid_argument("Tessera::block_cg: " + found); }

template <class Scalar>
void check(const Multivector<const Scalar>& B, const Multivector<Scalar>& X, const BlockCgOptions<Scalar>& options) {
  if (B.rows != X.rows || B.columns != X.columns) {
    reject("X is " + std::to_string(X.rows) + " x " + std::to_string(X.columns) + "; expected " +
           std::to_string(B.rows) + " x " + std::to_string(B.columns) + ", as B");
  }
  const bool has_elements = B.rows > 0 && B.columns > 0;
  if (has_elements && B.data == nullptr) reject("B has no memory");
  if (has_elements && X.data == nullptr) reject("X has no memory");
  if (overlap<Scalar>(B, {X.data, X.rows, X.columns, X.row_stride, X.column_stride})) {
    reject("X shares memory with B; expected memory apart from it");
  }
  if (!(options.tolerance >= 0)) {
    reject("options.tolerance is " + std::to_string(options.tolerance) + "; expected a number from 0 on");
  }
  if (options.halo_room < 0)
    reject("options.halo_room is " + std::to_string(options.halo_room) + "; expected a number from 0 on");
  if (options.max_iterations < 0) {
    reject("options.max_iterations is " + std::to_string(options.max_iterations) + "; expected a number from 0 on");
  }
  if (!(options.dependence >= 0 && options.dependence < 1)) {
    reject("options.dependence is " + std::to_string(options.dependence) + "; expected at least 0 and less than 1");
  }
}

/// Solves one system. A *cycle* builds one Krylov space: it begins with the computed residuals of X, and iterates on
/// the active columns of the system.
///
/// Within a cycle, residuals are R = Q C with an orthonormal block Q and a small matrix C on the host. Inner products
/// of blocks, over all ranks, are small matrices, too: PtAP is P^T A P, and so on.
template <class ExecutionSpace, class Scalar>
class BlockCg {
 public:
  using Blocks = BlockCgBlocks<ExecutionSpace, Scalar>;
  using List = typename Blocks::List;
  using ConstBlock = typename Blocks::ConstBlock;
  using Operators = BlockCgOperators<Scalar>;
  using Numbers = std::vector<double>;

  BlockCg(const ExecutionSpace& exec, const Operators& operators, const Multivector<const Scalar>& B,
          const Multivector<Scalar>& X, const BlockCgOptions<Scalar>& options, typename Blocks::Memory& memory)
      : operators_(operators),
        options_(options),
        blocks_(exec, memory, options.sum_over_ranks, B.rows, B.columns, options.halo_room),
        system_(blocks_, operators, B, X),
        smoothing_(blocks_),
        is_estimated_(static_cast<std::size_t>(B.columns)) {}

  BlockCgResult run() {
    system_.read();
    solve();
    solve_one_by_one();
    result_.residuals = system_.residuals();
    result_.products += system_.products();
    result_.has_converged = result_.stop == BlockCgStop::Converged;
    return std::move(result_);
  }

 private:
  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();

  Ordinal active() const { return system_.active(); }
  auto X() const { return system_.X(); }
  auto R() const { return system_.R(); }
  auto block(typename Blocks::Name name) const { return blocks_.block(name, width_); }
  bool has_preconditioner() const { return static_cast<bool>(operators_.precondition); }
  static std::size_t at(Ordinal j) { return static_cast<std::size_t>(j); }
  void multiply(const TallBlock<Scalar>& from, const TallBlock<Scalar>& to) {
    operators_.multiply(from, to);
    result_.products += from.columns;
  }

  // ---- Cycles ----

  /// Solves for the active columns, starting from X and R. If the recurrence has drifted from b - A x, columns whose b
  /// - A x exceeds the tolerance start another cycle.
  void solve() {
    const List columns = system_.active_columns();
    for (int restarts = 0;; ++restarts) {
      iterate();
      if (options_.max_restarts < 0) {
        store_better();
        if (result_.stop == BlockCgStop::Converged && !system_.open_among(columns, options_.tolerance).empty())
          result_.stop = BlockCgStop::MaxRestarts;
        return;
      }
      verify();
      const List open = system_.open_among(columns, options_.tolerance);
      if (open.empty()) result_.stop = BlockCgStop::Converged;
      if (open.empty() || result_.stop != BlockCgStop::Converged) return;
      if (restarts == options_.max_restarts) {
        result_.stop = BlockCgStop::MaxRestarts;
        return;
      }
      ++result_.restarts;
      system_.begin_with(open);
    }
  }

  /// Solves the columns that the block left unsolved, one at a time, each from its best iterate. Does nothing if the
  /// block cannot be the cause.
  void solve_one_by_one() {
    const bool is_for_the_block = result_.stop == BlockCgStop::Stagnation ||
                                  (result_.stop == BlockCgStop::MatrixNotPositiveDefinite && !has_negative_curvature_);
    if (!is_for_the_block || width_at_first_ < 2) return;
    BlockCgStop last = BlockCgStop::Converged;
    List all(is_estimated_.size());
    std::iota(all.begin(), all.end(), 0);
    for (const Ordinal column : system_.open_among(all, options_.tolerance)) {
      ++result_.columns_alone;
      system_.begin_with({column});
      solve();
      if (result_.stop != BlockCgStop::Converged) last = result_.stop;
    }
    result_.stop = last;
  }

  /// Computes the residuals of the iterates, and stores iterates that are better than those in the user's X.
  void verify() {
    if (!has_moved_) return;
    system_.compute_residuals();
    now_ = system_.relative(blocks_.squares(R()));
    store_better();
    // Columns whose stored iterate is an earlier one still have the residual of the recurrence.
    List estimated;
    for (const Ordinal column : system_.active_columns())
      if (is_estimated_[at(column)] || system_.is_scaled()) estimated.push_back(column);
    if (estimated.empty()) return;
    system_.begin_with(estimated);
    now_ = system_.relative(blocks_.squares(R()));
    for (Ordinal j = 0; j < active(); ++j) note_stored(j, false);
  }

  void store_better() {
    List better;
    for (Ordinal j = 0; j < active(); ++j)
      if (now_[at(j)] < system_.residual_at(j)) better.push_back(j);
    system_.store(better);
    for (const Ordinal j : better) note_stored(j, options_.max_restarts < 0);
  }
  void note_stored(Ordinal place, bool is_estimated) {
    system_.note_residual(place, now_[at(place)]);
    is_estimated_[at(system_.active_columns()[at(place)])] = is_estimated;
  }

  // ---- The method ----

  /// Iterates until no column is open (unsolved), or until there is a reason to stop. Starts from X and R = B - A X.
  void iterate() {
    result_.stop = BlockCgStop::Converged;
    has_moved_ = false;
    begin();
    for (begun_ = progress_ = result_.iterations; open_ > 0;) {
      const bool has_stopped = has_stagnated() || !may_go_on() || !make_directions() || !take_step();
      if (has_stopped) return;
    }
  }

  bool stop(BlockCgStop why) {
    result_.stop = why;
    return false;
  }

  /// Begins a cycle: removes the columns that are solved, and factors R = Q C.
  void begin() {
    directions_ = 0;
    Small gram = blocks_.products({R()}, R());
    Numbers squares;
    for (Ordinal j = 0; j < active(); ++j) squares.push_back(gram(j, j));
    now_ = system_.relative(squares);
    List open;
    for (Ordinal j = 0; j < active(); ++j) {
      note_stored(j, false);
      if (now_[at(j)] > options_.tolerance) open.push_back(j);
    }
    if (open.size() < at(active())) {
      system_.keep_active(open);
      gram = blocks_.products({R()}, R());  // again, because its bits depend on the number of columns
    }
    now_.clear();
    for (Ordinal j = 0; j < active(); ++j) now_.push_back(system_.residual_at(j));
    first_ = least_ = plain_ = now_;
    wait_ = 0;
    next_wait_ = 1;
    smoothing_.stop();
    is_open_.assign(at(active()), true);
    width_ = width_at_first_ = open_ = active();
    lost_.assign(at(active()), 0);
    C_ = identity(active());
    if (open_ > 0) C_ = factor(gram);
  }

  /// Factors R = Q C. Q has the same bits as if the dependent columns of R were absent.
  Small factor(const Small& gram) {
    if (const CholeskyFactor ready(gram, enough()); is_enough(ready, gram)) return make_orthonormal(ready);
    blocks_.copy_block(R(), blocks_.block(Blocks::P, active()));
    List independent;
    Small C = orthonormalize_residuals(independent, 0);
    if (width_ == active()) return C;
    const auto rest = block(Blocks::Spare);
    blocks_.copy_list(blocks_.block(Blocks::P, active()), independent, rest);
    const Small gram_of_rest = blocks_.products({rest}, rest);
    const CholeskyFactor ready(gram_of_rest, enough());
    if (!is_enough(ready, gram_of_rest)) return C;
    blocks_.swap(Blocks::Q, Blocks::Spare);
    const Small S = make_orthonormal(ready);
    for (Ordinal j = 0; j < width_; ++j)
      for (Ordinal i = 0; i < width_; ++i) C(i, independent[at(j)]) = S(i, j);
    return C;
  }

  /// A Gram matrix with pivots above this makes Q orthonormal. A pivot of eps^(1/4) loses a quarter of the digits.
  static double enough() { return std::sqrt(std::sqrt(epsilon)); }
  /// When a column of norm 1 is solved, rounding leaves a norm of at most this. eps^-0.2 is a margin for the condition.
  static double noise() { return std::pow(epsilon, 0.8); }
  static bool is_enough(const CholeskyFactor& factor, const Small& gram) {
    return has_accurate_squares(gram) && factor.keeps_all();
  }
  /// Returns whether no square of an element overflows or loses digits.
  static bool has_accurate_squares(const Small& gram) {
    constexpr double least = double(std::numeric_limits<Scalar>::min()) / (epsilon * epsilon);
    for (Ordinal j = 0; j < gram.columns(); ++j)
      if (!(gram(j, j) >= least && gram(j, j) <= 1 / least)) return false;
    return true;
  }
  /// Makes Q orthonormal: replaces Q by Q S^-1, where S is the factor of Q^T Q. Returns S.
  Small make_orthonormal(const CholeskyFactor& factor) {
    blocks_.update(Scalar(1), block(Blocks::Q), factor.inverse_factor(), Scalar(0), block(Blocks::Q));
    return factor.factor();
  }
  /// Makes Q orthonormal if a Gram matrix is not accurate enough. Q keeps its independent columns. Dependent ones leave
  /// only rounding errors: directions made of these would not be conjugate, and lead out of the Krylov space.
  Small orthonormalize_residuals(List& independent, double size) {
    const double dependence = options_.dependence > 0 ? options_.dependence : width_ * noise();
    const Small S = blocks_.orthonormalize_block(block(Blocks::Q), dependence, dependence * size);
    independent.clear();
    for (Ordinal j = 0; j < width_; ++j)
      if (S(j, j) > 0) {
        independent.push_back(j);
      } else {
        note_lost(j, dependence * (size > 0 ? std::max(1., std::sqrt(square_of_column(S, j))) : now_[at(j)]));
      }
    blocks_.keep(Blocks::Q, width_, independent);
    result_.most_dependent = std::max(result_.most_dependent, active() - static_cast<Ordinal>(independent.size()));
    width_ = static_cast<Ordinal>(independent.size());
    return S.transposed().some_columns(independent).transposed();
  }

  /// Notes that a part of column j of Q is left out; `norm` is the norm of this part. C cannot represent it, so it
  /// remains in b - A x. Before the first step Q is still R, and `norm` is already relative to B.
  void note_lost(Ordinal j, double norm) {
    if (options_.dependence == 0) return;  // the part left out is rounding error
    for (Ordinal k = 0; k < active(); ++k)
      lost_[at(k)] += norm * std::abs(C_(j, k)) / (directions_ > 0 ? system_.norm_at(k) : 1);
  }
  static double square_of_column(const Small& S, Ordinal j) {
    double sum = 0;
    for (Ordinal i = 0; i < S.rows(); ++i) sum += S(i, j) * S(i, j);
    return sum;
  }
  Numbers with_lost(Numbers residuals) const {
    for (Ordinal j = 0; j < active(); ++j) residuals[at(j)] = std::hypot(residuals[at(j)], lost_[at(j)]);
    return residuals;
  }

  /// Computes P = Z + P beta, conjugate to the previous P, with Z = M Q. beta = (Z^T Q)_before^-1 S^T Z^T Q follows
  /// from A P alpha = Q_before - Q S, Q_before^T Z = 0 and alpha = (P^T A P)^-1 (Z^T Q)_before.
  bool make_directions() {
    const auto Z = block(Blocks::Spare);
    Small beta = S_.transposed();
    if (!has_preconditioner()) {
      ZtQ_ = identity(width_);
    } else {
      operators_.precondition(block(Blocks::Q), Z);
      ZtQ_ = blocks_.products({Z}, block(Blocks::Q));
      if (!ZtQ_.is_finite())
        fail_block_cg("`precondition` has made NaN or Inf, or numbers whose inner products are too large");
      if (directions_ > 0) beta = preconditioned_.solve(beta * ZtQ_);
      preconditioned_ = CholeskyFactor(ZtQ_, rounding());
      if (!is_positive_definite(preconditioned_)) return stop(BlockCgStop::PreconditionerNotPositiveDefinite);
    }
    const auto P = blocks_.block(Blocks::P, directions_);
    const bool keeps_width = directions_ == width_;
    if (has_preconditioner()) {
      if (directions_ > 0) blocks_.update(Scalar(1), P, curvature_.only_kept(beta), Scalar(1), Z);
    } else if (directions_ > 0) {
      blocks_.update_from(P, curvature_.only_kept(beta), block(Blocks::Q), keeps_width ? block(Blocks::P) : Z);
    } else {
      blocks_.copy_block(block(Blocks::Q), Z);
    }
    if (has_preconditioner() || !keeps_width) blocks_.swap(Blocks::P, Blocks::Spare);
    directions_ = width_;
    return true;
  }

  /// The relative rounding error of a pivot.
  double rounding() const { return 10 * width_ * epsilon; }
  static bool is_positive_definite(const CholeskyFactor& factor) {
    return factor.least_pivot() >= -std::sqrt(epsilon) && !factor.kept().empty();
  }

  /// Takes a step with alpha = (P^T A P)^-1 Z^T Q: X += P alpha C; new Q and S from Q S = Q - A P alpha; C = S C.
  bool take_step() {
    if (options_.keeps_history) result_.history.push_back({open_, directions_, residuals_now()});
    const StepProducts products = multiply_directions();
    const Small& PtAP = products.PtAP;
    ++result_.iterations;
    if (!PtAP.is_finite())
      fail_block_cg("`multiply` has made NaN or Inf, or numbers whose inner products are too large");
    for (Ordinal j = 0; j < directions_; ++j) has_negative_curvature_ = has_negative_curvature_ || !(PtAP(j, j) > 0);
    // Directions whose p^T A p is lost in rounding are left out of the step.
    curvature_ = CholeskyFactor(PtAP, rounding());
    if (!is_positive_definite(curvature_)) return stop(BlockCgStop::MatrixNotPositiveDefinite);
    if (!curvature_.keeps_all()) ++result_.lost_curvatures;
    // A predicted Gram matrix leaves Q less orthonormal than a computed one: the products say how much.
    const bool has_QtQ = products.is_complete && !has_preconditioner();
    const Small alpha = curvature_.solve(has_QtQ ? products.QtQ : ZtQ_), step = alpha * C_;
    S_ = make_next(products, alpha);
    C_ = S_ * C_;
    move_X(step);
    has_moved_ = true;
    if (options_.keeps_history) result_.history.back().residuals = residuals_now();
    return true;
  }

  /// Products over all ranks. The last three, if there, predict the Gram matrix of the next Q.
  struct StepProducts {
    Small PtAP, APtAP, QtAP, QtQ;
    bool is_complete = false;
  };

  /// Replaces Q by the next Q, and returns S, with Q_next S = Q - A P alpha. If the Gram matrix of Q - A P alpha can be
  /// predicted, Q is updated in one pass without another sum over ranks.
  Small make_next(const StepProducts& products, const Small& alpha) {
    const CholeskyFactor predicted = products.is_complete ? predict(products, alpha) : no_factor();
    note_prediction(products.is_complete, predicted.keeps_all());
    if (predicted.keeps_all()) {
      const Small inverse = predicted.inverse_factor();
      blocks_.combine(block(Blocks::Q), inverse, block(Blocks::AP), -(alpha * inverse), block(Blocks::Q));
      return predicted.factor();
    }
    blocks_.update(Scalar(-1), block(Blocks::AP), alpha, Scalar(1), block(Blocks::Q));
    return factor_next();
  }

  /// Returns the factor of the Gram matrix of Q - A P alpha, which follows from products of Q and A P. It keeps all
  /// columns if and only if it is accurate enough.
  ///
  /// Terms of the Gram matrix cancel where residuals fall. Rounding errors are those of the terms, also where the A p_i
  /// cancel each other: eps times the square of (|q_j| + sum over i of |A p_i| |alpha_ij|). Pivots are compared with
  /// this square.
  CholeskyFactor predict(const StepProducts& products, const Small& alpha) const {
    const Small &APtAP = products.APtAP, &QtAP = products.QtAP, &QtQ = products.QtQ;
    if (!has_accurate_squares(APtAP) || !has_accurate_squares(QtQ)) return no_factor();
    const Small half = QtAP * alpha;
    const Small gram = QtQ + -half + -half.transposed() + alpha.transposed() * (APtAP * alpha);
    const CholeskyFactor factor(gram, enough());
    if (!is_enough(factor, gram) || has_noise(gram)) return no_factor();
    const Small S = factor.factor();
    const double least = std::sqrt(falls_fast() ? enough() : enough_for_prediction());
    for (Ordinal j = 0; j < width_; ++j) {
      double size = std::sqrt(QtQ(j, j));
      for (Ordinal i = 0; i < width_; ++i) size += std::sqrt(APtAP(i, i)) * std::abs(alpha(i, j));
      if (!(S(j, j) >= least * size)) return no_factor();
    }
    return factor;
  }
  CholeskyFactor no_factor() const { return {Small(width_, width_), 0}; }

  /// Pivots of a predicted Gram matrix above this lose at most 4 bits. With fewer bits, directions are less conjugate,
  /// and ill-conditioned systems take more iterations: 1 % more with 1/32, 4 % with 0.01 and 14 % with eps^(1/4).
  static double enough_for_prediction() { return std::max(enough(), 1.0 / 16); }
  /// Returns whether residuals have halved in every eighth iteration of the cycle. The cycle then ends before it
  /// matters how conjugate directions are.
  bool falls_fast() const {
    const int taken = result_.iterations - 1 - begun_;  // before this step
    if (taken == 0) return false;
    for (Ordinal j = 0; j < active(); ++j)
      if (is_open_[at(j)] && now_[at(j)] > std::ldexp(first_[at(j)], -taken / 8)) return false;
    return true;
  }

  /// Returns whether a step computes the products for the next Gram matrix, as all ranks do.
  bool predicts() {
    constexpr double few_numbers = is_host_space<ExecutionSpace> ? 1 << 15 : 1 << 22;
    if (wait_ > 0 || !blocks_.has_sum_over_ranks()) return false;
    if (options_.sums != BlockCgSums::Auto) return options_.sums == BlockCgSums::Once;
    return blocks_.mean_rows() * width_ <= few_numbers;
  }
  /// Where predictions fail, they mostly fail for many iterations: after each failure, waits twice as long.
  void note_prediction(bool is_tried, bool has_succeeded) {
    if (!is_tried) {
      wait_ = std::max(wait_ - 1, 0);
    } else if (has_succeeded) {
      next_wait_ = 1;
    } else {
      wait_ = next_wait_;
      next_wait_ = std::min(2 * next_wait_, 16);
    }
  }

  Small factor_next() {
    const Small gram = blocks_.products({block(Blocks::Q)}, block(Blocks::Q));
    if (!gram.is_finite()) fail_block_cg("residuals have become NaN or Inf");
    if (const CholeskyFactor ready(gram, enough()); is_enough(ready, gram) && !has_noise(gram))
      return make_orthonormal(ready);
    List independent;
    return orthonormalize_residuals(independent, 1);
  }

  bool has_noise(const Small& gram) const {
    for (Ordinal j = 0; j < width_; ++j)
      if (!(std::sqrt(gram(j, j)) > width_ * noise())) return true;
    return false;
  }

  /// Computes AP = A P and the products of a step, over all ranks, with one sum.
  StepProducts multiply_directions() {
    const ConstBlock P = block(Blocks::P), AP = block(Blocks::AP), Q = block(Blocks::Q);
    const Ordinal s = width_;
    const auto& with_products = operators_.multiply_with_inner_products;
    if (with_products) {
      result_.products += s;
    } else {
      multiply(block(Blocks::P), block(Blocks::AP));
    }
    const bool predicts_next = predicts();
    const std::vector<Small> sums = blocks_.filled(predicts_next ? 4 : 1, s, s, [&](const auto& of_rank) {
      std::vector<BlockProducts<Scalar>> all;
      if (with_products) with_products(P, block(Blocks::AP), of_rank[0]);
      if (!with_products) all.push_back({std::span(&P, 1), AP, of_rank[0]});
      if (predicts_next) {
        all.push_back({std::span(&AP, 1), AP, of_rank[1]});
        all.push_back({std::span(&Q, 1), AP, of_rank[2]});
        all.push_back({std::span(&Q, 1), Q, of_rank[3]});
      }
      blocks_.multiply(all);
    });
    if (!predicts_next) return {sums[0], {}, {}, {}, false};
    return {sums[0], sums[1], sums[2], sums[3], true};
  }

  /// Computes X += P step, or updates the smoothed iterates. Notes the residuals.
  void move_X(const Small& step) {
    Numbers squares;
    for (Ordinal j = 0; j < active(); ++j) squares.push_back(square_of_column(C_, j));
    plain_ = with_lost(system_.relative(std::move(squares)));
    if (!smoothing_.is_on() && has_to_be_smoothed()) smoothing_.begin(directions_, step, width_, C_);
    if (smoothing_.is_on()) {
      note_residuals(with_lost(system_.relative(smoothing_.take(directions_, step, width_, C_, is_open_))));
    } else {
      store_turning();
      blocks_.update(Scalar(1), blocks_.block(Blocks::P, directions_), step, Scalar(1), X());
      note_residuals(plain_);
    }
  }

  /// Returns whether a residual rises, and all are at most 100 times the tolerance. Smoothing k iterates divides a
  /// residual by at most the square root of k: larger residuals would need more than 10,000 iterates.
  bool has_to_be_smoothed() const {
    bool rises = false;
    for (Ordinal j = 0; j < active(); ++j) {
      if (!is_open_[at(j)]) continue;
      if (now_[at(j)] > 100 * options_.tolerance) return false;
      rises = rises || plain_[at(j)] > now_[at(j)];
    }
    return rises;
  }

  /// Stores iterates whose residuals rise in the next step, if they are better than those in the user's X.
  void store_turning() {
    List turning;
    for (Ordinal j = 0; j < active(); ++j)
      if (is_open_[at(j)] && plain_[at(j)] > now_[at(j)] && now_[at(j)] < system_.residual_at(j)) turning.push_back(j);
    system_.store(turning);
    for (const Ordinal j : turning) note_stored(j, true);
  }

  /// Notes the residuals. Solved columns are not updated further, but Q keeps their directions for other columns.
  void note_residuals(const Numbers& next) {
    for (Ordinal j = 0; j < active(); ++j) {
      if (!is_open_[at(j)]) continue;
      now_[at(j)] = next[at(j)];
      if (now_[at(j)] < 0.9 * least_[at(j)]) {
        least_[at(j)] = now_[at(j)];
        progress_ = result_.iterations;
      }
      if (now_[at(j)] <= std::max(options_.tolerance, 1.5 * lost_[at(j)])) close(j);
    }
  }
  void close(Ordinal place) {
    is_open_[at(place)] = false;
    --open_;
    progress_ = result_.iterations;
    for (Ordinal i = 0; i < width_; ++i) C_(i, place) = 0;
  }

  Numbers residuals_now() const {
    Numbers residuals = system_.residuals();
    for (Ordinal j = 0; j < active(); ++j) residuals[at(system_.active_columns()[at(j)])] = now_[at(j)];
    return residuals;
  }

  // ---- Stagnation ----

  /// Returns whether is_in_vain(20) holds, or the rounding error of some column's residual exceeds its least residual.
  bool has_stagnated() {
    for (Ordinal j = 0; j < active(); ++j)
      if (is_open_[at(j)] && plain_[at(j)] * epsilon > least_[at(j)]) return !stop(BlockCgStop::Stagnation);
    return is_in_vain(20) && !stop(BlockCgStop::Stagnation);
  }
  bool may_go_on() {
    if (result_.iterations < options_.max_iterations) return true;
    return stop(is_in_vain(2) ? BlockCgStop::Stagnation : BlockCgStop::MaxIterations);
  }
  /// Returns whether no residual has fallen for half of the cycle, for 100 iterations, and for `spaces` * rows / width
  /// iterations. In exact arithmetic rows / width are enough: each adds `width` dimensions to the Krylov space.
  bool is_in_vain(int spaces) {
    const int taken = result_.iterations - begun_, in_vain = result_.iterations - progress_;
    if (2 * in_vain < taken || in_vain < 100) return false;
    return in_vain >= spaces * blocks_.rows_of_all_ranks() / width_;
  }

  const Operators& operators_;
  const BlockCgOptions<Scalar>& options_;
  Blocks blocks_;
  BlockCgSystem<ExecutionSpace, Scalar> system_;
  BlockCgSmoothing<ExecutionSpace, Scalar> smoothing_;
  BlockCgResult result_;
  std::vector<bool> is_estimated_;  // whether the residual of a column of the user's X is the recurrence's

  // The state of a cycle
  Numbers now_, first_, least_, plain_;  // residuals of the active columns: of X; initial; least; without smoothing
  Numbers lost_;                         // norms of what BlockCgOptions::dependence left out of the active columns
  std::vector<bool> is_open_;            // whether an active column is unsolved
  Ordinal open_ = 0;
  Ordinal width_ = 0, directions_ = 0, width_at_first_ = 0;  // columns of Q, of P, and initially of Q
  Small C_, S_, ZtQ_;
  CholeskyFactor curvature_, preconditioned_;  // of P^T A P and Z^T Q
  bool has_moved_ = false;                     // whether X has changed
  bool has_negative_curvature_ = false;        // some p^T A p <= 0
  int begun_ = 0, progress_ = 0;               // iterations before the cycle, and before a residual last fell
  int wait_ = 0, next_wait_ = 1;               // iterations without a prediction: now, and after the next failure
};

}  // namespace

/// Gives access to the memory of a workspace, which users do not see.
struct BlockCgAccess {
  template <class Workspace>
  static typename Workspace::Memory& memory(const Workspace& workspace) {
    return *workspace.memory_;
  }
};

template <class ExecutionSpace, class Scalar>
BlockCgResult solve_by_block_cg(const ExecutionSpace& exec, const BlockCgOperators<Scalar>& operators,
                                const Multivector<const Scalar>& B, const Multivector<Scalar>& X,
                                const BlockCgOptions<Scalar>& options,
                                const BlockCgWorkspace<ExecutionSpace, Scalar>& workspace) {
  const Kokkos::Profiling::ScopedRegion region("Tessera::block_cg");
  check(B, X, options);
  BlockCgResult result =
      BlockCg<ExecutionSpace, Scalar>(exec, operators, B, X, options, BlockCgAccess::memory(workspace)).run();
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
