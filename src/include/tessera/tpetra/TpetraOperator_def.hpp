// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Details_Profiling.hpp>
#include <stdexcept>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/TpetraOperator.hpp>
#include <tessera/tpetra/impl/BlockMatrixParts.hpp>
#include <tessera/tpetra/impl/MatrixProduct.hpp>
#include <type_traits>
#include <utility>
#include <variant>

namespace Tessera {

namespace Impl {

/// A matrix and its product.
template <class Matrix>
struct MultipliedMatrix {
  Teuchos::RCP<const Matrix> matrix;
  MatrixProduct<Matrix> product;

  MultipliedMatrix(const Teuchos::RCP<const Matrix>& A, const TpetraOptions& options)
      : matrix(A), product("Tessera::TpetraOperator", options) {
    if (A.is_null()) throw std::invalid_argument("Tessera::TpetraOperator: the matrix is null");
    product.make(*A);
  }
};

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
struct TpetraOperator<SC, LO, GO, NO>::State {
  std::variant<Impl::MultipliedMatrix<matrix_type>, Impl::MultipliedMatrix<block_matrix_type>> multiplied;

  template <class Matrix>
  State(std::in_place_type_t<Matrix>, const Teuchos::RCP<const Matrix>& A, const TpetraOptions& options)
      : multiplied(std::in_place_type<Impl::MultipliedMatrix<Matrix>>, A, options) {}

  /// Returns function(matrix, product).
  template <class Function>
  auto with(const Function& function) {
    return std::visit([&](auto& held) { return function(*held.matrix, held.product); }, multiplied);
  }
};

template <class SC, class LO, class GO, class NO>
TpetraOperator<SC, LO, GO, NO>::TpetraOperator(const Teuchos::RCP<const matrix_type>& matrix,
                                               const TpetraOptions& options)
    : state_(std::make_unique<State>(std::in_place_type<matrix_type>, matrix, options)) {}

template <class SC, class LO, class GO, class NO>
TpetraOperator<SC, LO, GO, NO>::TpetraOperator(const TpetraOptions& options,
                                               const Teuchos::RCP<const block_matrix_type>& matrix)
    : state_(std::make_unique<State>(std::in_place_type<block_matrix_type>, matrix, options)) {}

template <class SC, class LO, class GO, class NO>
TpetraOperator<SC, LO, GO, NO>::~TpetraOperator() = default;

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename TpetraOperator<SC, LO, GO, NO>::map_type> TpetraOperator<SC, LO, GO, NO>::getDomainMap()
    const {
  return state_->with([](const auto& A, auto&) { return A.getDomainMap(); });
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const typename TpetraOperator<SC, LO, GO, NO>::map_type> TpetraOperator<SC, LO, GO, NO>::getRangeMap()
    const {
  return state_->with([](const auto& A, auto&) { return A.getRangeMap(); });
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::getLocalDiagCopy(Tpetra::Vector<SC, LO, GO, NO>& diagonal) const {
  state_->with([&](const auto& A, auto&) {  // nvcc rejects lambdas with named types here
    using Parts = Impl::MatrixParts<std::remove_cvref_t<decltype(A)>>;
    if (!diagonal.getMap()->isSameAs(*Parts::points(A, A.getRowMap()))) {
      throw std::invalid_argument(
          "Tessera::TpetraOperator::getLocalDiagCopy: the Map of the diagonal is not the row Map of the matrix; "
          "expected the same");
    }
    Parts::copy_diagonal(A, diagonal);
  });
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp mode,
                                           SC alpha, SC beta) const {
  const Tpetra::Details::ProfilingRegion region("Tessera::TpetraOperator::apply");
  state_->with([&](const auto& A, auto& product) { product.apply(A, X, Y, mode, alpha, beta); });
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::apply([[maybe_unused]] const BlockVector<SC, LO, GO, NO>& X,
                                           [[maybe_unused]] BlockVector<SC, LO, GO, NO>& Y,
                                           [[maybe_unused]] Teuchos::ETransp mode, [[maybe_unused]] SC alpha,
                                           [[maybe_unused]] SC beta) const {
  if constexpr (Impl::has_blocks_v<SC>) {
    const Tpetra::Details::ProfilingRegion region("Tessera::TpetraOperator::apply");
    state_->with([&](const auto& A, auto& product) { product.apply_to_blocks(A, X, Y, mode, alpha, beta); });
  } else {
    throw std::logic_error("Tessera::TpetraOperator::apply: Tessera is not compiled to multiply blocks of this type");
  }
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::prepare(std::size_t columns, Teuchos::ETransp mode) {
  state_->with([&](const auto& A, auto& product) { product.prepare(A, columns, mode); });
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::prepare_blocks(std::size_t columns, Teuchos::ETransp mode) {
  state_->with([&](const auto& A, auto& product) { product.prepare_blocks(A, columns, mode); });
}

template <class SC, class LO, class GO, class NO>
void TpetraOperator<SC, LO, GO, NO>::update() {
  state_->with([](const auto& A, auto& product) { product.update(A); });
}

template <class SC, class LO, class GO, class NO>
std::string TpetraOperator<SC, LO, GO, NO>::explain() const {
  return state_->with([](const auto&, auto& product) { return product.explain(); });
}

}  // namespace Tessera
