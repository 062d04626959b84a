// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tessera/PlanOptions.hpp>
#include <tessera/select/Choice.hpp>
#include <tessera/select/TuningRecords.hpp>
#include <vector>

#include "TuningBudget.hpp"

/// Which candidates are measured, and which is the fastest. Plain C++ without a clock.
namespace Tessera::Impl {

/// Returns the candidates to measure: the three that are predicted to be the fastest, or fewer if the others are slower
/// than the first by more than a factor. The factor is 2 with Tuning::Measure, otherwise ambiguity_ratio. Returns all
/// candidates if kernels are published, because these have no model.
///
/// \param candidates      [in] ranked, at least one
/// \param ambiguity_ratio [in] if two predicted times differ by more than this factor, the prediction decides
inline std::vector<Candidate> promising(std::vector<Candidate> candidates, const PlanOptions& options,
                                        double ambiguity_ratio) {
  if (options.kernel == Kernel::Published) return candidates;
  if (candidates.size() > 3) candidates.resize(3);
  const double factor = options.tuning == Tuning::Measure ? 2 : ambiguity_ratio;
  const double slowest = factor * candidates.front().predicted_seconds;
  while (candidates.back().predicted_seconds > slowest) candidates.pop_back();
  return candidates;
}

/// Returns the number of measured candidates that a choice among the contestants needs.
inline int fewest_measured(const PlanOptions& options, const std::vector<Candidate>& contestants) {
  if (options.tuning == Tuning::Measure) return 1;
  return options.kernel == Kernel::Published ? std::max(2, static_cast<int>(contestants.size())) : 2;
}

/// What a candidate took.
struct Measurement {
  double seconds;          ///< time of the measurement, including building the format
  double product_seconds;  ///< time of a product; infinity if the candidate cannot be measured
};

/// Measures candidates, and stores their times in the choice. Stops when time is likely to run out before `least`
/// candidates are measured, or when fewer than `least` can still be measured.
///
/// \param least   [in] the number of measured candidates that a choice needs
/// \param measure [in] returns the Measurement of a candidate
/// \return the fastest candidate; nothing if fewer than `least` were measured
template <class Measure>
std::optional<TunedCandidate> fastest_of(const std::vector<Candidate>& contestants, int least, TuningBudget time,
                                         const Measure& measure, Choice& choice) {
  TunedCandidate fastest{Format::Csr, std::numeric_limits<double>::infinity()};
  int measured = 0, left = static_cast<int>(contestants.size());
  for (const Candidate& candidate : contestants) {
    if (measured + left < least || !time.pays_for(std::max(1, least - measured))) break;
    --left;
    const Measurement measurement = measure(candidate);
    const double seconds = measurement.product_seconds;
    time.spend(measurement.seconds, seconds);
    if (std::isinf(seconds)) continue;
    ++measured;
    for (Candidate& one : choice.candidates)
      if (one.format == candidate.format) one.measured_seconds = seconds;
    if (seconds < fastest.seconds) fastest = {candidate.format, seconds};
  }
  if (measured >= least) return fastest;
  for (Candidate& one : choice.candidates) one.measured_seconds = 0;  // too few to compare
  return std::nullopt;
}

}  // namespace Tessera::Impl
