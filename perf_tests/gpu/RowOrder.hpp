// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "Matrices.hpp"

namespace Tessera::Bench {

/// The matrix with its rows in another order; columns keep theirs, so that X is what it was and Y has its rows moved.
///   natural  as they are
///   degree   the longest first
///   windows  windows of 64 rows grow one by one: each begins at the first row that is left and takes, as often as it
///            has room, the row with the largest share of its columns in the window already
///   FOLDER   as FOLDER/NAME.order.gz says, where NAME is the matrix's: rows' numbers as text, plain or compressed
/// Throws std::invalid_argument, with the file's name, for an order that there is not, or that is none of the rows.
/// Cost of "windows": rows that meet in a column are counted for each of the first 256 rows of that column.
HostMatrix with_row_order(const NamedMatrix& matrix, const std::string& order);

}  // namespace Tessera::Bench
