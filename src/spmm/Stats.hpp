// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/select/Choice.hpp>
#include <vector>

#include "BuildReport.hpp"
#include "Explain.hpp"

namespace Tessera::Impl {

/// What Plan::stats() prints about a block of rows and its transpose.
struct BlockStats : BlockExplanation {
  const TileMetrics* tiles = nullptr;
  const TileMetrics* transposed_tiles = nullptr;
};

/// The seconds that blocks and their transposes took.
struct PlanSeconds {
  const BuildSeconds& plain;
  const BuildSeconds& transposed;
};

/// Names of the options that a plan was made with, after fall-backs.
struct MadeFor {
  std::string_view precision;
  std::string_view kernel;
};

/// The number of times that a plan was used and updated.
struct Uses {
  std::uint64_t products = 0;
  std::uint64_t updates = 0;
};

/// \param blocks [in] all rows of the plan, at least one block
std::string stats(const Explanation& explanation, const MadeFor& made_for, const std::vector<BlockStats>& blocks,
                  const PlanSeconds& seconds, const Uses& uses);

}  // namespace Tessera::Impl
