// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "Matrices.hpp"

namespace Tessera::Impl::Bench {

/// Returns the matrix with its rows in another order. Columns and X are unchanged; the rows of Y are permuted.
///   natural  the given order
///   degree   the longest first (tessera/reorder/DegreeSort.hpp)
///   windows  windows of 64 rows with few distinct columns (tessera/reorder/WindowGrowing.hpp)
///   FOLDER   the order in FOLDER/NAME.order.gz, where NAME is the matrix's: rows' numbers as text, plain or compressed
/// Throws std::invalid_argument, with the file's name, for an unknown order or a file that is no permutation.
/// Kokkos must run.
HostMatrix with_row_order(const NamedMatrix& matrix, const std::string& order);

}  // namespace Tessera::Impl::Bench
