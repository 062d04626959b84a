// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Details_Profiling.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Vector.hpp>
#include <cmath>
#include <stdexcept>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <tessera/tpetra/impl/InverseDiagonal.hpp>
#include <tessera/tpetra/impl/PlainBlocks.hpp>
#include <tessera/tpetra/impl/PolynomialStep.hpp>

namespace Tessera {

template <class SC, class LO, class GO, class NO>
struct Jacobi<SC, LO, GO, NO>::State {
  Teuchos::RCP<const operator_type> matrix;
  SC damping;
  Teuchos::RCP<Tpetra::Vector<SC, LO, GO, NO>> inverse;              // times damping
  Teuchos::RCP<Tpetra::Vector<SC, LO, GO, NO>> conjugate = inverse;  // another vector only for complex numbers

  const Tpetra::Vector<SC, LO, GO, NO>& factors(Teuchos::ETransp mode) const {
    return mode == Teuchos::CONJ_TRANS ? *conjugate : *inverse;
  }
};

template <class SC, class LO, class GO, class NO>
Jacobi<SC, LO, GO, NO>::Jacobi(const Teuchos::RCP<const operator_type>& matrix, SC damping) {
  if (matrix.is_null()) throw std::invalid_argument("Tessera::Jacobi: the matrix is null; expected a matrix");
  if (!std::isfinite(std::abs(damping)) || damping == SC(0)) {
    throw std::invalid_argument("Tessera::Jacobi: damping is " + Impl::short_number(damping) +
                                "; expected a finite number other than 0");
  }
  state_ = std::make_unique<State>(State{matrix, damping, Teuchos::null});
  compute();
}

template <class SC, class LO, class GO, class NO>
Jacobi<SC, LO, GO, NO>::~Jacobi() = default;

template <class SC, class LO, class GO, class NO>
void Jacobi<SC, LO, GO, NO>::compute() {
  const auto inverse =
      Teuchos::rcp(new Tpetra::Vector<SC, LO, GO, NO>(Impl::range_map_of("Tessera::Jacobi", *state_->matrix)));
  Impl::copy_diagonal("Tessera::Jacobi", *state_->matrix, *inverse);
  Impl::invert_diagonal("Tessera::Jacobi", *inverse, state_->damping, false);
  auto conjugate = inverse;
  if constexpr (Teuchos::ScalarTraits<SC>::isComplex) {
    conjugate = Teuchos::rcp(new Tpetra::Vector<SC, LO, GO, NO>(*inverse, Teuchos::Copy));
    Impl::conjugate_elements(*conjugate);
  }
  state_->inverse = inverse;
  state_->conjugate = conjugate;
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename Jacobi<SC, LO, GO, NO>::map_type> Jacobi<SC, LO, GO, NO>::getDomainMap() const {
  return state_->inverse->getMap();
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename Jacobi<SC, LO, GO, NO>::map_type> Jacobi<SC, LO, GO, NO>::getRangeMap() const {
  return state_->inverse->getMap();
}

template <class SC, class LO, class GO, class NO>
void Jacobi<SC, LO, GO, NO>::apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp mode, SC alpha,
                                   SC beta) const {
  const Tpetra::Details::ProfilingRegion region("Tessera::Jacobi::apply");
  Impl::require_shapes("Tessera::Jacobi", X, Y, state_->inverse->getLocalLength());
  if (alpha != SC(0)) return Y.elementWiseMultiply(alpha, state_->factors(mode), X, beta);
  if (beta == SC(0)) return Y.putScalar(SC(0));
  Y.scale(beta);
}

template <class SC, class LO, class GO, class NO>
void Jacobi<SC, LO, GO, NO>::apply([[maybe_unused]] const BlockVector<SC, LO, GO, NO>& X,
                                   [[maybe_unused]] BlockVector<SC, LO, GO, NO>& Y, Teuchos::ETransp,
                                   [[maybe_unused]] SC alpha, [[maybe_unused]] SC beta) const {
  if constexpr (Impl::has_blocks_v<SC>) {
    const Tpetra::Details::ProfilingRegion region("Tessera::Jacobi::apply");
    Impl::require_shapes("Tessera::Jacobi", X, Y, state_->inverse->getLocalLength());
    if (alpha == SC(0)) return Y.scale(beta);
    using Block = BlockVector<SC, LO, GO, NO>;
    Impl::call_with_plain_blocks(X, Y, beta, [&](const Block& x, Block& y) {
      using Step = Impl::PolynomialStep<SC, 0>;
      const auto inverse = state_->inverse->getLocalViewDevice(Tpetra::Access::ReadOnly);
      const Step step{inverse.data(), typename Step::Input(x.block()), {}, {}, {}, y.block(), {0, 0, alpha, beta}};
      step.launch("Tessera::jacobi", typename NO::execution_space());
    });
  } else {
    throw std::logic_error("Tessera::Jacobi::apply: there are no BlockVectors of this type");
  }
}

}  // namespace Tessera
