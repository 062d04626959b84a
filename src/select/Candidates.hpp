// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

inline std::string reason(const Candidate& best, const Candidate& other) {
  char text[160];
  std::snprintf(text, sizeof text, "%s is predicted to take %.2f of the time of %s",
                std::string(to_string(best.format)).c_str(),
                other.predicted_seconds > 0 ? best.predicted_seconds / other.predicted_seconds : 1.0,
                std::string(to_string(other.format)).c_str());
  return text;
}

/// CSR unless tiles take less.
inline Choice least_of(const Candidate& csr, const Candidate& bittcf) {
  Choice choice;
  choice.candidates = {csr, bittcf};
  const bool tiles_win = bittcf.predicted_seconds < csr.predicted_seconds;
  choice.format = tiles_win ? Format::BitTcf : Format::Csr;
  choice.reason = tiles_win ? reason(bittcf, csr) : reason(csr, bittcf);
  return choice;
}

}  // namespace Tessera::Impl
