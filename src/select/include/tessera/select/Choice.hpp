// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/Reordering.hpp>
#include <tessera/select/MatrixStatistics.hpp>
#include <vector>

namespace Tessera::Impl {

/// One way to store a matrix, with its predicted time.
struct Candidate {
  Format format = Format::Csr;  ///< the format
  double tiles = 0;             ///< number of tiles; 0 for plain CSR
  double format_bytes = 0;      ///< bytes of pattern and values
  /// Predicted time of one product with the plan's number of columns; 0 if no decision needed it.
  double predicted_seconds = 0;
  double measured_seconds = 0;  ///< measured time of such a product; 0 if it was not measured
  /// Bytes that the plan holds: format, slot maps, data of kernels and, for a transpose, A. It is 0 unless this
  /// candidate was chosen.
  double held_bytes = 0;
  double peak_bytes = 0;     ///< peak bytes while the plan was made; 0 unless this candidate was chosen
  bool is_rejected = false;  ///< whether it needed more than the memory limit
};

/// A reordering that was tried for a plan.
struct ReorderingTrial {
  Reordering reordering = Reordering::None;  ///< the order
  /// The predicted time divided by that in the rows' own order: 1 for the same order, infinity if rejected.
  double relative_seconds = 1;
  double peak_bytes = 0;  ///< peak bytes that the plan had allocated until then
};

/// The choice of a plan, and the reasons for it.
struct Choice {
  Format format = Format::Csr;        ///< the format that was chosen
  std::vector<Candidate> candidates;  ///< all candidates, from the fastest to the slowest; rejected ones are last
  std::string reason;                 ///< the reason in one sentence
  std::string model;                  ///< kind and version of the model
  std::string device;                 ///< the device that the model describes
  /// The statistics that the model used. Files of plans lack them: on hosts, a loaded plan has default values.
  MatrixStatistics statistics;
  Reordering reordering = Reordering::None;  ///< the order that was chosen
  std::vector<ReorderingTrial> reorderings;  ///< all orders that were tried, including the chosen one
  /// Whether products use TF32 in place of a 16-bit precision, because it is predicted to be faster.
  bool is_wider = false;

  /// Whether this candidate was chosen.
  bool is_chosen(const Candidate& candidate) const { return candidate.format == format; }
};

}  // namespace Tessera::Impl
