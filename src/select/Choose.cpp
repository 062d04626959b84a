// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <tessera/select/Choose.hpp>

namespace Tessera::Impl {

MachineModel MachineModel::times(double cores) const {
  MachineModel all = *this;
  for (double* const rate :
       {&all.streamed_rate, &all.gathered_lines, &all.tile_rows, &all.cached_rate, &all.decoded_entries})
    *rate *= cores;
  return all;
}

MachineModel& host_core() {
  static MachineModel core;
  return core;
}

bool& trusts_any_rates() {
  static bool trusts = false;
  return trusts;
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

bool choose_unrejected(Choice& choice) {
  auto& candidates = choice.candidates;
  const auto fits = [](const Candidate& candidate) { return !candidate.is_rejected; };
  const auto rejected = std::stable_partition(candidates.begin(), candidates.end(), fits);
  if (rejected == candidates.begin()) return false;
  if (choice.is_chosen(candidates[0])) return true;
  choice.format = candidates[0].format;
  choice.reason = std::string(to_string(choice.format)) + " is predicted to be the fastest that fits";
  return true;
}

}  // namespace Tessera::Impl
