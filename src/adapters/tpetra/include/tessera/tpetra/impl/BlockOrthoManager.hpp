// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <BelosOrthoManager.hpp>
#include <Teuchos_Array.hpp>
#include <Teuchos_RCP.hpp>
#include <cmath>
#include <stdexcept>
#include <tessera/tpetra/impl/BlockOrthogonalizer.hpp>

namespace Tessera::Impl {

/// One of Belos' orthogonalisation managers. It works on all columns of a block at once; Belos works on one column
/// after the other. With an operator M for the inner product, this class uses Belos' manager.
///
/// A column is dependent if only rounding errors may be left of it. Belos calls a column dependent at angles below
/// 5e-8, which its sums cannot distinguish from 0, and replaces it by a random direction. This makes block CG stagnate
/// on ill-conditioned matrices. A parameter "singTol" is used unless it is Belos' default.
///
/// \tparam Base Belos::ICGSOrthoManager, IMGSOrthoManager or DGKSOrthoManager
template <class Base, class SC, class MV>
class BlockOrthoManager : public Base {
 public:
  using Orthogonalizer = BlockOrthogonalizer<SC, MV>;
  using SmallPointer = typename Orthogonalizer::SmallPointer;
  using Coefficients = Teuchos::Array<SmallPointer>;
  using Blocks = Teuchos::ArrayView<Teuchos::RCP<const MV>>;

  using Base::Base;

  /// Computes X -= Q Q^T X, twice. C is the sum of both Q^T X.
  void project(MV& X, Teuchos::RCP<MV> MX, Coefficients C, Blocks Q) const override {
    if (this->_hasOp) return Base::project(X, MX, C, Q);
    Orthogonalizer::project(X, C(), Q.getConst());
  }
  void project(MV& X, Coefficients C, Blocks Q) const override { project(X, Teuchos::null, C, Q); }

  int normalize(MV& X, Teuchos::RCP<MV> MX, SmallPointer B) const override {
    if (this->_hasOp) return Base::normalize(X, MX, B);
    return orthonormalize(X, {}, B, {});
  }
  int normalize(MV& X, SmallPointer B) const override { return normalize(X, Teuchos::null, B); }

 protected:
  int projectAndNormalizeWithMxImpl(MV& X, Teuchos::RCP<MV> MX, Coefficients C, SmallPointer B,
                                    Blocks Q) const override {
    if (this->_hasOp) return Base::projectAndNormalizeWithMxImpl(X, MX, C, B, Q);
    return orthonormalize(X, C, B, Q);
  }

 private:
  int orthonormalize(MV& X, const Coefficients& C, const SmallPointer& B, const Blocks& Q) const {
    try {
      return orthogonalizer_.orthonormalize(X, C(), B, Q.getConst(), dependence_of(X));
    } catch (const std::runtime_error& error) {
      throw Belos::OrthoError(error.what());
    }
  }

  /// Returns the threshold for dependence. Belos' singTol bounds a square, and does not apply to a single column.
  double dependence_of(const MV& X) const {
    const auto given = this->getSingTol();
    const bool is_asked_for = X.getNumVectors() > 1 && given != Base::sing_tol_default_;
    return is_asked_for ? std::sqrt(static_cast<double>(given)) : OrthonormalizeOptions().dependence;
  }

  mutable Orthogonalizer orthogonalizer_;
};

}  // namespace Tessera::Impl
