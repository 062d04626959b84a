// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/reorder/Permutation.hpp>
#include <tessera/select/Choice.hpp>
#include <tessera/spmm/impl/Access.hpp>

/// Internals of a plan for tests and benchmarks. Users have Plan::stats().
namespace Tessera::Impl {

/// How the format of a plan was chosen; for its first block of rows.
template <class Plan>
const auto& choice_of(const Plan& plan) {
  return Access::state(plan).choice();
}
/// Metrics of the tiles of a plan's format; for its first block of rows.
template <class Plan>
const auto& tile_metrics_of(const Plan& plan) {
  return Access::state(plan).tile_metrics();
}
/// The order in which the rows of a plan's matrix are stored: row order(i) has place i. X and Y do not follow it.
template <class Plan>
auto row_order_of(const Plan& plan) {
  return Access::state(plan).row_order();
}

}  // namespace Tessera::Impl
