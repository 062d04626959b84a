// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_Array.hpp>
#include <Teuchos_FancyOStream.hpp>
#include <Teuchos_RCP.hpp>
#include <Teuchos_Range1D.hpp>
#include <Teuchos_SerialDenseMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/BlockVector.hpp>
#include <vector>

namespace Tessera::Impl {

/// The common part of the MultiVecTraits of Belos and Anasazi, which define the names of the functions.
template <class Scalar, class MV>
struct BlockVectorTraits {
  using SmallMatrix = Teuchos::SerialDenseMatrix<int, Scalar>;
  using Range = Teuchos::Range1D;
  using Pointer = Teuchos::RCP<MV>;
  using ConstPointer = Teuchos::RCP<const MV>;

  static Pointer Clone(const MV& X, int columns) {
    return Teuchos::rcp(new MV(X.getMap(), static_cast<std::size_t>(columns), false));
  }
  static Pointer CloneCopy(const MV& X) { return Teuchos::rcp(new MV(X, Teuchos::Copy)); }
  static Pointer CloneCopy(const MV& X, const std::vector<int>& columns) { return X.subCopy(list(columns)()); }
  static Pointer CloneCopy(const MV& X, const Range& columns) { return X.subCopy(columns); }
  static Pointer CloneViewNonConst(MV& X, const std::vector<int>& columns) {
    return X.subViewNonConst(list(columns)());
  }
  static Pointer CloneViewNonConst(MV& X, const Range& columns) { return X.subViewNonConst(columns); }
  static ConstPointer CloneView(const MV& X, const std::vector<int>& columns) { return X.subView(list(columns)()); }
  static ConstPointer CloneView(const MV& X, const Range& columns) { return X.subView(columns); }

  static std::ptrdiff_t GetGlobalLength(const MV& X) { return static_cast<std::ptrdiff_t>(X.getGlobalLength()); }
  static int GetNumberVecs(const MV& X) { return static_cast<int>(X.getNumVectors()); }
  static bool HasConstantStride(const MV& X) { return X.isConstantStride(); }

  static void MvTimesMatAddMv(Scalar alpha, const MV& A, const SmallMatrix& B, Scalar beta, MV& X) {
    X.multiply(alpha, A, B, beta);
  }
  static void MvAddMv(Scalar alpha, const MV& A, Scalar beta, const MV& B, MV& X) {
    X.update(alpha, A, beta, B, Scalar(0));
  }
  static void MvScale(MV& X, Scalar factor) { X.scale(factor); }
  static void MvScale(MV& X, const std::vector<Scalar>& factors) { X.scale(Teuchos::ArrayView<const Scalar>(factors)); }

  /// Computes C = alpha A^T X. C may be larger than the result.
  static void MvTransMv(Scalar alpha, const MV& A, const MV& X, SmallMatrix& C) {
    SmallMatrix result(Teuchos::View, C, GetNumberVecs(A), GetNumberVecs(X));
    A.innerProducts(alpha, X, result);
  }
  static void MvDot(const MV& A, const MV& X, std::vector<Scalar>& result) { A.dot(X, first(result, A)); }

  static void SetBlock(const MV& A, const std::vector<int>& columns, MV& X) {
    set(A, static_cast<int>(columns.size()), *CloneViewNonConst(X, columns));
  }
  static void SetBlock(const MV& A, const Range& columns, MV& X) {
    set(A, static_cast<int>(columns.size()), *X.subViewNonConst(columns));
  }
  static void Assign(const MV& A, MV& X) {
    const int columns = GetNumberVecs(A);
    if (columns == GetNumberVecs(X)) return X.assign(A);
    X.subViewNonConst(Range(0, columns - 1))->assign(A);
  }
  static void MvRandom(MV& X) { X.randomize(); }
  static void MvInit(MV& X, Scalar value = Scalar(0)) { X.putScalar(value); }
  static void MvPrint(const MV& X, std::ostream& stream) {
    Teuchos::FancyOStream fancy(Teuchos::rcpFromRef(stream));
    X.toMultiVector()->describe(fancy, Teuchos::VERB_EXTREME);
  }

 protected:
  /// Returns the first elements of `results`, one for each column of X.
  static Teuchos::ArrayView<Scalar> first(std::vector<Scalar>& results, const MV& X) {
    if (results.size() < X.getNumVectors()) {
      throw std::invalid_argument("Tessera::BlockVector: there are " + std::to_string(X.getNumVectors()) +
                                  " columns and room for " + std::to_string(results.size()) +
                                  " results; expected as many");
    }
    return Teuchos::ArrayView<Scalar>(results.data(), GetNumberVecs(X));
  }

 private:
  static Teuchos::Array<std::size_t> list(const std::vector<int>& columns) {
    return Teuchos::Array<std::size_t>(columns.begin(), columns.end());
  }

  /// Copies the first columns of A to X.
  static void set(const MV& A, int columns, MV& X) {
    if (columns == GetNumberVecs(A)) return X.assign(A);
    X.assign(*A.subView(Range(0, columns - 1)));
  }
};

}  // namespace Tessera::Impl
