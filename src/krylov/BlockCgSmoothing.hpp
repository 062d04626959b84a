// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "BlockCgBlocks.hpp"

namespace Tessera::Impl {

/// Smoothed iterates X_s of block_cg(). Each step replaces X_s by the combination X_s + (X - X_s) E with the least
/// residuals, where X is the iterate of conjugate gradients and E a small matrix. The residuals of X_s never rise
/// (minimal residual smoothing: Zhou and Walker, "Residual smoothing techniques for iterative methods", SIAM J. Sci.
/// Comput. 15, 1994; there E is a number).
///
/// Conjugate gradients reduce the error in the norm of A, but residuals may oscillate by orders of magnitude. A column
/// then converges when an oscillation reaches the tolerance, which happens at different times in a block and alone.
/// With smoothing only the Krylov space matters, and the Krylov space of a block contains those of its columns.
///
/// Block X holds X_s, block Ahead holds X - X_s, and block Smoothed holds B - A X_s.
template <class ExecutionSpace, class Scalar>
class BlockCgSmoothing {
 public:
  using Blocks = BlockCgBlocks<ExecutionSpace, Scalar>;
  using Numbers = std::vector<double>;

  explicit BlockCgSmoothing(Blocks& blocks) : blocks_(blocks) {}

  bool is_on() const { return columns_ > 0; }
  void stop() { columns_ = 0; }

  /// Begins with X_s = X, the iterate before a step. Its residuals are those after the step, Q C, plus AP step.
  void begin(Ordinal directions, const Small& step, Ordinal width, const Small& C) {
    blocks_.make_room_for_smoothing();
    columns_ = C.columns();
    blocks_.fill_with_zeros(block(Blocks::Ahead));
    blocks_.update(Scalar(1), blocks_.block(Blocks::AP, directions), step, Scalar(0), block(Blocks::Smoothed));
    blocks_.update(Scalar(1), blocks_.block(Blocks::Q, width), C, Scalar(1), block(Blocks::Smoothed));
  }

  /// Adds P step to X, whose residuals are then Q C, and smooths the open columns. Returns the squared norms of the
  /// smoothed residuals.
  Numbers take(Ordinal directions, const Small& step, Ordinal width, const Small& C, const std::vector<bool>& is_open) {
    const auto Q = blocks_.block(Blocks::Q, width);
    const auto R = block(Blocks::Smoothed), D = block(Blocks::Ahead), X = block(Blocks::X);
    const Small products = blocks_.products({R, Q}, R);
    const Small RtR = products.some_rows(0, columns_);
    const Small CtQtR = C.transposed() * products.some_rows(columns_, width);
    const Small E = best_mixture(RtR, CtQtR, C, is_open);
    const Small rest = identity(columns_) + -E;
    blocks_.update(Scalar(1), blocks_.block(Blocks::P, directions), step, Scalar(1), D);
    blocks_.update(Scalar(1), D, E, Scalar(1), X);
    blocks_.update(Scalar(1), D, rest, Scalar(0), D);
    blocks_.update(Scalar(1), R, rest, Scalar(0), R);
    blocks_.update(Scalar(1), Q, C * E, Scalar(1), R);
    return squares_;
  }

 private:
  auto block(typename Blocks::Name name) const { return blocks_.block(name, columns_); }

  /// Computes, from inner products, the E that minimizes the columns of R (I - E) + Q C E. E mixes only open columns.
  Small best_mixture(const Small& RtR, const Small& CtQtR, const Small& C, const std::vector<bool>& is_open) {
    const Small CtC = C.transposed() * C, RtQC = CtQtR.transposed();
    const Small change = RtR + -CtQtR;  // (R - Q C)^T R
    Small gram = change + -RtQC + CtC, right = change;
    for (Ordinal j = 0; j < columns_; ++j) {
      for (Ordinal i = 0; i < columns_; ++i) {
        if (is_open[std::size_t(i)] && is_open[std::size_t(j)]) continue;
        gram(i, j) = right(i, j) = 0;
      }
    }
    constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();
    Small E = CholeskyFactor(gram, 10 * columns_ * epsilon).solve(right);
    // |r_j - (R - Q C) e_j|^2
    const Small less = change.transposed() * E, more = E.transposed() * (gram * E);
    squares_.resize(std::size_t(columns_));
    for (Ordinal j = 0; j < columns_; ++j) {
      const double before = RtR(j, j), after = before - 2 * less(j, j) + more(j, j);
      if (!(after <= before))
        for (Ordinal i = 0; i < columns_; ++i) E(i, j) = 0;
      squares_[std::size_t(j)] = after <= before ? std::max(after, 4 * epsilon * before) : before;
    }
    return E;
  }

  Blocks& blocks_;
  Ordinal columns_ = 0;
  Numbers squares_;
};

}  // namespace Tessera::Impl
