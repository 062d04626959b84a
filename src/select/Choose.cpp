// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tessera/select/Choose.hpp>

namespace Tessera {

namespace {

double csr_bytes(const MatrixStatistics& m) {
  return (m.rows + 1) * m.offset_bytes + m.nonzeros * (4 + m.matrix_bytes);
}

double bittcf_bytes(const MatrixStatistics& m) {
  return (std::ceil(m.rows / 8) + m.bittcf_tiles + 2) * m.offset_bytes + m.bittcf_tiles * (8 * 4 + 8) +
         m.nonzeros * m.matrix_bytes;
}

/// Streaming the format, X and Y once, and loading the lines of X that every nonzero multiplies.
double product_seconds(const MatrixStatistics& m, const MachineModel& machine, double format_bytes) {
  const double dense_bytes = (m.rows + m.columns) * m.vector_columns * m.vector_bytes;
  const double lines = m.nonzeros * std::ceil(m.vector_columns * m.vector_bytes / 64);
  return (format_bytes + dense_bytes) / machine.bytes + lines / machine.gathered_lines;
}

std::string reason(const Candidate& best, const Candidate& other) {
  char text[160];
  std::snprintf(text, sizeof text, "%s is predicted to take %.2f of the time of %s",
                std::string(to_string(best.format)).c_str(),
                other.predicted_seconds > 0 ? best.predicted_seconds / other.predicted_seconds : 1.0,
                std::string(to_string(other.format)).c_str());
  return text;
}

}  // namespace

Choice choose_format(const MatrixStatistics& m, const MachineModel& machine) {
  Candidate csr{Format::Csr, 0, csr_bytes(m), 0};
  csr.predicted_seconds = product_seconds(m, machine, csr.format_bytes);
  Candidate bittcf{Format::BitTcf, m.bittcf_tiles, bittcf_bytes(m), 0};
  // A tile has 8 rows; one that holds few entries leaves most of them empty, and those cost a test each.
  bittcf.predicted_seconds = product_seconds(m, machine, bittcf.format_bytes) + m.bittcf_tiles * 8 / machine.tile_rows;
  Choice choice;
  choice.candidates = {csr, bittcf};
  const bool tiles_win = bittcf.predicted_seconds < csr.predicted_seconds;
  choice.format = tiles_win ? Format::BitTcf : Format::Csr;
  choice.reason = tiles_win ? reason(bittcf, csr) : reason(csr, bittcf);
  return choice;
}

}  // namespace Tessera
