// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <tessera/select/Choose.hpp>

/// The common parts of the costs of engines on hosts.
namespace Tessera::Impl {

/// Returns the seconds for loading from cache the lines of X that every nonzero multiplies.
inline double line_seconds(const MatrixStatistics& m, const MachineModel& machine) {
  return m.nonzeros * std::ceil(m.vector_columns * m.vector_bytes / 64) / machine.gathered_lines;
}

/// Returns the seconds for reading X. Each row of X is read once. If windows were counted and X is larger than the
/// cache of a core, each window of 128 rows reads the rows of X that it needs.
inline double x_seconds(const MatrixStatistics& m, const MachineModel& machine) {
  const double row_bytes = m.vector_columns * m.vector_bytes;
  const double all = m.columns * row_bytes, again = m.window128_columns * row_bytes;
  if (again == 0 || all <= machine.core_cache_bytes) return all / machine.streamed_rate;
  if (all <= machine.shared_cache_bytes) return all / machine.streamed_rate + again / machine.cached_rate;
  return again / machine.streamed_rate;
}

/// Returns the seconds for streaming the format and Y once, reading X, and loading the lines of X for every nonzero.
inline double product_seconds(const MatrixStatistics& m, const MachineModel& machine, double format_bytes) {
  const double y_bytes = m.rows * m.vector_columns * m.vector_bytes * (m.is_reordered ? machine.scattered_rows : 1);
  return (format_bytes + y_bytes) / machine.streamed_rate + x_seconds(m, machine) + line_seconds(m, machine);
}

}  // namespace Tessera::Impl
