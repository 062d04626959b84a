// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Types.hpp>

namespace Tessera {

/// The pattern of a sparse matrix in compressed rows: raw pointers into memory that somebody else owns.
///
/// Row i holds the entries row_offsets[i] <= k < row_offsets[i + 1], entry k in column column_indices[k].
/// Invariants of a *canonical* pattern, which every format is built from: row_offsets[0] = 0, row_offsets does not
/// decrease, and the columns of a row ascend strictly (sorted, no duplicates).
template <class Offset>
struct CsrPattern {
  Ordinal rows = 0;
  Ordinal columns = 0;
  const Offset* row_offsets = nullptr;      // rows + 1
  const Ordinal* column_indices = nullptr;  // row_offsets[rows]
};

}  // namespace Tessera
