// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <tessera/select/Choose.hpp>

/// What choices on any machine have in common.
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

inline std::string reason(const Candidate& best, const Candidate& other) {
  char text[160];
  std::snprintf(text, sizeof text, "%s is predicted to take %.2f of the time of %s",
                std::string(to_string(best.format)).c_str(),
                other.predicted_seconds > 0 ? best.predicted_seconds / other.predicted_seconds : 1.0,
                std::string(to_string(other.format)).c_str());
  return text;
}

/// Of the candidates the first that is predicted to take the least time, beside the next best.
inline void take_least(Choice& choice) {
  auto ranked = choice.candidates;
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.predicted_seconds < b.predicted_seconds; });
  choice.format = ranked[0].format;
  choice.reason = reason(ranked[0], ranked[1]);
}

}  // namespace Tessera::Impl
