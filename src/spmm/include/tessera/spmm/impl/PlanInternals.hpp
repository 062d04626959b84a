// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/reorder/Permutation.hpp>
#include <tessera/select/Choice.hpp>
#include <tessera/spmm/impl/Access.hpp>

/// Internals of a plan for tests and benchmarks. Users can call Plan::stats().
namespace Tessera::Impl {

/// Returns how the format was chosen, for the first block of rows.
template <class Plan>
const auto& choice_of(const Plan& plan) {
  return Access::state(plan).choice();
}
/// Returns the metrics of the format's tiles, for the first block of rows.
template <class Plan>
const auto& tile_metrics_of(const Plan& plan) {
  return Access::state(plan).tile_metrics();
}
/// Returns the order in which a plan stores the rows of its matrix: place i has row order(i). X and Y keep their order.
template <class Plan>
auto row_order_of(const Plan& plan) {
  return Access::state(plan).row_order();
}

}  // namespace Tessera::Impl
