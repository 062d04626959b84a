// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "Result.hpp"

namespace Tessera::Impl::Driver {

/// Returns an SVG picture of a pattern in canonical compressed rows: side by side, on the same axes, the share of each
/// cell's elements that are entries, and the fill of the 8x8 tiles (BitTcfPattern) with these entries.
///
/// A cell is an element of a small matrix and a block of a large one, with at most 220 cells per side. The tile density
/// of a cell is nonzeros per tile, where a tile counts in each cell by its share of nonzeros there: over all cells this
/// gives the mean nonzeros per tile. The result depends only on the arguments.
std::string spy_svg(const MatrixSummary& matrix, const std::vector<std::size_t>& row_offsets,
                    const std::vector<int>& column_indices);

}  // namespace Tessera::Impl::Driver
