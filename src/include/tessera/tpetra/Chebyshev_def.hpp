// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Details_Profiling.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/Chebyshev.hpp>
#include <tessera/tpetra/impl/Collective.hpp>
#include <tessera/tpetra/impl/InverseDiagonal.hpp>
#include <tessera/tpetra/impl/LargestEigenvalue.hpp>
#include <tessera/tpetra/impl/PlainBlocks.hpp>
#include <tessera/tpetra/impl/PolynomialStep.hpp>
#include <utility>

namespace Tessera {

namespace Impl {

inline void check(const ChebyshevOptions& options) {
  const auto require = [](bool condition, const std::string& option, double found, const char* expected) {
    if (condition) return;
    throw std::invalid_argument("Tessera::Chebyshev: " + option + " is " + short_number(found) + "; expected " +
                                expected);
  };
  const auto is_finite = [](double number) { return std::isfinite(number); };
  require(options.degree >= 1, "degree", options.degree, "at least 1");
  require(is_finite(options.ratio) && options.ratio > 1, "ratio", options.ratio, "more than 1");
  require(is_finite(options.boost) && options.boost >= 1, "boost", options.boost, "at least 1");
  require(is_finite(options.largest_eigenvalue) && options.largest_eigenvalue >= 0, "largest_eigenvalue",
          options.largest_eigenvalue, "a positive number, or 0 to estimate it");
  require(options.estimate_steps >= 1, "estimate_steps", options.estimate_steps, "at least 1");
}

/// The factors of the steps: Z' = Z + of_difference (Z - P) + of_residual D^-1 (X - A Z).
class ChebyshevFactors {
 public:
  ChebyshevFactors(const ChebyshevOptions& options, double largest) {
    const double lower = largest / options.ratio, upper = options.boost * largest;
    half_width_ = (upper - lower) / 2;
    of_residual = 2 / (upper + lower);
    twice_ = (upper + lower) / half_width_;
    rho_ = 2 / twice_;
  }
  void next() {
    const double rho = 1 / (twice_ - rho_);
    of_difference = rho * rho_;
    of_residual = 2 * rho / half_width_;
    rho_ = rho;
  }

  double of_residual = 0, of_difference = 0;

 private:
  double half_width_ = 0, twice_ = 0, rho_ = 0;
};

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
struct Chebyshev<SC, LO, GO, NO>::State {
  using Block = BlockVector<SC, LO, GO, NO>;

  Teuchos::RCP<const operator_type> A;
  Teuchos::RCP<const vector_type> diagonal;  // null: the operator has it
  ChebyshevOptions options;
  Teuchos::RCP<vector_type> inverse = Teuchos::null;
  double largest = 0;

  // Memory for the most columns so far, and what the present number takes of it: the present and the former iterate,
  // and the product.
  std::array<std::optional<Block>, 3> memory = {};
  std::optional<Block> iterate = {}, former = {}, product = {};
  std::size_t agreed = 0;  // the number of columns that all ranks have had memory for, plus one

  void reserve(std::size_t columns) {
    const auto take = [&](std::optional<Block>& block, std::optional<Block>& kept) {
      if (!kept || kept->getNumVectors() < columns) {
        block.reset();
        kept.reset();  // its memory may serve the new block
        kept.emplace(inverse->getMap(), columns, false);
      }
      using View = typename Block::row_major_view_type;
      block.emplace(inverse->getMap(), View(kept->block().data, kept->getLocalLength(), columns), kept->getHaloRoom());
    };
    if (options.degree < 2) return;
    take(iterate, memory[0]);
    take(product, memory[1]);
    if (options.degree > 2) take(former, memory[2]);
  }

  void forget_memory() {
    for (auto* const block : {&iterate, &former, &product}) block->reset();
    memory = {};
    agreed = 0;
  }

  /// Checks arguments and allocates memory. If memory may grow, all ranks agree on whether that succeeded.
  template <class Vectors>
  void get_ready(const Vectors& X, const Vectors& Y) {
    const std::size_t columns = X.getNumVectors();
    const auto prepare = [&] {
      Impl::require_shapes("Tessera::Chebyshev", X, Y, inverse->getLocalLength());
      reserve(columns);
    };
    if (agreed > columns) return prepare();
    Impl::on_every_rank(*inverse->getMap()->getComm(), prepare);
    agreed = columns + 1;
  }

  /// Writes the next iterate, times alpha, plus beta Y, to Y.
  template <int iterates>
  void step(const Impl::ChebyshevFactors& factors, const Block& X, Block& Y, SC alpha, SC beta) const {
    using Step = Impl::PolynomialStep<SC, iterates>;
    using Input = typename Step::Input;
    const auto inverses = inverse->getLocalViewDevice(Tpetra::Access::ReadOnly);
    Step step;
    step.inverse = inverses.data();
    step.R = Input(X.block());
    if (iterates > 0) step.W = Input(std::as_const(*product).block());
    if (iterates > 0) step.Z = Input(std::as_const(*iterate).block());
    if (iterates > 1) step.P = Input(std::as_const(*former).block());
    step.Y = Y.block();
    step.factors = {alpha * SC(1 + factors.of_difference), -alpha * SC(factors.of_difference),
                    alpha * SC(factors.of_residual), beta};
    step.launch("Tessera::chebyshev", typename NO::execution_space());
  }

  /// X and Y have constant stride, and are apart or the same.
  void apply(const Block& X, Block& Y, Teuchos::ETransp mode, SC alpha, SC beta) {
    Impl::ChebyshevFactors factors(options, largest);
    const int degree = options.degree;
    if (degree == 1) return step<0>(factors, X, Y, alpha, beta);
    step<0>(factors, X, *iterate, SC(1), SC(0));
    for (int k = 2; k <= degree; ++k) {
      factors.next();
      Tessera::apply(*A, std::as_const(*iterate), *product, mode);
      const bool is_last = k == degree;
      const SC of_step = is_last ? alpha : SC(1), of_y = is_last ? beta : SC(0);
      Block& target = is_last ? Y : *former;
      if (k == 2) {
        step<1>(factors, X, target, of_step, of_y);
      } else {
        step<2>(factors, X, target, of_step, of_y);
      }
      if (!is_last) std::swap(*iterate, *former);
    }
  }
};

template <class SC, class LO, class GO, class NO>
Chebyshev<SC, LO, GO, NO>::Chebyshev(const Teuchos::RCP<const operator_type>& A, const ChebyshevOptions& options)
    : Chebyshev(A, Teuchos::null, options) {}

template <class SC, class LO, class GO, class NO>
Chebyshev<SC, LO, GO, NO>::Chebyshev(const Teuchos::RCP<const operator_type>& A,
                                     const Teuchos::RCP<const vector_type>& diagonal, const ChebyshevOptions& options) {
  if (A.is_null()) throw std::invalid_argument("Tessera::Chebyshev: the matrix is null; expected a matrix");
  Impl::check(options);
  state_ = std::make_unique<State>(State{A, diagonal, options});
  compute();
}

template <class SC, class LO, class GO, class NO>
Chebyshev<SC, LO, GO, NO>::~Chebyshev() = default;

template <class SC, class LO, class GO, class NO>
void Chebyshev<SC, LO, GO, NO>::compute() {
  const std::string name = "Tessera::Chebyshev";
  const auto map = Impl::range_map_of(name, *state_->A);
  const auto inverse = Teuchos::rcp(new vector_type(map));
  if (state_->diagonal.is_null()) {
    Impl::copy_diagonal(name, *state_->A, *inverse);
  } else if (state_->A->getDomainMap()->isSameAs(*map) && state_->diagonal->getMap()->isSameAs(*map)) {
    Tpetra::deep_copy(*inverse, *state_->diagonal);
  } else {
    throw std::invalid_argument(name + ": the domain Map or the Map of the diagonal is not the range Map; expected " +
                                "the same");
  }
  Impl::invert_diagonal(name, *inverse, SC(1), true);
  const ChebyshevOptions& options = state_->options;
  double largest = options.largest_eigenvalue;
  if (largest == 0) {
    largest = Impl::largest_eigenvalue(name, *state_->A, *inverse, options.estimate_steps, options.seed);
    if (!(largest > 0)) {
      throw std::invalid_argument(name + ": the estimate of the largest eigenvalue is " + Impl::short_number(largest) +
                                  "; expected a symmetric positive definite matrix");
    }
  }
  if (!state_->inverse.is_null() && state_->inverse->getMap() != map) state_->forget_memory();
  state_->inverse = inverse;
  state_->largest = largest;
}

template <class SC, class LO, class GO, class NO>
double Chebyshev<SC, LO, GO, NO>::largest_eigenvalue() const {
  return state_->largest;
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename Chebyshev<SC, LO, GO, NO>::map_type> Chebyshev<SC, LO, GO, NO>::getDomainMap() const {
  return state_->inverse->getMap();
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename Chebyshev<SC, LO, GO, NO>::map_type> Chebyshev<SC, LO, GO, NO>::getRangeMap() const {
  return state_->inverse->getMap();
}

template <class SC, class LO, class GO, class NO>
bool Chebyshev<SC, LO, GO, NO>::hasTransposeApply() const {
  return state_->A->hasTransposeApply();
}

template <class SC, class LO, class GO, class NO>
void Chebyshev<SC, LO, GO, NO>::apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp mode, SC alpha,
                                      SC beta) const {
  state_->get_ready(X, Y);
  if (X.getNumVectors() == 0) return;
  using Block = typename State::Block;
  const Block x(X);
  Block y(Y.getMap(), Y.getNumVectors(), false);
  if (beta != SC(0)) y.assign(Y);
  apply(x, y, mode, alpha, beta);
  y.copyTo(Y);
}

template <class SC, class LO, class GO, class NO>
void Chebyshev<SC, LO, GO, NO>::apply(const BlockVector<SC, LO, GO, NO>& X, BlockVector<SC, LO, GO, NO>& Y,
                                      Teuchos::ETransp mode, SC alpha, SC beta) const {
  const Tpetra::Details::ProfilingRegion region("Tessera::Chebyshev::apply");
  state_->get_ready(X, Y);
  if (X.getNumVectors() == 0) return;
  if (alpha == SC(0)) return Y.scale(beta);
  using Block = typename State::Block;
  Impl::call_with_plain_blocks(X, Y, beta, [&](const Block& x, Block& y) { state_->apply(x, y, mode, alpha, beta); });
}

}  // namespace Tessera
