// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_Map_fwd.hpp>
#include <Tpetra_MultiVector_fwd.hpp>
#include <Tpetra_Operator.hpp>
#include <memory>
#include <tessera/tpetra/BlockOperator.hpp>

namespace Tessera {

/// Jacobi's preconditioner, the product with damping D^-1, where D is the diagonal of a matrix. It multiplies
/// BlockVectors in place, and Tpetra's multivectors, too:
///
/// ```
///   auto M = Teuchos::rcp(new Tessera::Jacobi<>(matrix));   // matrix: RCP of a fill-complete CrsMatrix
///   problem.setLeftPrec(M);                                 // Belos, with BlockVector or Tpetra::MultiVector
/// ```
///
/// If the matrix gets new values, call compute(): unlike products, apply() does not notice them.
///
/// **Cost.** An apply() is one pass: it reads X and writes Y, and reads Y if beta is not 0. It communicates and
/// allocates nothing. Memory: one number for each row, two if they are complex.
///
/// \tparam Scalar        float, double or std::complex of these; complex BlockVectors do not exist
/// \tparam LocalOrdinal  int
/// \tparam GlobalOrdinal any of Tpetra's
/// \tparam Node          any of Tpetra's whose execution space Tessera is built for
///
/// Types for which Tpetra is not instantiated need tessera/tpetra/Jacobi_def.hpp.
template <class Scalar = Tpetra::Operator<>::scalar_type,
          class LocalOrdinal = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::Operator<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node = typename Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class Jacobi : public Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>,
               public BlockOperator<Scalar, LocalOrdinal, GlobalOrdinal, Node> {
 public:
  using map_type = Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;                          ///< the type of Maps
  using multivector_type = Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;  ///< the type of X and Y
  using operator_type = Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>;        ///< the type of the matrix

  /// Keeps the matrix, and calls compute().
  ///
  /// \param matrix  [in] a fill-complete CrsMatrix, another RowMatrix, a TpetraOperator, or your own operator with
  ///                     hasDiagonal(); its row Map, domain Map and range Map are the same
  /// \param damping [in] the factor of D^-1
  /// \throws std::invalid_argument if the matrix is null, damping is not finite, or the Maps differ; and the errors of
  ///         compute()
  explicit Jacobi(const Teuchos::RCP<const operator_type>& matrix, Scalar damping = Scalar(1));
  ~Jacobi() override;
  Jacobi(const Jacobi&) = delete;
  Jacobi& operator=(const Jacobi&) = delete;

  /// Reads the diagonal of the matrix again. Collective: one MPI_Allreduce of an int.
  ///
  /// \throws std::invalid_argument on all ranks if an element is 0 or not finite, naming its global row. The
  ///         preconditioner is then the former one
  void compute();

  Teuchos::RCP<const map_type> getDomainMap() const override;  ///< the Map of the matrix
  Teuchos::RCP<const map_type> getRangeMap() const override;   ///< the Map of the matrix
  bool hasTransposeApply() const override { return true; }     ///< true: a diagonal matrix is its transpose

  /// Computes Y = alpha damping D^-1 X + beta Y, for CONJ_TRANS with the conjugate of damping D^-1. Y may hold anything
  /// if beta is 0, and may be X.
  ///
  /// \throws std::invalid_argument if X or Y does not fit; only local lengths are checked
  void apply(const multivector_type& X, multivector_type& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
             Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const override;

  /// Does the same for BlockVectors. A block that is a list of columns is copied, and X if it overlaps Y in part.
  void apply(const BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& X,
             BlockVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
             Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Takes the types from the matrix, a Tpetra::CrsMatrix or another operator.
template <class Matrix>
Jacobi(const Teuchos::RCP<Matrix>& matrix, typename Matrix::scalar_type damping = 1)
    -> Jacobi<typename Matrix::scalar_type, typename Matrix::local_ordinal_type, typename Matrix::global_ordinal_type,
              typename Matrix::node_type>;

}  // namespace Tessera
