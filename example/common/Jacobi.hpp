// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <Tpetra_Vector.hpp>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/BlockOperator.hpp>
#include <tessera/tpetra/BlockVector.hpp>

#include "AllRanks.hpp"

namespace Example {

/// The simplest preconditioner, Y = alpha D^-1 X + beta Y with the diagonal D of a matrix. X and Y are multivectors or
/// blocks.
class Jacobi : public Tpetra::Operator<double>, public Tessera::BlockOperator<double> {
 public:
  using MultiVector = Tpetra::MultiVector<double>;
  using Block = Tessera::BlockVector<double>;

  /// Throws on all ranks if an element of the diagonal is not positive, as it is in a positive definite matrix.
  explicit Jacobi(const Tpetra::CrsMatrix<double>& A) : inverse_(A.getRowMap()) {
    Tpetra::Vector<double> diagonal(A.getRowMap());
    A.getLocalDiagCopy(diagonal);
    on_all_ranks(*A.getComm(), [&] { return check(diagonal); });
    inverse_.reciprocal(diagonal);
  }

  void apply(const MultiVector& X, MultiVector& Y, Teuchos::ETransp, double alpha, double beta) const override {
    Y.elementWiseMultiply(alpha, inverse_, X, beta);
  }
  void apply(const Block& X, Block& Y, Teuchos::ETransp, double alpha, double beta) const override {
    if (alpha == 1 && beta == 0) return Y.scaleRows(inverse_, X);
    Block product(X.getMap(), X.getNumVectors(), false);
    product.scaleRows(inverse_, X);
    Y.update(alpha, product, beta);
  }
  Teuchos::RCP<const Tpetra::Map<>> getDomainMap() const override { return inverse_.getMap(); }
  Teuchos::RCP<const Tpetra::Map<>> getRangeMap() const override { return inverse_.getMap(); }
  bool hasTransposeApply() const override { return true; }

 private:
  static bool check(const Tpetra::Vector<double>& diagonal) {
    const auto elements = diagonal.getData();
    for (int i = 0; i < static_cast<int>(elements.size()); ++i) {
      if (elements[i] > 0) continue;
      const auto row = std::to_string(diagonal.getMap()->getGlobalElement(i) + 1);
      throw std::invalid_argument("not positive definite: element (" + row + ", " + row + ") is " +
                                  std::to_string(elements[i]) + ", expected a positive one");
    }
    return true;
  }

  Tpetra::Vector<double> inverse_;
};

}  // namespace Example
