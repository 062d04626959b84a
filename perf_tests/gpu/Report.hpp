// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "Result.hpp"

namespace Tessera::Bench {

/// A line for each matrix, number of columns and class of precision (fp64; fp32 with tf32x3; tf32): the best of
/// cuSPARSE, the best right kernel of ours, and their ratios to cuSPARSE, to the best peer and to the floor; then
/// geometric means.
std::string report_table(const Results& results);

/// The fastest kernel of each family in each problem; then what policies cost beside the choice of their engine.
std::string family_tables(const Results& results);

/// Everything, for machines.
std::string report_json(const Results& results);

}  // namespace Tessera::Bench
