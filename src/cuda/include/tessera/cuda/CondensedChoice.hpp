// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Format.hpp>

namespace Tessera::Cuda {

/// In which order blocks of warps take slabs of columns and items.
enum class SlabOrder {
  Innermost,  ///< all slabs of some items one after the other: their tiles are read from memory once
  Outermost   ///< a slab of all items first: for X whose slab fits in L2 although X does not
};

/// What the choice of a storage in condensed windows depends on.
struct CondensedProblem {
  double tiles = 0;           ///< in windows of 8 rows
  double tall_tiles = 0;      ///< in windows of 16 rows; 0: not known, and not wanted
  double vector_columns = 0;  ///< of X, as expected
  Precision precision = Precision::Native;
};

/// How a matrix is best stored and cut for condensed_spmm. Results depend on it, to within roundoff: choose once a
/// matrix.
struct CondensedChoice {
  int strips = 1;        ///< windows of 8 or 16 rows (CondensedPattern)
  int piece_tiles = 64;  ///< for build_condensed_schedule

  friend bool operator==(const CondensedChoice&, const CondensedChoice&) = default;
};

/// Windows of 8 rows, unless TF32 products save enough tiles by 16: there instructions bind, not bytes. Pieces that
/// make about one wave of warps on an H200, neither so short that sums of pieces cost more than they save nor so long
/// that the last ones keep the others waiting.
CondensedChoice choose_condensed(const CondensedProblem& problem);

}  // namespace Tessera::Cuda
