// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/dense/Orthonormalize.hpp>
#include <tessera/dense/impl/SmallAlgebra.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <vector>

namespace Tessera::Impl {

namespace {

using Impl::Small;

enum class Column {
  Open,       ///< not known to be independent
  Settled,    ///< independent of earlier columns
  Dependent,  ///< dependent on earlier columns; holds 0 until it is replaced
};

/// The state of a call. X0 = (Q C + X T) 2^exponents, where X0 is the original X and each column has an exponent.
template <class ExecutionSpace, class Scalar>
class Orthonormalization {
 public:
  using Block = TallBlock<Scalar>;
  using Blocks = std::span<const TallBlock<const Scalar>>;

  Orthonormalization(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, Blocks Q,
                     const Block& X, const SumOverRanks<Scalar>& sum_over_ranks, double dependence, double least_norm)
      : exec_(exec),
        workspace_(workspace),
        blocks_(Q.begin(), Q.end()),
        X_(X),
        sum_over_ranks_(sum_over_ranks),
        before_(columns_of(Q)),
        columns_(X.columns),
        dependence_(dependence > 0 ? dependence : 50 * std::sqrt(double(X.columns)) * epsilon),
        least_norm_(least_norm),
        columns_state_(std::size_t(X.columns), Column::Open),
        exponents_(std::size_t(X.columns)),
        first_norms_(std::size_t(X.columns)),
        numbers_(std::size_t(before_ + columns_) * std::size_t(columns_)),
        C_(before_, columns_),
        T_(Impl::identity(columns_)) {
    blocks_.push_back(X);
  }

  static Ordinal columns_of(Blocks Q) {
    Ordinal sum = 0;
    for (const auto& block : Q) sum += block.columns;
    return sum;
  }

  void run() {
    multiply_blocks();
    if (!squares_are_safe()) {
      scale_columns();
      multiply_blocks();
    }
    for (Ordinal j = 0; j < columns_; ++j) first_norms_[std::size_t(j)] = std::sqrt(square(j));
    // A column that is open loses all but a small part of its norm in each step, hence it finally becomes dependent.
    for (Ordinal step = 0; step < 20 + 4 * columns_; ++step) {
      expect_finite();
      const bool were_orthonormal = take_step();
      if (were_orthonormal && is_everything_settled()) return;
      multiply_blocks();
    }
    throw std::runtime_error("Tessera::orthonormalize: X does not become orthogonal to Q; expected Q orthonormal");
  }

  const std::vector<Column>& columns() const { return columns_state_; }

  void get(const SmallMatrix<Scalar>& C, const SmallMatrix<Scalar>& R) const {
    if (C.data != nullptr) scaled_back(C_).copy_to(C);
    if (R.data != nullptr) scaled_back(T_).copy_to(R);
  }

 private:
  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();

  double square(Ordinal j) const { return products_(before_ + j, j); }

  Small scaled_back(Small factor) const {
    for (Ordinal j = 0; j < factor.columns(); ++j)
      for (Ordinal i = 0; i < factor.rows(); ++i) factor(i, j) = std::ldexp(factor(i, j), exponents_[std::size_t(j)]);
    return factor;
  }

  /// Returns whether the orthogonal part of column j of X0 makes it independent, given the present norm of column j.
  bool is_independent(Ordinal j, double norm) const {
    return norm * T_(j, j) >
           std::max(dependence_ * first_norms_[std::size_t(j)], std::ldexp(least_norm_, -exponents_[std::size_t(j)]));
  }

  bool is_dependent(Ordinal j) const { return columns_state_[std::size_t(j)] == Column::Dependent; }

  bool is_everything_settled() const {
    return std::find(columns_state_.begin(), columns_state_.end(), Column::Open) == columns_state_.end();
  }

  /// Computes products = [Q X]^T X.
  void multiply_blocks() {
    inner_products<ExecutionSpace, Scalar>(exec_, workspace_, blocks_, X_, numbers(0, before_ + columns_));
    if (sum_over_ranks_) sum_over_ranks_(numbers_.data(), Ordinal(numbers_.size()));
    products_ = Small(numbers(0, before_ + columns_));
  }

  /// Returns some rows of `numbers_`.
  SmallMatrix<Scalar> numbers(Ordinal first, Ordinal rows) {
    return {numbers_.data() + first, rows, columns_, before_ + columns_};
  }

  void expect_finite() const {
    if (products_.is_finite()) return;
    throw std::runtime_error("Tessera::orthonormalize: Q holds NaN or Inf; expected finite numbers");
  }

  /// Returns whether no norm's square has overflowed or is so small that its terms may have lost digits.
  bool squares_are_safe() const {
    const double least = double(std::numeric_limits<Scalar>::min()) / (epsilon * epsilon);
    for (Ordinal j = 0; j < columns_; ++j)
      if (!(square(j) >= least) || !std::isfinite(square(j))) return false;
    return true;
  }

  /// Scales each column by a power of 2, such that its greatest magnitude is about 1.
  void scale_columns() {
    std::vector<Scalar> greatest(static_cast<std::size_t>(columns_)), factors(greatest);
    greatest_magnitudes<ExecutionSpace, Scalar>(exec_, workspace_, X_, greatest.data());
    // Ranks can compute sums, but no maximum. Numbers are scaled down so far that sums of finite numbers are finite.
    const Scalar share = Scalar(0x1p-20);
    for (Scalar& g : greatest) g *= share;
    if (sum_over_ranks_) sum_over_ranks_(greatest.data(), columns_);
    for (Ordinal j = 0; j < columns_; ++j) {
      const Scalar magnitude = greatest[std::size_t(j)] / share;
      if (!std::isfinite(greatest[std::size_t(j)])) {
        throw std::runtime_error("Tessera::orthonormalize: column " + std::to_string(j) +
                                 " of X holds NaN or Inf; expected finite numbers");
      }
      const int limit = std::numeric_limits<Scalar>::max_exponent - 3;
      const int exponent =
          magnitude > 0 ? std::clamp(std::isfinite(magnitude) ? std::ilogb(magnitude) : limit, -limit, limit) : 0;
      factors[std::size_t(j)] = std::ldexp(Scalar(1), -exponent);
      exponents_[std::size_t(j)] = exponent;
    }
    scale<ExecutionSpace, Scalar>(exec_, factors.data(), X_);
  }

  /// Takes a step of BCGS-PIP. Returns whether [Q X] was orthonormal up to an error that the step removes.
  bool take_step() {
    std::vector<double> norms(static_cast<std::size_t>(columns_));
    for (Ordinal j = 0; j < columns_; ++j) {
      norms[std::size_t(j)] = std::sqrt(square(j));
      Column& state = columns_state_[std::size_t(j)];
      if (state == Column::Open && !is_independent(j, norms[std::size_t(j)])) state = Column::Dependent;
    }
    const bool were_orthonormal = is_nearly_orthonormal(norms);
    // P = Q^T X and the Gram matrix of X - Q P, for X with columns scaled to norm 1.
    Small P = products_.some_rows(0, before_), gram = products_.some_rows(before_, columns_);
    for (double& norm : norms) norm = norm == 0 ? 1 : norm;
    for (Ordinal j = 0; j < columns_; ++j) {
      for (Ordinal i = 0; i < before_; ++i) P(i, j) /= norms[std::size_t(j)];
      for (Ordinal i = 0; i < columns_; ++i) gram(i, j) = gram(i, j) / norms[std::size_t(j)] / norms[std::size_t(i)];
    }
    gram.add_product(-P.transposed(), P);
    const Small S = triangular_factor(gram, norms);
    update(P, S, norms);
    collect(P, S, norms);
    return were_orthonormal;
  }

  bool is_nearly_orthonormal(const std::vector<double>& norms) const {
    const double enough = 0.1;
    for (Ordinal j = 0; j < columns_; ++j) {
      if (is_dependent(j)) continue;
      if (!(std::abs(norms[std::size_t(j)] - 1) <= enough)) return false;
      for (Ordinal i = 0; i < before_ + columns_; ++i) {
        if (i == before_ + j || (i >= before_ && is_dependent(i - before_))) continue;
        if (!(std::abs(products_(i, j)) <= enough / (before_ + columns_))) return false;
      }
    }
    return true;
  }

  /// Returns the factor S of the Gram matrix of X - Q P: X = Q P + X' S, where the settled columns of X' are
  /// orthonormal. Columns are settled in order. Once what remains of a column may be rounding error, this column and
  /// all later ones are only made orthogonal to the settled columns; the next step continues with them.
  Small triangular_factor(const Small& gram, const std::vector<double>& norms) {
    const double enough = std::sqrt(epsilon);
    bool settles = true;
    Small S = Impl::cholesky(gram, [&](Ordinal j, double square_of_rest) {
      if (is_dependent(j)) return false;
      settles = settles && square_of_rest > enough;
      const bool is_left = settles && is_independent(j, norms[std::size_t(j)] * std::sqrt(square_of_rest));
      columns_state_[std::size_t(j)] = is_left ? Column::Settled : settles ? Column::Dependent : Column::Open;
      return is_left;
    });
    for (Ordinal j = 0; j < columns_; ++j)
      if (columns_state_[std::size_t(j)] == Column::Open) S(j, j) = 1;
    return S;
  }

  /// Computes X = (X / norms - Q P) / S. Dependent columns become 0.
  void update(const Small& P, const Small& S, const std::vector<double>& norms) {
    Small inverse = Impl::inverse_of_triangle(S);
    (-(P * inverse)).copy_to(numbers(0, before_));
    for (Ordinal j = 0; j < columns_; ++j)
      for (Ordinal i = 0; i <= j; ++i) inverse(i, j) /= norms[std::size_t(i)];
    inverse.copy_to(numbers(before_, columns_));
    multiply_add<ExecutionSpace, Scalar>(exec_, workspace_, Scalar(1), blocks_, numbers(0, before_ + columns_),
                                         Scalar(0), X_);
  }

  /// Computes C += P norms T, then T = S norms T.
  void collect(const Small& P, const Small& S, const std::vector<double>& norms) {
    for (Ordinal j = 0; j < columns_; ++j)
      for (Ordinal i = 0; i <= j; ++i) T_(i, j) *= norms[std::size_t(i)];
    C_.add_product(P, T_);
    T_ = S * T_;
  }

  const ExecutionSpace& exec_;
  const DenseWorkspace<ExecutionSpace>& workspace_;
  std::vector<TallBlock<const Scalar>> blocks_;  // Q, then X
  Block X_;
  const SumOverRanks<Scalar>& sum_over_ranks_;
  Ordinal before_, columns_;  // columns of Q, and of X
  double dependence_, least_norm_;
  std::vector<Column> columns_state_;
  std::vector<int> exponents_;
  std::vector<double> first_norms_;  // norms of the columns of X0 / 2^exponents
  std::vector<Scalar> numbers_;      // buffer for a matrix of the shape of `products_`
  Small products_;                   // [Q X]^T X
  Small C_, T_;
};

void expect_shape(const char* name, bool is_given, Ordinal rows, Ordinal columns, Ordinal expected_rows,
                  Ordinal expected_columns) {
  if (!is_given || (rows == expected_rows && columns == expected_columns)) return;
  throw std::invalid_argument("Tessera::orthonormalize: " + std::string(name) + " is " + std::to_string(rows) + " x " +
                              std::to_string(columns) + "; expected " + std::to_string(expected_rows) + " x " +
                              std::to_string(expected_columns));
}

/// Returns the indices of the columns in this state.
std::vector<Ordinal> places_of(const auto& X, const std::vector<Column>& columns, Column state) {
  std::vector<Ordinal> places;
  for (Ordinal j = 0; j < X.columns; ++j)
    if (columns[std::size_t(j)] == state) places.push_back(X.place(j));
  return places;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
Ordinal orthonormalize(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                       std::span<const TallBlock<const Scalar>> Q, const TallBlock<Scalar>& X,
                       const SmallMatrix<Scalar>& C, const SmallMatrix<Scalar>& R,
                       const SumOverRanks<Scalar>& sum_over_ranks, const OrthonormalizeOptions& options) {
  using Work = Orthonormalization<ExecutionSpace, Scalar>;
  expect_shape("C", C.data != nullptr, C.rows, C.columns, Work::columns_of(Q), X.columns);
  expect_shape("R", R.data != nullptr, R.rows, R.columns, X.columns, X.columns);
  if (X.columns == 0) return 0;
  Work work(exec, workspace, Q, X, sum_over_ranks, options.dependence, options.least_norm);
  work.run();
  work.get(C, R);
  const std::vector<Ordinal> settled = places_of(X, work.columns(), Column::Settled);
  std::vector<Ordinal> others = places_of(X, work.columns(), Column::Dependent);
  // Random directions are tried three times, because they may depend on other columns, or be more than there are rows.
  std::vector<TallBlock<const Scalar>> all(Q.begin(), Q.end());
  all.push_back({X.data, X.rows, Ordinal(settled.size()), X.row_stride, settled.data()});
  std::vector<std::vector<Ordinal>> found;
  for (std::uint64_t trial = 0; options.dependent == Dependent::Random && !others.empty() && trial < 3; ++trial) {
    const TallBlock<Scalar> fresh{X.data, X.rows, Ordinal(others.size()), X.row_stride, others.data()};
    randomize(exec, options.seed + trial, options.first_row, fresh);
    Work more(exec, workspace, all, fresh, sum_over_ranks, 1e-6, 0);
    more.run();
    found.push_back(places_of(fresh, more.columns(), Column::Settled));
    std::vector<Ordinal> rest = places_of(fresh, more.columns(), Column::Dependent);
    others = std::move(rest);
    all.push_back({X.data, X.rows, Ordinal(found.back().size()), X.row_stride, found.back().data()});
  }
  return Ordinal(settled.size());
}

#define TESSERA_INSTANTIATE(Exec, S)                                                                             \
  template Ordinal orthonormalize(const Exec&, const DenseWorkspace<Exec>&, std::span<const TallBlock<const S>>, \
                                  const TallBlock<S>&, const SmallMatrix<S>&, const SmallMatrix<S>&,             \
                                  const SumOverRanks<S>&, const OrthonormalizeOptions&);
#define TESSERA_FOR_EACH_REAL(Exec, M) TESSERA_IF_FLOAT(M, Exec, float) TESSERA_IF_DOUBLE(M, Exec, double)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_REAL, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
