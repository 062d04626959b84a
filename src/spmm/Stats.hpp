// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/select/Choice.hpp>

#include "BuildReport.hpp"
#include "Explain.hpp"

namespace Tessera::Impl {

/// A stored matrix, A or its transpose, for Plan::stats().
struct MatrixStats {
  const Choice& choice;
  const TileMetrics& tiles;
  const BuildSeconds& seconds;
};

/// Names of options that a plan was made with, after fall-backs.
struct MadeFor {
  std::string_view precision;
  std::string_view kernel;
};

/// What has been done with a plan.
struct Uses {
  std::uint64_t products = 0;
  std::uint64_t updates = 0;
};

/// \param transposed [in] null where there is no transpose
std::string stats(const Explanation& explanation, const MadeFor& made_for, const MatrixStats& plain,
                  const MatrixStats* transposed, const Uses& uses);

}  // namespace Tessera::Impl
