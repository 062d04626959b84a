// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <tessera/PlanOptions.hpp>

namespace Tessera::Impl {

/// How long a candidate is measured.
struct Sampling {
  int samples;
  double seconds;  ///< target length of a sample, which has at most 100 products
};

inline Sampling sampling_of(Tuning tuning) { return tuning == Tuning::Measure ? Sampling{5, 1e-3} : Sampling{3, 5e-5}; }

/// The budget of measurements: a tenth of the time of the expected products. Tuning::Measure has no limit.
class TuningBudget {
 public:
  /// \param spent           [in] seconds that were spent before, for other orders of rows
  /// \param product_seconds [in] predicted time of the fastest candidate
  TuningBudget(const PlanOptions& options, double spent, double product_seconds)
      : products_(options.tuning == Tuning::Measure ? std::numeric_limits<double>::infinity()
                                                    : 0.1 * options.hints.expected_products),
        spent_(spent),
        product_seconds_(product_seconds) {
    const Sampling sampling = sampling_of(options.tuning);
    samples_ = sampling.samples * sampling.seconds;
  }

  /// Whether this number of candidates is likely to stay within the budget. Each is assumed to cost as much as the most
  /// expensive so far, but at least its samples and 20 products for building the format.
  bool pays_for(int candidates) const {
    const double each = std::max({dearest_, samples_, 20 * product_seconds_});
    return spent_ + candidates * each <= products_ * product_seconds_;
  }

  /// \param seconds         [in] time of a measurement, with building the format
  /// \param product_seconds [in] measured time; infinity if the candidate was rejected
  void spend(double seconds, double product_seconds) {
    spent_ += seconds;
    dearest_ = std::max(dearest_, seconds);
    if (product_seconds == std::numeric_limits<double>::infinity()) return;
    product_seconds_ = is_measured_ ? std::min(product_seconds_, product_seconds) : product_seconds;
    is_measured_ = true;
  }

 private:
  double products_, spent_, samples_ = 0, dearest_ = 0;
  double product_seconds_;  // predicted, until one is measured
  bool is_measured_ = false;
};

}  // namespace Tessera::Impl
