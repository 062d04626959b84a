// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <tessera/select/Choose.hpp>

#include "Candidates.hpp"

namespace Tessera {

namespace {

/// Seconds for loading from cache the lines of X that every nonzero multiplies.
double line_seconds(const MatrixStatistics& m, const MachineModel& machine) {
  return m.nonzeros * std::ceil(m.vector_columns * m.vector_bytes / 64) / machine.gathered_lines;
}

/// Seconds for reading X. Each row of X is read once. If windows were counted and X is larger than the cache of a core,
/// each window of 128 rows reads the rows of X that it needs.
double x_seconds(const MatrixStatistics& m, const MachineModel& machine) {
  const double row_bytes = m.vector_columns * m.vector_bytes;
  const double all = m.columns * row_bytes, again = m.window128_columns * row_bytes;
  if (again == 0 || all <= machine.core_cache) return all / machine.bytes;
  if (all <= machine.shared_cache) return all / machine.bytes + again / machine.cached_bytes;
  return again / machine.bytes;
}

/// Seconds for streaming the format and Y once, reading X, and loading the lines of X that every nonzero multiplies.
double product_seconds(const MatrixStatistics& m, const MachineModel& machine, double format_bytes) {
  const double y_bytes = m.rows * m.vector_columns * m.vector_bytes * (m.is_reordered ? machine.scattered_rows : 1);
  return (format_bytes + y_bytes) / machine.bytes + x_seconds(m, machine) + line_seconds(m, machine);
}

/// Additional seconds for finding the entries in the format.
double decoding_seconds(const MatrixStatistics& m, const FormatSize& size, const MachineModel& machine) {
  switch (size.format) {
    case Format::Automatic:
    case Format::Csr:
    case Format::RowGroups:
      return 0;
    case Format::BitTcf:
    case Format::Staged:
      // A tile has 8 rows. If it holds few entries, most of its rows are empty, and each costs a test.
      return size.tiles * 8 / machine.tile_rows;
    case Format::Bmat:
      return size.tiles * 16 / machine.tile_rows;
    case Format::SortedColumns:
      return 2 * line_seconds(m, machine);  // each entry loads and stores a row of Y
    case Format::Bcsr:
      // As for BitTCF: where decoding matters, blocks are far from full, and have 8 rows unless the user wants others.
      return size.tiles * 8 / machine.tile_rows;
    default:
      return 2 * m.nonzeros / machine.decoded_entries;  // counted, then placed
  }
}

}  // namespace

MachineModel MachineModel::times(double cores) const {
  MachineModel all = *this;
  for (double* const rate : {&all.bytes, &all.gathered_lines, &all.tile_rows, &all.cached_bytes, &all.decoded_entries})
    *rate *= cores;
  return all;
}

Candidate predict(const MatrixStatistics& m, const FormatSize& size, const MachineModel& machine) {
  return {size.format, size.tiles, size.bytes,
          product_seconds(m, machine, size.bytes) + decoding_seconds(m, size, machine) +
              Impl::watched_bytes(m, size.format) / machine.bytes};
}

Choice choose_format(const MatrixStatistics& m, const MachineModel& machine) {
  return Impl::ranked(m,
                      {predict(m, {Format::Csr, 0, Impl::csr_bytes(m)}, machine),
                       predict(m, {Format::BitTcf, m.bittcf_tiles, Impl::bittcf_bytes(m)}, machine)},
                      MachineModel::version);
}

MatrixStatistics in_best_order(const MatrixStatistics& matrix) {
  MatrixStatistics m = matrix;
  m.is_reordered = true;
  m.window8_columns = m.nonzeros / 8;
  m.window64_columns = m.nonzeros / 64;
  m.window128_columns = m.nonzeros / 128;
  m.bittcf_tiles = m.nonzeros / 64;
  m.bmat_tiles = m.nonzeros / 128;
  m.window8_most_tiles = m.window16_most_tiles = m.longest_row / 8;
  m.window64_most_columns = m.window64_most_entries = m.longest_row;
  m.row_groups = m.rows / 4;
  m.group_columns = m.nonzeros / 4;
  m.group_values = m.nonzeros;
  if (m.bcsr_blocks > 0) m.bcsr_blocks = m.nonzeros / (m.bcsr_block_rows * m.bcsr_block_columns);
  return m;
}

bool refuse_beyond(Choice& choice, double limit) {
  auto& candidates = choice.candidates;
  for (Candidate& candidate : candidates) candidate.is_refused = candidate.peak_bytes > limit;
  const auto fits = [](const Candidate& candidate) { return !candidate.is_refused; };
  const auto refused = std::stable_partition(candidates.begin(), candidates.end(), fits);
  if (refused == candidates.begin()) return false;
  if (choice.is_chosen(candidates[0])) return true;
  choice.format = candidates[0].format;
  choice.reason = std::string(to_string(choice.format)) + " is predicted to be the fastest that fits memory_limit";
  return true;
}

}  // namespace Tessera
