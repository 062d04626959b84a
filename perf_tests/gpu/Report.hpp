// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "Result.hpp"

namespace Tessera::Impl::Bench {

/// Returns a line for each matrix, number of columns and class of precision (fp64; fp32 with tf32x3; tf32), then
/// geometric means. A line has the best of cuSPARSE, our best correct kernel, and the ratios of the latter to cuSPARSE,
/// to the best peer and to the floor.
std::string report_table(const Results& results);

/// Returns the fastest kernel of each family in each problem; then the cost of policies over their engine's choice.
std::string family_tables(const Results& results);

/// Returns all results as JSON.
std::string report_json(const Results& results);

}  // namespace Tessera::Impl::Bench
