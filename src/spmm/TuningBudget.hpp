// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <tessera/PlanOptions.hpp>

namespace Tessera::Impl {

/// The number and the length of the samples that are measured of a candidate.
struct Sampling {
  int samples;
  double seconds;  ///< target length of a sample; a sample has at most 100 products
};

inline Sampling sampling_of(Tuning tuning) { return tuning == Tuning::Measure ? Sampling{5, 1e-3} : Sampling{3, 5e-5}; }

/// The time budget of measurements: a tenth of the time of the expected products, or of a thousand if their number is
/// unknown; unlimited with Tuning::Measure.
class TuningBudget {
 public:
  /// \param spent           [in] seconds that measurements for other orders of rows have taken
  /// \param product_seconds [in] predicted time of the fastest candidate
  TuningBudget(const PlanOptions& options, double spent, double product_seconds)
      : products_(options.tuning == Tuning::Measure ? std::numeric_limits<double>::infinity()
                                                    : 0.1 * expected_products(options)),
        spent_(spent),
        product_seconds_(product_seconds) {
    const Sampling sampling = sampling_of(options.tuning);
    samples_ = sampling.samples * sampling.seconds;
  }

  /// Returns whether measuring this number of candidates is likely to stay within the budget. Each is assumed to cost
  /// as much as the most expensive one so far, and at least its samples and, for building its format, 20 products.
  bool pays_for(int candidates) const {
    const double each = std::max({dearest_, samples_, 20 * product_seconds_});
    return spent_ + candidates * each <= products_ * product_seconds_;
  }

  /// \param seconds         [in] time of the measurement, including building the format
  /// \param product_seconds [in] measured time of a product; infinity if the candidate was rejected
  void spend(double seconds, double product_seconds) {
    spent_ += seconds;
    dearest_ = std::max(dearest_, seconds);
    if (product_seconds == std::numeric_limits<double>::infinity()) return;
    product_seconds_ = is_measured_ ? std::min(product_seconds_, product_seconds) : product_seconds;
    is_measured_ = true;
  }

 private:
  static int expected_products(const PlanOptions& options) {
    return options.hints.expected_products > 0 ? options.hints.expected_products : 1000;
  }

  double products_, spent_, samples_ = 0, dearest_ = 0;
  double product_seconds_;  // predicted until a product has been measured
  bool is_measured_ = false;
};

}  // namespace Tessera::Impl
