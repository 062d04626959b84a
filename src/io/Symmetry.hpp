// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/io/MatrixMarket.hpp>

#include "ScalarTraits.hpp"

namespace Tessera::Impl {

/// The entry that a symmetry sets in the other triangle.
template <class Scalar>
Scalar mirrored(MatrixMarketHeader::Symmetry symmetry, const Scalar& value) {
  if (symmetry == MatrixMarketHeader::Symmetry::SkewSymmetric) return -value;
  return symmetry == MatrixMarketHeader::Symmetry::Hermitian ? conjugate(value) : value;
}

/// The most entries of a matrix, duplicates not yet summed.
inline double most_entries(MatrixMarketHeader::Symmetry symmetry, std::size_t stored_entries) {
  return static_cast<double>(stored_entries) * (symmetry == MatrixMarketHeader::Symmetry::General ? 1.0 : 2.0);
}

}  // namespace Tessera::Impl
