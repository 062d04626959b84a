// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Tpetra_Operator.hpp>
#include <Tpetra_RowMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/impl/Collective.hpp>
#include <type_traits>

namespace Tessera::Impl {

template <class Real>
KOKKOS_FUNCTION Real magnitude_of(Real number) {
  return number < Real(0) ? -number : number;
}
template <class Real>
KOKKOS_FUNCTION Real magnitude_of(const Kokkos::complex<Real>& number) {
  return Kokkos::abs(number);
}

/// Whether a number is real and positive.
template <class Real>
KOKKOS_FUNCTION bool is_positive_real(Real number) {
  return number > Real(0);
}
template <class Real>
KOKKOS_FUNCTION bool is_positive_real(const Kokkos::complex<Real>& number) {
  return number.real() > Real(0) && number.imag() == Real(0);
}

/// Replaces the elements of a diagonal by their inverses, times a factor, and finds the first row without one.
template <class Diagonal>
struct InvertDiagonal {
  using Scalar = typename Diagonal::non_const_value_type;
  using Real = decltype(magnitude_of(Scalar()));

  Diagonal diagonal;
  Scalar factor;
  bool is_positive;  ///< whether only positive elements are right

  KOKKOS_FUNCTION bool is_right(const Scalar& element) const {
    // NaN fails each comparison. The inverse of a subnormal number may be infinite.
    const Real magnitude = magnitude_of(element), inverse = magnitude_of(factor) / magnitude;
    constexpr Real most = Kokkos::Experimental::finite_max_v<Real>;
    return magnitude > Real(0) && magnitude <= most && inverse <= most && (is_positive_real(element) || !is_positive);
  }
  KOKKOS_FUNCTION void operator()(int row, int& first_wrong) const {
    const Scalar element = diagonal(row, 0);
    if (is_right(element)) {
      diagonal(row, 0) = factor / element;
    } else if (row < first_wrong) {
      first_wrong = row;
    }
  }
};

inline std::string short_number(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", number);
  return text;
}
template <class Complex>
requires requires(const Complex& number) { number.imag(); }
std::string short_number(const Complex& number) {
  return short_number(double(number.real())) + " + " + short_number(double(number.imag())) + " i";
}

/// Returns the range Map of an operator.
///
/// \throws std::invalid_argument if it has none
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const Tpetra::Map<LO, GO, NO>> range_map_of(const std::string& name,
                                                         const Tpetra::Operator<SC, LO, GO, NO>& A) {
  const auto map = A.getRangeMap();
  if (!map.is_null()) return map;
  throw std::invalid_argument(name + ": the matrix has no range Map; call fillComplete() first");
}

/// Copies the diagonal of an operator that has one. Collective.
///
/// \throws std::invalid_argument on all ranks if it has none, or if its Maps differ
template <class SC, class LO, class GO, class NO>
void copy_diagonal(const std::string& name, const Tpetra::Operator<SC, LO, GO, NO>& A,
                   Tpetra::Vector<SC, LO, GO, NO>& diagonal) {
  const auto require = [&](bool condition, const char* what) {
    if (!condition) throw std::invalid_argument(name + ": " + what);
  };
  const auto map = range_map_of(name, A);
  require(A.getDomainMap()->isSameAs(*map), "the domain Map is not the range Map; expected the same");
  const auto* const rows = dynamic_cast<const Tpetra::RowMatrix<SC, LO, GO, NO>*>(&A);
  if (rows == nullptr) {
    require(A.hasDiagonal(), "the operator does not give its diagonal (hasDiagonal()); expected a matrix");
    return A.getLocalDiagCopy(diagonal);
  }
  require(rows->getRowMap()->isSameAs(*map), "the row Map is not the range Map; expected the same");
  rows->getLocalDiagCopy(diagonal);
}

/// Replaces the elements of a diagonal by their inverses, times a factor. Collective.
///
/// \throws std::invalid_argument on all ranks if an element is 0, not finite or, with `is_positive`, not positive
template <class SC, class LO, class GO, class NO>
void invert_diagonal(const std::string& name, Tpetra::Vector<SC, LO, GO, NO>& diagonal, SC factor, bool is_positive) {
  using Exec = typename NO::execution_space;
  on_every_rank(*diagonal.getMap()->getComm(), [&] {
    const auto view = diagonal.getLocalViewDevice(Tpetra::Access::ReadWrite);
    using Invert = InvertDiagonal<std::decay_t<decltype(view)>>;
    constexpr int none = std::numeric_limits<int>::max();
    int row = none;
    Kokkos::parallel_reduce(
        "Tessera::invert_diagonal",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(0, static_cast<int>(diagonal.getLocalLength())),
        Invert{view, typename Invert::Scalar(factor), is_positive}, Kokkos::Min<int>(row));
    if (row == none) return;
    typename Invert::Scalar element = 0;
    Kokkos::deep_copy(element, Kokkos::subview(view, row, 0));
    throw std::invalid_argument(name + ": the diagonal element of row " +
                                std::to_string(diagonal.getMap()->getGlobalElement(row)) + " is " +
                                short_number(element) + "; expected a " +
                                (is_positive ? "positive finite number" : "finite number other than 0"));
  });
}

template <class Elements>
struct ConjugateElements {
  Elements elements;

  KOKKOS_FUNCTION void operator()(int row) const { elements(row, 0) = Kokkos::conj(elements(row, 0)); }
};

/// Replaces the elements of a complex vector by their conjugates.
template <class SC, class LO, class GO, class NO>
void conjugate_elements(Tpetra::Vector<SC, LO, GO, NO>& vector) {
  const auto view = vector.getLocalViewDevice(Tpetra::Access::ReadWrite);
  Kokkos::parallel_for("Tessera::conjugate_elements",
                       Kokkos::RangePolicy<typename NO::execution_space, Kokkos::IndexType<int>>(
                           0, static_cast<int>(vector.getLocalLength())),
                       ConjugateElements<std::decay_t<decltype(view)>>{view});
}

}  // namespace Tessera::Impl
