// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Details_Profiling.hpp>
#include <stdexcept>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/TpetraOperator.hpp>
#include <tessera/tpetra/impl/MatrixProduct.hpp>

namespace Tessera {

template <class SC, class LO, class GO, class NO>
struct TpetraOperator<SC, LO, GO, NO>::State {
  Teuchos::RCP<const matrix_type> matrix;
  Impl::MatrixProduct<SC, LO, GO, NO> product;
};

template <class SC, class LO, class GO, class NO>
TpetraOperator<SC, LO, GO, NO>::TpetraOperator(const Teuchos::RCP<const matrix_type>& matrix,
                                               const TpetraOptions& options) {
  if (matrix.is_null()) throw std::invalid_argument("Tessera::TpetraOperator: the matrix is null");
  state_ = std::make_unique<State>(State{matrix, {"Tessera::TpetraOperator", options}});
  state_->product.make(*matrix);
}

template <class SC, class LO, class GO, class NO>
TpetraOperator<SC, LO, GO, NO>::~TpetraOperator() = default;

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename TpetraOperator<SC, LO, GO, NO>::map_type> TpetraOperator<SC, LO, GO, NO>::getDomainMap()
    const {
  return state_->matrix->getDomainMap();
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename TpetraOperator<SC, LO, GO, NO>::map_type> TpetraOperator<SC, LO, GO, NO>::getRangeMap()
    const {
  return state_->matrix->getRangeMap();
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::getLocalDiagCopy(Tpetra::Vector<SC, LO, GO, NO>& diagonal) const {
  if (!diagonal.getMap()->isSameAs(*state_->matrix->getRowMap())) {
    throw std::invalid_argument(
        "Tessera::TpetraOperator::getLocalDiagCopy: the Map of the diagonal is not the row Map of the matrix; expected "
        "the same");
  }
  state_->matrix->getLocalDiagCopy(diagonal);
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp mode,
                                           SC alpha, SC beta) const {
  const Tpetra::Details::ProfilingRegion region("Tessera::TpetraOperator::apply");
  state_->product.apply(*state_->matrix, X, Y, mode, alpha, beta);
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::apply([[maybe_unused]] const BlockVector<SC, LO, GO, NO>& X,
                                           [[maybe_unused]] BlockVector<SC, LO, GO, NO>& Y,
                                           [[maybe_unused]] Teuchos::ETransp mode, [[maybe_unused]] SC alpha,
                                           [[maybe_unused]] SC beta) const {
  if constexpr (Impl::has_blocks_v<SC>) {
    const Tpetra::Details::ProfilingRegion region("Tessera::TpetraOperator::apply");
    state_->product.apply_to_blocks(*state_->matrix, X, Y, mode, alpha, beta);
  } else {
    throw std::logic_error("Tessera::TpetraOperator::apply: Tessera is not compiled to multiply blocks of this type");
  }
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::prepare(std::size_t columns, Teuchos::ETransp mode) {
  state_->product.prepare(*state_->matrix, columns, mode);
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::prepare_blocks(std::size_t columns, Teuchos::ETransp mode) {
  state_->product.prepare_blocks(*state_->matrix, columns, mode);
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::update() {
  state_->product.update(*state_->matrix);
}

template <class SC, class LO, class GO, class NO>
std::string TpetraOperator<SC, LO, GO, NO>::explain() const {
  return state_->product.explain();
}

}  // namespace Tessera
