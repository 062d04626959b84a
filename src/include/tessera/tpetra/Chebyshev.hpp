// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_Map_fwd.hpp>
#include <Tpetra_MultiVector_fwd.hpp>
#include <Tpetra_Operator.hpp>
#include <Tpetra_Vector_fwd.hpp>
#include <cstdint>
#include <memory>
#include <tessera/tpetra/BlockOperator.hpp>

namespace Tessera {

/// Options of Chebyshev. Defaults are those of Ifpack2::Chebyshev, except the degree, which is 1 there, and the way in
/// which the largest eigenvalue is estimated.
struct ChebyshevOptions {
  int degree = 3;      ///< degree of the polynomial in D^-1 A, which is one more than the products; at least 1
  double ratio = 30;   ///< the polynomial is made for eigenvalues from largest / ratio on; more than 1
  double boost = 1.1;  ///< and up to boost * largest, because an estimate is too small; at least 1
  /// The largest eigenvalue of D^-1 A, or an upper bound; 0 estimates it.
  double largest_eigenvalue = 0;
  int estimate_steps = 10;  ///< steps of the estimate, each with a product with one column; at least 1
  std::uint64_t seed = 1;   ///< of the estimate's random vector
};

/// Chebyshev's preconditioner: Y = p(D^-1 A) D^-1 X for a symmetric positive definite A with the diagonal D. After
/// `degree` steps from 0, the polynomial leaves the least share of the error in eigenvectors with eigenvalues in
/// [largest / ratio, boost * largest]. Products are all that it needs of A, and it never sums over ranks:
///
/// ```
///   auto A = Teuchos::rcp(new Tessera::CrsMatrix(*matrix));   // matrix: a fill-complete Tpetra::CrsMatrix
///   auto M = Teuchos::rcp(new Tessera::Chebyshev<>(A));
///   problem.setLeftPrec(M);                                   // Belos, with BlockVector or Tpetra::MultiVector
/// ```
///
/// The preconditioner is a fixed linear operator. It is symmetric and, if the largest eigenvalue of D^-1 A is at most
/// boost * largest, positive definite, hence CG may use it. With an odd degree it is positive definite for any A that
/// is. If the matrix gets new values, call compute(): products see them, but D and the eigenvalue are the former ones.
///
/// **Recurrence.** Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., Algorithm 12.1, as Ifpack2 has it
/// ("chebyshev: algorithm" "first", zero starting solution). The direction is written as the difference of two
/// iterates: Z' = Z + c (Z - P) + d D^-1 (X - A Z), with the former iterate P. This saves one of eight passes.
///
/// **Cost.** An apply() to n rows and s columns has degree - 1 products, and no sum over ranks. In between it reads or
/// writes n x s numbers five times for a step: one kernel reads X, A Z, Z and P, and writes the next iterate where P
/// was. The first step reads or writes them 2 times, the second 4 times. Memory: 2 n s numbers for degree 2, 3 n s from
/// degree 3 on, which are kept for the next call. Tpetra's multivectors are copied to blocks and back. compute() has
/// estimate_steps products with one column, and two more sums over the ranks than steps.
///
/// Collective as the products are. In an apply() with more columns than any before, an error on one rank throws on all.
/// The object is not thread-safe.
///
/// \tparam Scalar        float or double
/// \tparam LocalOrdinal  int
/// \tparam GlobalOrdinal any of Tpetra's
/// \tparam Node          any of Tpetra's whose execution space Tessera is built for
///
/// Types for which Tpetra is not instantiated need tessera/tpetra/Chebyshev_def.hpp.
template <class Scalar = Tpetra::Operator<>::scalar_type,
          class LocalOrdinal = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::Operator<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node = typename Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class Chebyshev : public Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>,
                  public BlockOperator<Scalar, LocalOrdinal, GlobalOrdinal, Node> {
 public:
  using map_type = Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;                          ///< the type of Maps
  using multivector_type = Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;  ///< the type of X and Y
  using vector_type = Tpetra::Vector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;            ///< the type of D
  using operator_type = Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node>;        ///< the type of A

  /// Keeps the matrix, and calls compute().
  ///
  /// \param A       [in] a CrsMatrix or a TpetraOperator, which multiply blocks in place, a Tpetra::CrsMatrix, or your
  ///                     own operator with hasDiagonal(). Its row Map, domain Map and range Map are the same
  /// \param options [in] see ChebyshevOptions; the same on all ranks
  /// \throws std::invalid_argument if A is null, an option is out of its range, or the Maps differ; and the errors of
  ///         compute()
  explicit Chebyshev(const Teuchos::RCP<const operator_type>& A, const ChebyshevOptions& options = {});

  /// Takes D from a vector instead, for operators that have no diagonal or for another scaling. compute() reads it
  /// again.
  Chebyshev(const Teuchos::RCP<const operator_type>& A, const Teuchos::RCP<const vector_type>& diagonal,
            const ChebyshevOptions& options = {});
  ~Chebyshev() override;
  Chebyshev(const Chebyshev&) = delete;
  Chebyshev& operator=(const Chebyshev&) = delete;

  /// Reads the diagonal again and, unless the options give it, estimates the largest eigenvalue by Lanczos' method.
  /// The estimate is at most the eigenvalue; it has the same bits in each run, but not for each number of ranks.
  /// Collective.
  ///
  /// \throws std::invalid_argument on all ranks if an element of the diagonal is not positive and finite, naming its
  ///         global row, or if the estimate is not positive
  /// \throws std::runtime_error on all ranks if a product is not finite
  ///
  /// If it throws, the preconditioner is the former one.
  void compute();

  /// Returns the largest eigenvalue of D^-1 A that the polynomial is made for, without the boost.
  double largest_eigenvalue() const;

  Teuchos::RCP<const map_type> getDomainMap() const override;  ///< the Map of A
  Teuchos::RCP<const map_type> getRangeMap() const override;   ///< the Map of A
  bool hasTransposeApply() const override;                     ///< whether A has it: the polynomial is then that of A^T

  /// Computes Y = alpha p(D^-1 A) D^-1 X + beta Y. Y may hold anything if beta is 0, and may share memory with X.
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

/// Takes the types from the matrix.
template <class Matrix>
Chebyshev(const Teuchos::RCP<Matrix>& A, const ChebyshevOptions& options = {})
    -> Chebyshev<typename Matrix::scalar_type, typename Matrix::local_ordinal_type,
                 typename Matrix::global_ordinal_type, typename Matrix::node_type>;

}  // namespace Tessera
