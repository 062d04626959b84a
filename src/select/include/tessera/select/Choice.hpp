// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/Reordering.hpp>
#include <tessera/select/MatrixStatistics.hpp>
#include <vector>

namespace Tessera {

/// One way to store a matrix, with what it is predicted to cost. Plain data, so that it can be printed and tested.
struct Candidate {
  Format format = Format::Csr;
  double tiles = 0;              ///< tiles of the format; 0 for plain CSR
  double format_bytes = 0;       ///< pattern and values
  double predicted_seconds = 0;  ///< of one product with the plan's number of columns
  double measured_seconds = 0;   ///< the same; 0: not measured
  double held_bytes = 0;         ///< by the plan: format, slot maps, what kernels keep; of the transpose, with A's
  double peak_bytes = 0;         ///< while the plan is made, predicted: at most
  bool is_refused = false;       ///< peak_bytes exceed the limit of memory
};

/// A reordering that was tried.
struct ReorderingTrial {
  Reordering reordering = Reordering::None;
  double relative_seconds = 1;  ///< predicted, over those in the order that the rows have; 1: no other; inf: refused
  double peak_bytes = 0;        ///< while the order was found, predicted: at most; those of a format come after
};

/// What a plan decided, and from what.
struct Choice {
  Format format = Format::Csr;
  std::vector<Candidate> candidates;  ///< every one that was considered, from the fastest to the slowest, refused last
  std::string reason;                 ///< one sentence
  std::string model;                  ///< what predicted: kind and version
  std::string device;                 ///< for what
  MatrixStatistics statistics;        ///< from what
  /// Whether a candidate is the one that was chosen.
  bool takes(const Candidate& candidate) const { return candidate.format == format; }

  Reordering reordering = Reordering::None;
  std::vector<ReorderingTrial> reorderings;  ///< every one that was tried, the chosen one included
};

}  // namespace Tessera
