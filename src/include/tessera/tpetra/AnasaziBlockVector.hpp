// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <AnasaziBasicOrthoManager.hpp>
#include <AnasaziMultiVecTraits.hpp>
#include <AnasaziOperatorTraits.hpp>
#include <AnasaziSVQBOrthoManager.hpp>
#include <AnasaziTpetraAdapter.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Operator.hpp>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/impl/AnasaziOrthoManager.hpp>
#include <tessera/tpetra/impl/BlockVectorTraits.hpp>
#include <vector>

/// @file
/// Anasazi's solvers with Tessera::BlockVector as the multivector and Tpetra::Operator as the operator:
///
/// ```
///   using MV = Tessera::BlockVector<>;
///   using OP = Tpetra::Operator<>;
///   Anasazi::BasicEigenproblem<double, MV, OP> problem(A, V);     // A: a Tessera::CrsMatrix
///   Anasazi::LOBPCGSolMgr<double, MV, OP> solver(...);
/// ```
///
/// The algorithms are Anasazi's. Products with a BlockOperator, such as A, use the blocks directly; other operators,
/// such as preconditioners, are given copies (Tessera::apply). Without an operator M for the inner product, the
/// orthogonalisation managers "SVQB" (the solvers' default) and "DGKS" work on all columns at once, by
/// Tessera::orthonormalize(): the coefficients of a normalization are then upper triangular.

namespace Anasazi {

/// Anasazi's operations on vectors.
template <class Scalar, class LO, class GO, class Node>
class MultiVecTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>>
    : public Tessera::Impl::BlockVectorTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>> {
  using MV = Tessera::BlockVector<Scalar, LO, GO, Node>;

 public:
  /// Computes norms[j], the Euclidean norm of column j.
  static void MvNorm(const MV& X, std::vector<Scalar>& norms) { X.norm2(MultiVecTraits::first(norms, X)); }

#ifdef HAVE_ANASAZI_TSQR
  using tsqr_adaptor_type = details::StubTsqrAdapter<MV>;  ///< not supported
#endif
};

/// Anasazi's operations on operators.
template <class Scalar, class LO, class GO, class Node>
class OperatorTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>, Tpetra::Operator<Scalar, LO, GO, Node>> {
 public:
  /// Computes Y = A X.
  static void Apply(const Tpetra::Operator<Scalar, LO, GO, Node>& A,
                    const Tessera::BlockVector<Scalar, LO, GO, Node>& X,
                    Tessera::BlockVector<Scalar, LO, GO, Node>& Y) {
    Tessera::apply(A, X, Y);
  }
};

/// Operations of Anasazi's own managers on the operator of the inner product.
template <class Scalar, class LO, class GO, class Node, class OP>
class OperatorTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>, Tessera::Impl::InnerProductOperator<OP>> {
  using MV = Tessera::BlockVector<Scalar, LO, GO, Node>;

 public:
  /// Computes Y = M X.
  static void Apply(const Tessera::Impl::InnerProductOperator<OP>& product, const MV& X, MV& Y) {
    OperatorTraits<Scalar, MV, OP>::Apply(*product.M, X, Y);
  }
};

/// The manager that solvers call "SVQB": Anasazi's if there is an operator M, else Tessera::orthonormalize().
template <class Scalar, class LO, class GO, class Node>
class SVQBOrthoManager<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>, Tpetra::Operator<Scalar, LO, GO, Node>>
    : public Tessera::Impl::AnasaziOrthoManager<SVQBOrthoManager, Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>,
                                                Tpetra::Operator<Scalar, LO, GO, Node>> {
  using OP = Tpetra::Operator<Scalar, LO, GO, Node>;

 public:
  /// Takes the arguments of Anasazi's constructor.
  explicit SVQBOrthoManager(Teuchos::RCP<const OP> M = Teuchos::null, bool debug = false)
      : SVQBOrthoManager::AnasaziOrthoManager(M, debug) {}
};

/// The manager that solvers call "DGKS". Without an operator M it uses Tessera::orthonormalize(), which ignores the
/// parameters; with M it is Anasazi's.
template <class Scalar, class LO, class GO, class Node>
class BasicOrthoManager<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>, Tpetra::Operator<Scalar, LO, GO, Node>>
    : public Tessera::Impl::AnasaziOrthoManager<BasicOrthoManager, Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>,
                                                Tpetra::Operator<Scalar, LO, GO, Node>> {
  using OP = Tpetra::Operator<Scalar, LO, GO, Node>;
  using Magnitude = typename Teuchos::ScalarTraits<Scalar>::magnitudeType;

 public:
  /// Takes the arguments of Anasazi's constructor.
  explicit BasicOrthoManager(Teuchos::RCP<const OP> M = Teuchos::null, Magnitude kappa = Magnitude(1.41421356),
                             Magnitude eps = Magnitude(0), Magnitude tol = Magnitude(0.20))
      : BasicOrthoManager::AnasaziOrthoManager(M, kappa, eps, tol) {}

  void setKappa(Magnitude kappa) { this->theirs_.setKappa(kappa); }  ///< sets Anasazi's parameter
  Magnitude getKappa() const { return this->theirs_.getKappa(); }    ///< returns Anasazi's parameter
};

}  // namespace Anasazi
