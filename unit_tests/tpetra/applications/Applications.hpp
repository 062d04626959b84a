// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <string>
#include <vector>

/// Programs that use only Trilinos. They get a Tpetra matrix, and do not check its dynamic type.
namespace Applications {

using Matrix = Tpetra::CrsMatrix<double>;
using MultiVector = Tpetra::MultiVector<double>;
using Operator = Tpetra::Operator<double>;
using Teuchos::RCP;
using Teuchos::rcp;

struct Outcome {
  bool converged = false;
  int iterations = 0;
  double error = 0;  ///< greatest |b - A x| / |b|, or |A v - lambda v| / |lambda v|
};

struct Application {
  std::string name;
  Outcome (*run)(const RCP<Matrix>& A);  ///< A is symmetric positive definite
};

std::vector<Application> belos();
std::vector<Application> anasazi();
std::vector<Application> ifpack2();
std::vector<Application> muelu();

/// Returns the greatest |b - A x| / |b|.
inline double residual(const Matrix& A, const MultiVector& X, const MultiVector& B) {
  MultiVector R(B, Teuchos::Copy);
  A.apply(X, R, Teuchos::NO_TRANS, -1.0, 1.0);
  std::vector<double> norms(B.getNumVectors()), residuals(B.getNumVectors());
  R.norm2(residuals);
  B.norm2(norms);
  double most = 0;
  for (std::size_t j = 0; j < norms.size(); ++j) most = std::max(most, residuals[j] / norms[j]);
  return most;
}

/// Right-hand sides whose solution does not depend on the number of ranks.
inline RCP<MultiVector> right_hand_sides(const Matrix& A, std::size_t columns) {
  MultiVector X(A.getDomainMap(), columns);
  {
    const auto x = X.getLocalViewHost(Tpetra::Access::OverwriteAll);
    for (std::size_t i = 0; i < x.extent(0); ++i) {
      const auto row = X.getMap()->getGlobalElement(static_cast<int>(i));
      for (std::size_t j = 0; j < columns; ++j)
        x(i, j) = static_cast<double>((row * 7919 + static_cast<long long>(j) * 104729) % 1009) / 1009 - 0.5;
    }
  }
  const auto B = rcp(new MultiVector(A.getRangeMap(), columns));
  A.apply(X, *B);
  return B;
}

}  // namespace Applications
