// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/io/MatrixMarket.hpp>

#include "ScalarTraits.hpp"

namespace Tessera::Impl {

/// Returns the entry that a symmetry implies in the other triangle.
template <class Scalar>
Scalar mirrored(MatrixMarketHeader::Symmetry symmetry, const Scalar& value) {
  if (symmetry == MatrixMarketHeader::Symmetry::SkewSymmetric) return -value;
  return symmetry == MatrixMarketHeader::Symmetry::Hermitian ? conjugate(value) : value;
}

/// Returns an upper bound on the entries of a matrix, before duplicates are summed.
inline double most_entries(MatrixMarketHeader::Symmetry symmetry, std::size_t stored_entries) {
  return static_cast<double>(stored_entries) * (symmetry == MatrixMarketHeader::Symmetry::General ? 1.0 : 2.0);
}

}  // namespace Tessera::Impl
