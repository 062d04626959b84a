// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_Array.hpp>
#include <Teuchos_RCP.hpp>
#include <Teuchos_SerialDenseMatrix.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/BlockVector.hpp>

namespace Tessera::Impl {

/// The common part of the orthogonalisation managers for Belos and Anasazi. It works on all columns of a block at once,
/// by Tessera::orthonormalize(), in few passes.
template <class SC, class MV>
class BlockOrthogonalizer {
 public:
  using Small = Teuchos::SerialDenseMatrix<int, SC>;
  using SmallPointer = Teuchos::RCP<Small>;
  using Coefficients = Teuchos::ArrayView<const SmallPointer>;  ///< elements are null, or missing, if not requested
  using Blocks = Teuchos::ArrayView<const Teuchos::RCP<const MV>>;

  static int columns(const MV& X) { return static_cast<int>(X.getNumVectors()); }

  /// Computes X -= Q Q^T X, twice. C is the sum of both Q^T X.
  static void project(MV& X, const Coefficients& C, const Blocks& Q) {
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < Q.size(); ++i) {
        Small part(columns(*Q[i]), columns(X), false);
        Q[i]->innerProducts(SC(1), X, part);
        X.multiply(SC(-1), *Q[i], part, SC(1));
        if (!is_asked_for(C, i)) continue;
        fit(*C[i], part);
        if (pass == 0) C[i]->putScalar();
        *C[i] += part;
      }
    }
  }

  /// Makes X an orthonormal basis with X0 = Q C + X B, where X0 is the old X. A random direction replaces each column
  /// that depends on others, unless there are fewer rows than columns. Returns the rank of the new X.
  ///
  /// \param dependence [in] see OrthonormalizeOptions::dependence
  /// \throws std::runtime_error like Tessera::orthonormalize()
  int orthonormalize(MV& X, const Coefficients& C, const SmallPointer& B, const Blocks& Q, double dependence) {
    OrthonormalizeOptions options;
    options.seed = seed_ += 8;  // each call uses a few consecutive seeds
    options.dependence = dependence;
    Small all, R;
    const int independent = X.orthonormalize(Q, &all, &R, options);
    int row = 0;
    for (int i = 0; i < Q.size(); ++i) {
      const Small part(Teuchos::View, all, columns(*Q[i]), columns(X), row);
      row += part.numRows();
      if (!is_asked_for(C, i)) continue;
      fit(*C[i], part);
      C[i]->assign(part);
    }
    if (!B.is_null()) {
      fit(*B, R);
      B->assign(R);
    }
    const bool has_room = X.getGlobalLength() >= static_cast<std::size_t>(row + columns(X));
    return has_room ? columns(X) : independent;
  }

 private:
  static bool is_asked_for(const Coefficients& C, int i) { return i < C.size() && !C[i].is_null(); }

  static void fit(const Small& given, const Small& result) {
    if (given.numRows() == result.numRows() && given.numCols() == result.numCols()) return;
    throw std::invalid_argument("Tessera: the orthogonalization manager was given coefficients of " +
                                std::to_string(given.numRows()) + " x " + std::to_string(given.numCols()) +
                                "; expected " + std::to_string(result.numRows()) + " x " +
                                std::to_string(result.numCols()));
  }

  std::uint64_t seed_ = 0;
};

}  // namespace Tessera::Impl
