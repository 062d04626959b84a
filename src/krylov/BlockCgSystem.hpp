// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "BlockCgBlocks.hpp"

namespace Tessera::Impl {

[[noreturn]] inline void fail_block_cg(const std::string& found) {
  throw std::runtime_error("Tessera::block_cg: " + found);
}

/// The system that block_cg() solves: the user's B and X, the list of their columns that blocks X and Q hold, and the
/// residuals of the iterates in the user's X. Columns in blocks are scaled by powers of 2 if squares of elements of B
/// could overflow or lose digits.
///
/// Block Q holds R = B - A X until a cycle makes it orthonormal.
template <class ExecutionSpace, class Scalar>
class BlockCgSystem {
 public:
  using Blocks = BlockCgBlocks<ExecutionSpace, Scalar>;
  using List = typename Blocks::List;
  using Numbers = std::vector<double>;

  BlockCgSystem(Blocks& blocks, const BlockCgOperators<Scalar>& operators, const Multivector<const Scalar>& B,
                const Multivector<Scalar>& X)
      : blocks_(blocks),
        operators_(operators),
        B_(B),
        X_(X),
        active_(at(B.columns)),
        residuals_(at(B.columns), std::numeric_limits<double>::infinity()) {
    std::iota(active_.begin(), active_.end(), 0);
  }

  Ordinal active() const { return static_cast<Ordinal>(active_.size()); }
  const List& active_columns() const { return active_; }
  auto X() const { return blocks_.block(Blocks::X, active()); }
  auto R() const { return blocks_.block(Blocks::Q, active()); }
  /// Whether columns are scaled. The user's X may then have fewer digits than the block: it may overflow or underflow.
  bool is_scaled() const { return !exponents_.empty(); }
  /// Returns the number of columns that this object has multiplied by A.
  std::int64_t products() const { return products_; }

  /// Returns |b - A x| / |b| of the iterates in the user's X.
  const Numbers& residuals() const { return residuals_; }
  double norm_at(Ordinal place) const { return norms_[at(active_[at(place)])]; }
  double residual_at(Ordinal place) const { return residuals_[at(active_[at(place)])]; }
  void note_residual(Ordinal place, double residual) { residuals_[at(active_[at(place)])] = residual; }
  /// Returns the listed columns whose residuals exceed the tolerance.
  List open_among(const List& columns, double tolerance) const {
    List open;
    for (const Ordinal j : columns)
      if (residuals_[at(j)] > tolerance) open.push_back(j);
    return open;
  }
  /// Returns the norms of the active columns' residuals, relative to B. The argument has the squares of the norms.
  Numbers relative(Numbers squares) const {
    for (Ordinal j = 0; j < active(); ++j) {
      if (!std::isfinite(squares[at(j)])) fail_block_cg("residuals have become NaN or Inf");
      squares[at(j)] = std::sqrt(squares[at(j)]) / norms_[at(active_[at(j)])];
    }
    return squares;
  }

  /// Reads X and computes R = B - A X. Zero columns of B, whose solutions are 0, become inactive.
  void read() {
    if (active_.empty()) return;
    blocks_.load(users_X(), active_, Blocks::X);
    const Numbers guess = blocks_.magnitudes(X());
    expect_finite(guess, "X");
    blocks_.load(B_, active_, Blocks::Q);
    norms_ = blocks_.squares(R());
    const double least = std::sqrt(std::sqrt(double(std::numeric_limits<Scalar>::min())));
    const auto is_safe = [&](double square) { return square >= least && square <= 1 / least; };
    if (!std::all_of(norms_.begin(), norms_.end(), is_safe)) scale_arguments();
    for (double& norm : norms_) norm = std::sqrt(norm);
    if (std::any_of(guess.begin(), guess.end(), [](double magnitude) { return magnitude > 0; })) subtract_guess();
    leave_columns_of_zeros();
  }

  /// Makes these columns active, with the user's X, and computes R = B - A X.
  void begin_with(const List& columns) {
    active_ = columns;
    blocks_.load(users_X(), active_, Blocks::X);
    scale_back(X(), active_, 1);
    compute_residuals();
  }
  void compute_residuals() {
    blocks_.load(B_, active_, Blocks::Q);
    scale_back(R(), active_, 1);
    subtract_product();
  }

  /// Keeps only the active columns at these places. Q must still hold their residuals.
  void keep_active(const List& places) {
    blocks_.keep(Blocks::X, active(), places);
    blocks_.keep(Blocks::Q, active(), places);
    active_ = columns_at(places);
  }
  /// Writes the columns of X at these places to the user's X. Overwrites block AP.
  void store(const List& places) {
    if (places.empty()) return;
    const List targets = columns_at(places);
    if (exponents_.empty()) return blocks_.store(X(), places, targets, X_);
    const auto scaled = blocks_.block(Blocks::AP, static_cast<Ordinal>(places.size()));
    blocks_.copy_list(X(), places, scaled);
    scale_back(scaled, targets, -1);
    const Numbers greatest = blocks_.magnitudes(scaled);
    for (std::size_t k = 0; k < greatest.size(); ++k) {
      if (std::isfinite(greatest[k])) continue;
      fail_block_cg("the solution of column " + std::to_string(targets[k]) + " is too large for the type of X");
    }
    List all(places.size());
    std::iota(all.begin(), all.end(), 0);
    blocks_.store(scaled, all, targets, X_);
  }

 private:
  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();
  static std::size_t at(Ordinal j) { return static_cast<std::size_t>(j); }
  Multivector<const Scalar> users_X() const { return {X_.data, X_.rows, X_.columns, X_.row_stride, X_.column_stride}; }

  static void expect_finite(const Numbers& magnitudes, const char* name) {
    for (std::size_t j = 0; j < magnitudes.size(); ++j) {
      if (std::isfinite(magnitudes[j])) continue;
      fail_block_cg("column " + std::to_string(j) + " of " + name + " holds NaN or Inf; expected finite numbers");
    }
  }

  void scale_arguments() {
    const Numbers greatest = blocks_.magnitudes(R());
    expect_finite(greatest, "B");
    const int most = std::numeric_limits<Scalar>::max_exponent - 3;
    exponents_.resize(greatest.size());
    for (std::size_t j = 0; j < greatest.size(); ++j)
      exponents_[j] = greatest[j] > 0 ? -std::clamp(std::ilogb(greatest[j]), -most, most) : 0;
    scale_back(R(), active_, 1);
    scale_back(X(), active_, 1);
    norms_ = blocks_.squares(R());
  }
  /// Scales a block that holds the listed columns; with sign = -1, reverses the scaling.
  void scale_back(const TallBlock<Scalar>& block, const List& columns, int sign) {
    if (exponents_.empty()) return;
    std::vector<int> exponents;
    for (const Ordinal j : columns) exponents.push_back(sign * exponents_[at(j)]);
    blocks_.scale_columns(block, exponents);
  }

  /// Computes R = B - A X, with R = B on entry. Guesses that are useless become 0: their rounding errors would prevent
  /// a solution, and the squares of their residuals, or X scaled like B, could overflow.
  void subtract_guess() {
    subtract_product();
    const List useless = useless_guesses(blocks_.squares(R()));
    if (useless.empty()) return;
    for (const Ordinal j : useless) blocks_.fill_with_zeros(X().some_columns(j, 1));
    compute_residuals();
    const Numbers squares = blocks_.squares(R());
    for (const Ordinal j : useless)  // `multiply` is at fault, so the user's X keeps the guess
      if (!std::isfinite(squares[at(j)])) fail_block_cg("`multiply` has made NaN or Inf of zeros");
    store(useless);
  }
  /// Returns the columns whose residuals exceed |b| / eps or are not finite.
  List useless_guesses(const Numbers& squares) const {
    List result;
    for (Ordinal j = 0; j < active(); ++j) {
      const double norm = norms_[at(j)], left = std::sqrt(squares[at(j)]);
      if (norm > 0 && !(left * epsilon <= norm)) result.push_back(j);
    }
    return result;
  }
  /// Computes R -= A X.
  void subtract_product() {
    operators_.multiply(X(), blocks_.block(Blocks::AP, active()));
    products_ += active();
    blocks_.add_to(Scalar(-1), blocks_.block(Blocks::AP, active()), R());
  }

  void leave_columns_of_zeros() {
    List zeros, others;
    for (Ordinal j = 0; j < active(); ++j) (norms_[at(j)] > 0 ? others : zeros).push_back(j);
    for (const Ordinal j : zeros) {
      blocks_.fill_with_zeros(X().some_columns(j, 1));
      residuals_[at(j)] = 0;
    }
    store(zeros);
    if (!zeros.empty()) keep_active(others);
  }

  List columns_at(const List& places) const {
    List columns;
    for (const Ordinal place : places) columns.push_back(active_[at(place)]);
    return columns;
  }

  Blocks& blocks_;
  const BlockCgOperators<Scalar>& operators_;
  Multivector<const Scalar> B_;
  Multivector<Scalar> X_;
  List active_;                 // the columns that the blocks hold
  Numbers norms_;               // norms of the scaled columns of B
  std::vector<int> exponents_;  // a column is scaled by 2^exponent; empty if no column is
  Numbers residuals_;
  std::int64_t products_ = 0;
};

}  // namespace Tessera::Impl
