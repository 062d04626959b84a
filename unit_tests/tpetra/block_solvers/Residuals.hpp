// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "BlockSolvers.hpp"

/// Residuals of solutions, by products that are independent of the solvers.
namespace BlockSolvers {

/// Returns the greatest |b - A x| / |b| of the columns.
inline double greatest_residual(const Operator& A, const MultiVector& X, const MultiVector& B) {
  MultiVector R(B, Teuchos::Copy);
  A.apply(X, R, Teuchos::NO_TRANS, -1.0, 1.0);
  std::vector<double> residuals(B.getNumVectors()), norms(B.getNumVectors());
  R.norm2(residuals);
  B.norm2(norms);
  for (std::size_t j = 0; j < norms.size(); ++j) residuals[j] /= norms[j];
  return *std::max_element(residuals.begin(), residuals.end());
}

/// Returns the greatest |A v - lambda v| / |lambda|, or 0 if no eigenvalue was found.
inline double greatest_residual(const Operator& A, const Eigenvalues& found) {
  if (found.values.empty()) return 0;
  MultiVector R(*found.vectors, Teuchos::Copy);
  R.scale(found.values);
  A.apply(*found.vectors, R, Teuchos::NO_TRANS, 1.0, -1.0);
  std::vector<double> norms(found.values.size());
  R.norm2(norms);
  for (std::size_t j = 0; j < norms.size(); ++j) norms[j] /= std::abs(found.values[j]);
  return *std::max_element(norms.begin(), norms.end());
}

}  // namespace BlockSolvers
