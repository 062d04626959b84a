// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "Matrices.hpp"

namespace Tessera::Bench {

/// The matrix with its rows in another order; columns keep theirs, so that X is what it was and Y has its rows moved.
///   natural  as they are
///   degree   the longest first (tessera/reorder/DegreeSort.hpp)
///   windows  windows of 64 rows with few distinct columns (tessera/reorder/WindowGrowing.hpp)
///   FOLDER   as FOLDER/NAME.order.gz says, where NAME is the matrix's: rows' numbers as text, plain or compressed
/// Throws std::invalid_argument, with the file's name, for an order that there is not, or that is none of the rows.
/// Kokkos must run.
HostMatrix with_row_order(const NamedMatrix& matrix, const std::string& order);

}  // namespace Tessera::Bench
