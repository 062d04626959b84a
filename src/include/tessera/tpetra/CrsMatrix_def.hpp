// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tpetra_Details_Profiling.hpp>
#include <stdexcept>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/CrsMatrix.hpp>
#include <tessera/tpetra/impl/MatrixProduct.hpp>
#include <utility>

namespace Tessera {

namespace Impl {

/// Takes the place of the product for types that Tessera is not compiled for: Tpetra multiplies these.
struct NoProduct {
  NoProduct(const char*, const TpetraOptions&) {}
};

template <class SC, class LO, class GO, class NO, bool is_ours>
struct ProductOf {
  using type = NoProduct;
};
template <class SC, class LO, class GO, class NO>
struct ProductOf<SC, LO, GO, NO, true> {
  using type = MatrixProduct<Tpetra::CrsMatrix<SC, LO, GO, NO>>;
};

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
struct CrsMatrix<SC, LO, GO, NO>::State : Impl::ProductOf<SC, LO, GO, NO, multiplies_with_tessera>::type {
  explicit State(const TpetraOptions& options)
      : Impl::ProductOf<SC, LO, GO, NO, multiplies_with_tessera>::type("Tessera::CrsMatrix", options) {}
};

template <class SC, class LO, class GO, class NO>
CrsMatrix<SC, LO, GO, NO>::CrsMatrix(const base_type& matrix, const TpetraOptions& options)
    : base_type(matrix), options_(options) {}

template <class SC, class LO, class GO, class NO>
CrsMatrix<SC, LO, GO, NO>::CrsMatrix(const CrsMatrix& other)
    : base_type(other), BlockOperator<SC, LO, GO, NO>(other), options_(other.options_) {}

template <class SC, class LO, class GO, class NO>
CrsMatrix<SC, LO, GO, NO>::CrsMatrix(CrsMatrix&& other) noexcept = default;

template <class SC, class LO, class GO, class NO>
CrsMatrix<SC, LO, GO, NO>& CrsMatrix<SC, LO, GO, NO>::operator=(const CrsMatrix& other) {
  base_type::operator=(other);
  set_options(other.options_);
  return *this;
}

template <class SC, class LO, class GO, class NO>
CrsMatrix<SC, LO, GO, NO>& CrsMatrix<SC, LO, GO, NO>::operator=(CrsMatrix&& other) = default;

template <class SC, class LO, class GO, class NO>
CrsMatrix<SC, LO, GO, NO>::~CrsMatrix() = default;

template <class SC, class LO, class GO, class NO>
typename CrsMatrix<SC, LO, GO, NO>::State& CrsMatrix<SC, LO, GO, NO>::state() const {
  if (!state_) state_ = std::make_shared<State>(options_);
  return *state_;
}

template <class SC, class LO, class GO, class NO>
void CrsMatrix<SC, LO, GO, NO>::apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp mode, SC alpha,
                                      SC beta) const {
  if constexpr (multiplies_with_tessera) {
    if (this->isFillComplete()) {
      const Tpetra::Details::ProfilingRegion region("Tessera::CrsMatrix::apply");
      return state().apply(*this, X, Y, mode, alpha, beta);
    }
  }
  base_type::apply(X, Y, mode, alpha, beta);
}

template <class SC, class LO, class GO, class NO>
void CrsMatrix<SC, LO, GO, NO>::apply([[maybe_unused]] const BlockVector<SC, LO, GO, NO>& X,
                                      [[maybe_unused]] BlockVector<SC, LO, GO, NO>& Y,
                                      [[maybe_unused]] Teuchos::ETransp mode, [[maybe_unused]] SC alpha,
                                      [[maybe_unused]] SC beta) const {
  if constexpr (multiplies_with_tessera && Impl::has_blocks_v<SC>) {
    const Tpetra::Details::ProfilingRegion region("Tessera::CrsMatrix::apply");
    state().apply_to_blocks(*this, X, Y, mode, alpha, beta);
  } else {
    throw std::logic_error("Tessera::CrsMatrix::apply: Tessera is not compiled to multiply blocks of these types");
  }
}

template <class SC, class LO, class GO, class NO>
void CrsMatrix<SC, LO, GO, NO>::set_options(const TpetraOptions& options) {
  options_ = options;
  state_.reset();
}

template <class SC, class LO, class GO, class NO>
void CrsMatrix<SC, LO, GO, NO>::prepare(std::size_t columns, Teuchos::ETransp mode) const {
  if constexpr (multiplies_with_tessera) state().prepare(*this, columns, mode);
}

template <class SC, class LO, class GO, class NO>
void CrsMatrix<SC, LO, GO, NO>::prepare_blocks(std::size_t columns, Teuchos::ETransp mode) const {
  if constexpr (multiplies_with_tessera) state().prepare_blocks(*this, columns, mode);
}

template <class SC, class LO, class GO, class NO>
void CrsMatrix<SC, LO, GO, NO>::values_changed() {
  if constexpr (multiplies_with_tessera) state().values_changed();
}

template <class SC, class LO, class GO, class NO>
std::string CrsMatrix<SC, LO, GO, NO>::explain() const {
  if constexpr (multiplies_with_tessera) return state().explain();
  return "Tpetra multiplies: Tessera is not compiled for these types\n";
}

}  // namespace Tessera
