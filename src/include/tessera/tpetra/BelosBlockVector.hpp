// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <BelosConfigDefs.hpp>
#include <BelosMultiVecTraits.hpp>
#include <BelosOperatorTraits.hpp>
#include <BelosOrthoManagerFactory.hpp>
#include <BelosTypes.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Operator.hpp>
#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/BlockVector.hpp>
#include <tessera/tpetra/impl/BlockOrthoManager.hpp>
#include <tessera/tpetra/impl/BlockVectorTraits.hpp>
#include <vector>

/// @file
/// Belos' solvers with Tessera::BlockVector as the multivector and Tpetra::Operator as the operator:
///
/// ```
///   using MV = Tessera::BlockVector<>;
///   using OP = Tpetra::Operator<>;
///   Belos::LinearProblem<double, MV, OP> problem(A, X, B);        // A: a Tessera::CrsMatrix
///   Belos::BlockCGSolMgr<double, MV, OP> solver(...);
/// ```
///
/// The algorithms are Belos'. Products with a BlockOperator, such as A, use the blocks directly; other operators, such
/// as preconditioners, are given copies (Tessera::apply). The orthogonalisations ICGS, IMGS and DGKS work on all
/// columns of a block at once, by Tessera::orthonormalize.

namespace Belos {

/// Belos' operations on vectors.
template <class Scalar, class LO, class GO, class Node>
class MultiVecTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>>
    : public Tessera::Impl::BlockVectorTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>> {
  using MV = Tessera::BlockVector<Scalar, LO, GO, Node>;

 public:
  /// Computes norms[j], the norm of column j.
  static void MvNorm(const MV& X, std::vector<Scalar>& norms, NormType type = TwoNorm) {
    const auto result = MultiVecTraits::first(norms, X);
    if (type == OneNorm) return X.norm1(result);
    if (type == TwoNorm) return X.norm2(result);
    if (type == InfNorm) return X.normInf(result);
    throw std::logic_error("Belos::MultiVecTraits::MvNorm: the type is " + std::to_string(static_cast<int>(type)) +
                           "; expected OneNorm, TwoNorm or InfNorm");
  }

#ifdef HAVE_BELOS_TSQR
  using tsqr_adaptor_type = details::StubTsqrAdapter<MV>;  ///< not supported: other managers work on blocks
#endif
};

/// Belos' operations on operators.
template <class Scalar, class LO, class GO, class Node>
class OperatorTraits<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>, Tpetra::Operator<Scalar, LO, GO, Node>> {
  using MV = Tessera::BlockVector<Scalar, LO, GO, Node>;
  using OP = Tpetra::Operator<Scalar, LO, GO, Node>;

 public:
  /// Computes Y = op(A) X.
  static void Apply(const OP& A, const MV& X, MV& Y, ETrans trans = NOTRANS) {
    Tessera::apply(A, X, Y, trans == NOTRANS ? Teuchos::NO_TRANS : Teuchos::TRANS);
  }
  /// Whether Apply() supports transposed modes.
  static bool HasApplyTranspose(const OP& A) { return A.hasTransposeApply(); }
};

/// The orthogonalisation managers that Belos' solvers request by name: ICGS, IMGS and DGKS. Each derives from Belos'
/// manager of this name and accepts its parameters. Without an operator M for the inner product it works on all columns
/// at once, and ignores the parameters for repetitions.
template <class Scalar, class LO, class GO, class Node, class OP>
class OrthoManagerFactory<Scalar, Tessera::BlockVector<Scalar, LO, GO, Node>, OP> {
  using MV = Tessera::BlockVector<Scalar, LO, GO, Node>;
  using Parameters = Teuchos::RCP<const Teuchos::ParameterList>;
  using Manager = Teuchos::RCP<MatOrthoManager<Scalar, MV, OP>>;

 public:
  static int numOrthoManagers() { return static_cast<int>(names().size()); }  ///< number of names
  static bool isRankRevealing(const std::string&) { return true; }            ///< all managers are rank-revealing
  const std::vector<std::string>& validNames() const { return names(); }      ///< names of the managers
  const std::string& defaultName() const { return names().front(); }          ///< ICGS
  /// Whether there is a manager of this name.
  bool isValidName(const std::string& name) const {
    return std::find(names().begin(), names().end(), name) != names().end();
  }
  /// Returns the names, separated by commas.
  std::string validNamesString() const { return "\"ICGS\", \"IMGS\", or \"DGKS\""; }
  std::ostream& printValidNames(std::ostream& out) const { return out << validNamesString(); }  ///< prints the names

  /// Returns the default parameters of a manager.
  Parameters getDefaultParameters(const std::string& name) const {
    if (name == "ICGS") return getICGSDefaultParameters<Scalar, MV, OP>();
    if (name == "IMGS") return getIMGSDefaultParameters<Scalar, MV, OP>();
    if (name == "DGKS") return getDGKSDefaultParameters<Scalar, MV, OP>();
    throw std::invalid_argument(unknown(name));
  }
  /// Returns parameters for a manager with fewer repetitions.
  Parameters getFastParameters(const std::string& name) const {
    if (name == "ICGS") return getICGSFastParameters<Scalar, MV, OP>();
    if (name == "IMGS") return getIMGSFastParameters<Scalar, MV, OP>();
    if (name == "DGKS") return getDGKSFastParameters<Scalar, MV, OP>();
    throw std::invalid_argument(unknown(name));
  }

  /// Returns a manager of this name for the inner product of M, or for the standard inner product if M is null.
  Manager makeMatOrthoManager(const std::string& name, const Teuchos::RCP<const OP>& M,
                              const Teuchos::RCP<OutputManager<Scalar>>&, const std::string& label,
                              const Teuchos::RCP<Teuchos::ParameterList>& parameters) {
    if (name == "ICGS") return make<ICGSOrthoManager<Scalar, MV, OP>>(parameters, label, M);
    if (name == "IMGS") return make<IMGSOrthoManager<Scalar, MV, OP>>(parameters, label, M);
    if (name == "DGKS") return make<DGKSOrthoManager<Scalar, MV, OP>>(parameters, label, M);
    throw std::invalid_argument(unknown(name));
  }
  /// Returns the result of makeMatOrthoManager() as a pointer to the base class.
  Teuchos::RCP<OrthoManager<Scalar, MV>> makeOrthoManager(const std::string& name, const Teuchos::RCP<const OP>& M,
                                                          const Teuchos::RCP<OutputManager<Scalar>>& output,
                                                          const std::string& label,
                                                          const Teuchos::RCP<Teuchos::ParameterList>& parameters) {
    return makeMatOrthoManager(name, M, output, label, parameters);
  }

 private:
  template <class Base>
  static Manager make(const Teuchos::RCP<Teuchos::ParameterList>& parameters, const std::string& label,
                      const Teuchos::RCP<const OP>& M) {
    return Teuchos::rcp(new Tessera::Impl::BlockOrthoManager<Base, Scalar, MV>(parameters, label, M));
  }
  static const std::vector<std::string>& names() {
    static const std::vector<std::string> list = {"ICGS", "IMGS", "DGKS"};
    return list;
  }
  std::string unknown(const std::string& name) const {
    return "Belos::OrthoManagerFactory: the orthogonalization manager is \"" + name + "\"; expected " +
           validNamesString();
  }
};

}  // namespace Belos
