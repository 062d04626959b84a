// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "Result.hpp"

namespace Tessera::Driver {

/// An SVG picture of a pattern in canonical compressed rows: beside each other, on the same axes, how many of the
/// entries of each cell of the matrix are stored, and how full the 8x8 tiles (BitTcfPattern) are that hold them.
///
/// A cell is an element of a small matrix and a block of a large one, at most 220 cells a side. The tile density of a
/// cell is nonzeros over tiles, a tile counting in each cell by the share of its nonzeros there: over all cells this
/// gives the mean nonzeros a tile. The result depends on the arguments alone.
std::string spy_svg(const MatrixSummary& matrix, const std::vector<std::size_t>& row_offsets,
                    const std::vector<int>& column_indices);

}  // namespace Tessera::Driver
