// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <tessera/select/Choose.hpp>
#include <utility>
#include <vector>

/// The sizes of formats, and the ranking of candidates, for hosts and GPUs.
namespace Tessera::Impl {

inline double csr_bytes(const MatrixStatistics& m) {
  return (m.rows + 1) * m.offset_bytes + m.nonzeros * (4 + m.matrix_bytes);
}

inline double bittcf_bytes(const MatrixStatistics& m) {
  return (std::ceil(m.rows / 8) + m.bittcf_tiles + 2) * m.offset_bytes + m.bittcf_tiles * (8 * 4 + 8) +
         m.nonzeros * m.matrix_bytes;
}

inline double bmat_bytes(const MatrixStatistics& m) {
  return 2 * (std::ceil(m.rows / 16) + 1) * m.offset_bytes + m.bmat_tiles * (8 * 4 + 16) + m.nonzeros * m.matrix_bytes;
}

/// The strips of a window have about as many tiles as BitTCF. Each chunk lists the columns of its slots.
inline double staged_bytes(const MatrixStatistics& m) {
  return (4 + 8.0 / 64) * m.window64_columns + 32 * m.bittcf_tiles + m.nonzeros * m.matrix_bytes;
}

inline double row_groups_bytes(const MatrixStatistics& m) {
  return 4 * std::ceil(m.rows / 256) + m.row_groups * (4 + 2 * m.offset_bytes) + m.group_columns * (4 + 1) +
         m.group_values * m.matrix_bytes;
}

inline double bcsr_bytes(const MatrixStatistics& m) {
  const double places = m.bcsr_block_rows * m.bcsr_block_columns;
  return (std::ceil(m.rows / m.bcsr_block_rows) + 1) * m.offset_bytes +
         m.bcsr_blocks * (4 + 8 * std::ceil(places / 64) + places * m.matrix_bytes);
}

/// Bytes that are read to see whether values have changed. Compressed rows read the caller's values where they lie.
inline double watched_bytes(const MatrixStatistics& m, Format format) {
  const bool is_read_in_place = format == Format::Csr && m.has_given_order;
  return m.follows_values && !is_read_in_place ? m.nonzeros * m.matrix_bytes : 0;
}

inline std::string reason(const Candidate& best, const Candidate& other) {
  char text[160];
  std::snprintf(text, sizeof text, "%s is predicted to take %.2f of the time of %s",
                std::string(to_string(best.format)).c_str(),
                other.predicted_seconds > 0 ? best.predicted_seconds / other.predicted_seconds : 1.0,
                std::string(to_string(other.format)).c_str());
  return text;
}

/// Sorts the candidates from the fastest to the slowest. Equal ones keep their order.
inline Choice ranked(const MatrixStatistics& m, std::vector<Candidate> candidates, std::string_view model) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.predicted_seconds < b.predicted_seconds; });
  Choice choice;
  choice.format = candidates[0].format;
  choice.reason = reason(candidates[0], candidates[1]);
  choice.candidates = std::move(candidates);
  choice.model = model;
  choice.statistics = m;
  return choice;
}

}  // namespace Tessera::Impl
