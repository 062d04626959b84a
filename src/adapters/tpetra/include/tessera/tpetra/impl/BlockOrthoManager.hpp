// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <BelosOrthoManager.hpp>
#include <Teuchos_Array.hpp>
#include <Teuchos_RCP.hpp>
#include <Teuchos_SerialDenseMatrix.hpp>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/BlockVector.hpp>

namespace Tessera::Impl {

/// One of Belos' orthogonalisation managers that takes all columns of a block at once: Tessera::orthonormalize(), in
/// few passes, where Belos takes one column after the other. With an inner product of its own (an operator M) it does
/// what Belos does.
///
/// A column counts as dependent where it does for Belos' manager. A random direction then takes its place, so that the
/// basis has full rank, unless there are fewer rows than columns.
///
/// \tparam Base Belos::ICGSOrthoManager, IMGSOrthoManager or DGKSOrthoManager
template <class Base, class SC, class MV>
class BlockOrthoManager : public Base {
 public:
  using Small = Teuchos::SerialDenseMatrix<int, SC>;
  using SmallPointer = Teuchos::RCP<Small>;
  using Coefficients = Teuchos::Array<SmallPointer>;
  using Blocks = Teuchos::ArrayView<Teuchos::RCP<const MV>>;

  using Base::Base;

  /// X -= Q Q^T X, twice; C = Q^T X
  void project(MV& X, Teuchos::RCP<MV> MX, Coefficients C, Blocks Q) const override {
    if (this->_hasOp) return Base::project(X, MX, C, Q);
    C.resize(Q.size());
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < Q.size(); ++i) {
        Small part(columns(*Q[i]), columns(X), false);
        Q[i]->innerProducts(SC(1), X, part);
        X.multiply(SC(-1), *Q[i], part, SC(1));
        if (C[i].is_null()) continue;
        fit("project", *C[i], part);
        if (pass == 0) C[i]->putScalar();
        *C[i] += part;
      }
    }
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
  static int columns(const MV& X) { return static_cast<int>(X.getNumVectors()); }

  static void fit(const char* function, const Small& given, const Small& result) {
    if (given.numRows() == result.numRows() && given.numCols() == result.numCols()) return;
    throw std::invalid_argument("Tessera::BlockOrthoManager::" + std::string(function) + ": coefficients are " +
                                std::to_string(given.numRows()) + " x " + std::to_string(given.numCols()) +
                                "; expected " + std::to_string(result.numRows()) + " x " +
                                std::to_string(result.numCols()));
  }

  /// The rank of the basis that X becomes.
  int orthonormalize(MV& X, const Coefficients& C, const SmallPointer& B, const Blocks& Q) const {
    OrthonormalizeOptions options;
    options.seed = seed_ += 8;  // a call takes a few in a row
    // Belos compares squares, and never calls a single column dependent.
    if (columns(X) > 1) options.dependence = std::sqrt(static_cast<double>(this->getSingTol()));
    Small all, R;
    int independent = 0;
    try {
      independent = X.orthonormalize(Q.getConst(), &all, &R, options);
    } catch (const std::runtime_error& error) {
      throw Belos::OrthoError(error.what());
    }
    int row = 0;
    for (int i = 0; i < Q.size(); ++i) {
      const Small part(Teuchos::View, all, columns(*Q[i]), columns(X), row);
      row += part.numRows();
      if (i >= C.size() || C[i].is_null()) continue;
      fit("projectAndNormalize", *C[i], part);
      C[i]->assign(part);
    }
    if (!B.is_null()) {
      fit("normalize", *B, R);
      B->assign(R);
    }
    const bool has_room = X.getGlobalLength() >= static_cast<std::size_t>(row + columns(X));
    return has_room ? columns(X) : independent;
  }

  mutable std::uint64_t seed_ = 0;
};

}  // namespace Tessera::Impl
