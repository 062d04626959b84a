// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector_fwd.hpp>
#include <Tpetra_Operator.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <tessera/tpetra/BlockOperator.hpp>
#include <tessera/tpetra/TpetraOptions.hpp>
#include <type_traits>
#include <utility>

namespace Tessera {

/// A Tpetra::CrsMatrix whose apply() multiplies with Tessera. Code that holds it by a pointer to Tpetra::CrsMatrix,
/// RowMatrix or Operator also multiplies with Tessera, without a change. The only line that changes is the one that
/// makes the matrix:
///
/// ```
///   auto A = Teuchos::rcp(new Tpetra::CrsMatrix<>(graph));     // before
///   auto A = Teuchos::rcp(new Tessera::CrsMatrix<>(graph));    // after
/// ```
///
/// It has all constructors of Tpetra::CrsMatrix, and one more that shares the graph and the values of an existing
/// matrix:
///
/// ```
///   auto A = Teuchos::rcp(new Tessera::CrsMatrix(*matrix));
/// ```
///
/// Products are those of TpetraOperator, which documents how entries are split among ranks, what costs memory, and when
/// ranks agree on errors. **Nothing is ever stale:** the next apply() sees new values, a new pattern or new Maps after
/// resumeFill() and fillComplete(), and values that are edited in place. The plans are made in the first apply(), or in
/// prepare().
///
/// Tpetra itself multiplies
/// - where Tessera cannot: while the matrix is not fill-complete (which throws), and for types that Tessera is not
///   compiled for (multiplies_with_tessera);
/// - in functions that are not virtual or do not call apply(): localApply(), Tpetra::Details::residual() (which MueLu
///   and relaxations call), gaussSeidel(), sparse matrix-matrix products, and preconditioners with kernels of their
///   own. These functions see the same entries.
///
/// Copies share graph and values like those of Tpetra::CrsMatrix. They make plans of their own, and follow values until
/// values_changed() is called on them. apply() uses scratch memory, hence the class is not thread-safe.
///
/// \tparam Scalar, LocalOrdinal, GlobalOrdinal, Node any of Tpetra's. Tessera multiplies float, double and std::complex
///         of these, with LocalOrdinal int
///
/// Types for which Tpetra is not instantiated, and other scalars, need tessera/tpetra/CrsMatrix_def.hpp.
template <class Scalar = Tpetra::Operator<>::scalar_type,
          class LocalOrdinal = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::Operator<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node = typename Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class CrsMatrix : public Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>,
                  public BlockOperator<Scalar, LocalOrdinal, GlobalOrdinal, Node> {
 public:
  using base_type = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;           ///< Tpetra's class
  using multivector_type = Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;  ///< the type of X and Y

  /// Whether Tessera is compiled for these types. If not, all products are Tpetra's.
  static constexpr bool multiplies_with_tessera = [] {
    if constexpr (Impl::KernelScalar<Scalar>::supported && std::is_same_v<LocalOrdinal, int>) {
      return Impl::is_compiled_v<Impl::kernel_scalar_t<Scalar>>;
    } else {
      return false;
    }
  }();

  using base_type::base_type;

  /// Shares the graph and the values of a matrix, which may be destroyed afterwards. If the pattern is changed through
  /// one of the two objects, only this one may be used afterwards. Costs nothing.
  explicit CrsMatrix(const base_type& matrix, const TpetraOptions& options = {});

  CrsMatrix(const CrsMatrix& other);             ///< shares graph and values
  CrsMatrix(CrsMatrix&& other) noexcept;         ///< moves graph, values and plans
  CrsMatrix& operator=(const CrsMatrix& other);  ///< shares graph and values
  CrsMatrix& operator=(CrsMatrix&& other);       ///< moves graph, values and plans
  ~CrsMatrix() override;

  /// Computes Y = alpha op(A) X + beta Y, like TpetraOperator::apply().
  void apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
             Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const override;

  /// Does the same for BlockVectors, whose rows are multiplied in place. See TpetraOperator::apply().
  ///
  /// \throws std::invalid_argument also while the matrix is not fill-complete
  void apply(const BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& X,
             BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
             Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const override;

  /// Sets how products are computed. Frees the plans, and forgets that values_changed() was called. All ranks must call
  /// this together, with the same options except options.plan.
  void set_options(const TpetraOptions& options);

  /// Makes the plans and allocates the memory for products of Tpetra's multivectors in this mode with up to `columns`
  /// columns, as the first apply() would. Collective. Does nothing for types that Tpetra multiplies.
  ///
  /// \throws the errors of TpetraOperator::apply()
  void prepare(std::size_t columns, Teuchos::ETransp mode = Teuchos::NO_TRANS) const;
  /// Does the same for BlockVectors, like TpetraOperator::prepare_blocks().
  void prepare_blocks(std::size_t columns, Teuchos::ETransp mode = Teuchos::NO_TRANS) const;

  /// Says that the values changed, and promises a call for each later change: apply() no longer checks values. A new
  /// pattern, and values that have moved, are still detected. Not collective, but all ranks call it at the same time.
  ///
  /// A debug build throws std::logic_error in apply() if a later call is missing; see checks_values().
  void values_changed();

  /// Describes this rank's plans: what was chosen and why, and how much of it is in the halo.
  std::string explain() const;

 private:
  struct State;
  State& state() const;

  TpetraOptions options_;
  // Created at first use, one per object. A shared_ptr, because constructors then do not need the definition of State.
  mutable std::shared_ptr<State> state_;
};

/// Deduces the types of an existing matrix.
template <class Scalar, class LocalOrdinal, class GlobalOrdinal, class Node>
CrsMatrix(const Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>&, const TpetraOptions& = {})
    -> CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

}  // namespace Tessera
