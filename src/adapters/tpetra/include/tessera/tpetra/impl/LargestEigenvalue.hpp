// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Teuchos_LAPACK.hpp>
#include <Teuchos_Range1D.hpp>
#include <Tpetra_Operator.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/BlockVector.hpp>
#include <vector>

namespace Tessera::Impl {

/// Returns the largest eigenvalue of a symmetric tridiagonal matrix.
inline double largest_of_tridiagonal(std::vector<double> diagonal, std::vector<double> off_diagonal) {
  const auto size = static_cast<int>(diagonal.size());
  std::vector<double> work(diagonal.size() * 2 + 1);
  off_diagonal.resize(diagonal.size());
  int info = 0;
  double unused = 0;
  Teuchos::LAPACK<int, double>().STEQR('N', size, diagonal.data(), off_diagonal.data(), &unused, 1, work.data(), &info);
  return *std::max_element(diagonal.begin(), diagonal.end());
}

/// Estimates the largest eigenvalue of D^-1 A for a symmetric A and a positive diagonal D, by `steps` of Lanczos'
/// method in the inner product x^T D y. The estimate is at most the eigenvalue, up to rounding.
///
/// A step has one product with one column and one sum over the ranks. The norm of the next direction is computed from
/// the others' before it is orthogonal to them: that leaves half of the digits, and the estimate needs two.
template <class SC, class LO, class GO, class NO>
SC largest_eigenvalue(const std::string& name, const Tpetra::Operator<SC, LO, GO, NO>& A,
                      const Tpetra::Vector<SC, LO, GO, NO>& inverse, int steps, std::uint64_t seed) {
  using Block = BlockVector<SC, LO, GO, NO>;
  const auto map = A.getRangeMap();
  Block pair(map, 2), before(map, 1), product(map, 1);
  const auto direction = pair.subViewNonConst(Teuchos::Range1D(0, 0)),
             next = pair.subViewNonConst(Teuchos::Range1D(1, 1));
  product.randomize(seed);
  direction->scaleRows(inverse, product);
  SC norm = 0;
  product.dot(*direction, Teuchos::ArrayView<SC>(&norm, 1));
  if (norm == SC(0)) return SC(1);  // no rows
  direction->scale(SC(1) / std::sqrt(norm));
  std::vector<double> diagonal, off_diagonal;
  const double least = std::sqrt(double(std::numeric_limits<SC>::epsilon()));  // less is noise, or nothing is left
  for (int step = 0; step < steps; ++step) {
    Tessera::apply(A, *direction, product);
    next->scaleRows(inverse, product);
    typename Block::small_matrix_type sums(2, 1);
    pair.innerProducts(SC(1), product, sums);
    const double rayleigh = sums(0, 0), square = sums(1, 0);
    if (!std::isfinite(rayleigh) || !std::isfinite(square)) {
      throw std::runtime_error(name + ": a product with the matrix is not finite");
    }
    const double beta = off_diagonal.empty() ? 0 : off_diagonal.back();
    diagonal.push_back(rayleigh);
    const double rest = square - rayleigh * rayleigh - beta * beta;
    if (step + 1 == steps || !(rest > least * square)) break;
    next->update(SC(-rayleigh), *direction, SC(-beta), before, SC(1));
    before.assign(*direction);
    off_diagonal.push_back(std::sqrt(rest));
    direction->update(SC(1 / off_diagonal.back()), *next, SC(0));
  }
  return static_cast<SC>(largest_of_tridiagonal(diagonal, off_diagonal));
}

}  // namespace Tessera::Impl
