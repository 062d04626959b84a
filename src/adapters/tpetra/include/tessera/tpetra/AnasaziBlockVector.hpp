// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <AnasaziMultiVecTraits.hpp>
#include <AnasaziOperatorTraits.hpp>
#include <AnasaziTpetraAdapter.hpp>
#include <Tpetra_Operator.hpp>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/BlockVector.hpp>
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
/// The algorithms are Anasazi's. Products with a BlockOperator, such as A, take the blocks as they are; other
/// operators, such as preconditioners, are given copies (Tessera::apply).

namespace Anasazi {

/// What Anasazi does with vectors.
template <class Scalar, class LO, class GO, class Node>
class MultiVecTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>>
    : public Tessera::Impl::BlockVectorTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>> {
  using MV = Tessera::BlockVector<Scalar, LO, GO, Node>;

 public:
  /// norms[j] = the Euclidean norm of column j.
  static void MvNorm(const MV& X, std::vector<Scalar>& norms) { X.norm2(MultiVecTraits::first(norms, X)); }

#ifdef HAVE_ANASAZI_TSQR
  using tsqr_adaptor_type = details::StubTsqrAdapter<MV>;  ///< none
#endif
};

/// What Anasazi does with operators.
template <class Scalar, class LO, class GO, class Node>
class OperatorTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>, Tpetra::Operator<Scalar, LO, GO, Node>> {
 public:
  /// Y = A X.
  static void Apply(const Tpetra::Operator<Scalar, LO, GO, Node>& A,
                    const Tessera::BlockVector<Scalar, LO, GO, Node>& X,
                    Tessera::BlockVector<Scalar, LO, GO, Node>& Y) {
    Tessera::apply(A, X, Y);
  }
};

}  // namespace Anasazi
