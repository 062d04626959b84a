// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/Reordering.hpp>
#include <tessera/select/MatrixStatistics.hpp>
#include <vector>

namespace Tessera {

/// One way to store a matrix, with its predicted time and memory.
struct Candidate {
  Format format = Format::Csr;   ///< the format
  double tiles = 0;              ///< number of tiles; 0 for plain CSR
  double format_bytes = 0;       ///< bytes of pattern and values
  double predicted_seconds = 0;  ///< predicted time of one product with the plan's number of columns
  double measured_seconds = 0;   ///< measured time of such a product; 0 if it was not measured
  double held_bytes = 0;    ///< bytes that the plan would hold: format, slot maps, data of kernels, A for a transpose
  double peak_bytes = 0;    ///< predicted bound on the bytes that making the plan allocates at once
  bool is_refused = false;  ///< whether peak_bytes exceeds the limit of memory
};

/// A reordering that was tried.
struct ReorderingTrial {
  Reordering reordering = Reordering::None;  ///< the order
  /// The predicted time over that in the order that the rows have: 1 for the same order, infinity if it was refused.
  double relative_seconds = 1;
  double peak_bytes = 0;  ///< predicted bound on the bytes that finding the order allocates at once
};

/// What a plan chose, and why.
struct Choice {
  Format format = Format::Csr;        ///< the format that was chosen
  std::vector<Candidate> candidates;  ///< all that were considered, from the fastest to the slowest, refused ones last
  std::string reason;                 ///< the reason in one sentence
  std::string model;                  ///< kind and version of the model that predicted
  std::string device;                 ///< the device that it predicted for
  /// The statistics that it predicted from. Files of plans lack them: on hosts, a loaded plan has default values.
  MatrixStatistics statistics;
  Reordering reordering = Reordering::None;  ///< the order that was chosen
  std::vector<ReorderingTrial> reorderings;  ///< all orders that were tried, the chosen one included
  /// Whether products take TF32 in place of a precision of 16 bits, because it is predicted to be faster.
  bool is_wider = false;

  /// Whether a candidate is the one that was chosen.
  bool is_chosen(const Candidate& candidate) const { return candidate.format == format; }
};

}  // namespace Tessera
