// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <AnasaziMatOrthoManager.hpp>
#include <Teuchos_Array.hpp>
#include <Teuchos_RCP.hpp>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/impl/BlockOrthogonalizer.hpp>

namespace Tessera::Impl {

/// The operator M of an inner product, wrapped in a type of its own. Anasazi's managers for this type are still
/// available when the managers for `OP` are specialised.
template <class OP>
struct InnerProductOperator {
  Teuchos::RCP<const OP> M;
};

/// One of Anasazi's orthogonalisation managers. It works on all columns of a block at once, in two waits. Anasazi's
/// SVQB needs four waits in each pass, and its DGKS some for each column. With an operator M for the inner product,
/// this class uses Anasazi's manager.
///
/// \tparam Manager the class template of Anasazi's manager
template <template <class, class, class> class Manager, class SC, class MV, class OP>
class AnasaziOrthoManager : public Anasazi::MatOrthoManager<SC, MV, OP> {
 public:
  using Base = Anasazi::MatOrthoManager<SC, MV, OP>;
  using Magnitude = typename Teuchos::ScalarTraits<SC>::magnitudeType;
  using Orthogonalizer = BlockOrthogonalizer<SC, MV>;
  using SmallPointer = typename Orthogonalizer::SmallPointer;
  using Coefficients = Teuchos::Array<SmallPointer>;
  using Blocks = Teuchos::Array<Teuchos::RCP<const MV>>;

  /// \param arguments [in] the arguments of Anasazi's constructor after the operator
  template <class... Arguments>
  explicit AnasaziOrthoManager(const Teuchos::RCP<const OP>& M, const Arguments&... arguments)
      : Base(M), theirs_(theirs(M), arguments...) {}

  void setOp(Teuchos::RCP<const OP> M) override {
    Base::setOp(M);
    theirs_.setOp(theirs(M));
  }

  void projectMat(MV& X, Blocks Q, Coefficients C, Teuchos::RCP<MV> MX, Blocks MQ) const override {
    if (this->_hasOp) return counted([&] { theirs_.projectMat(X, Q, C, MX, MQ); });
    Orthogonalizer::project(X, C(), Q());
  }

  int normalizeMat(MV& X, SmallPointer B, Teuchos::RCP<MV> MX) const override {
    if (this->_hasOp) return counted([&] { return theirs_.normalizeMat(X, B, MX); });
    return orthonormalize(X, {}, B, {});
  }

  int projectAndNormalizeMat(MV& X, Blocks Q, Coefficients C, SmallPointer B, Teuchos::RCP<MV> MX,
                             Blocks MQ) const override {
    if (this->_hasOp) return counted([&] { return theirs_.projectAndNormalizeMat(X, Q, C, B, MX, MQ); });
    return orthonormalize(X, C, B, Q);
  }

  Magnitude orthonormErrorMat(const MV& X, Teuchos::RCP<const MV> MX) const override {
    return counted([&] { return theirs_.orthonormErrorMat(X, MX); });
  }
  Magnitude orthogErrorMat(const MV& X, const MV& Y, Teuchos::RCP<const MV> MX,
                           Teuchos::RCP<const MV> MY) const override {
    return counted([&] { return theirs_.orthogErrorMat(X, Y, MX, MY); });
  }

 private:
  using Operator = InnerProductOperator<OP>;

  static Teuchos::RCP<const Operator> theirs(const Teuchos::RCP<const OP>& M) {
    return M.is_null() ? Teuchos::null : Teuchos::rcp(new Operator{M});
  }

  /// Returns the result of body(), and adds the number of its products with M to the count of this manager.
  template <class Body>
  auto counted(const Body& body) const {
    struct Count {
      const AnasaziOrthoManager& manager;
      int before = manager.theirs_.getOpCounter();
      ~Count() { manager._OpCounter += manager.theirs_.getOpCounter() - before; }
    } const count{*this};
    return body();
  }

  int orthonormalize(MV& X, const Coefficients& C, const SmallPointer& B, const Blocks& Q) const {
    std::size_t columns = X.getNumVectors();
    for (const auto& block : Q) columns += block->getNumVectors();
    if (columns > X.getGlobalLength()) {
      throw std::invalid_argument("Tessera: the orthogonalization manager was given " + std::to_string(columns) +
                                  " columns, Q included; expected at most as many as rows, " +
                                  std::to_string(X.getGlobalLength()));
    }
    try {
      return orthogonalizer_.orthonormalize(X, C(), B, Q(), OrthonormalizeOptions().dependence);
    } catch (const std::runtime_error& error) {
      throw Anasazi::OrthoError(error.what());
    }
  }

  mutable Orthogonalizer orthogonalizer_;

 protected:
  Manager<SC, MV, Operator> theirs_;
};

}  // namespace Tessera::Impl
