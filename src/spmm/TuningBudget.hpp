// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <tessera/PlanOptions.hpp>

namespace Tessera::Impl {

/// The number and the length of the samples that are measured of a candidate.
struct Sampling {
  static constexpr int first_products = 2;  ///< products before the samples
  int samples;
  double seconds;  ///< target length of a sample; a sample has at most 100 products
};

inline Sampling sampling_of(Tuning tuning) { return tuning == Tuning::Measure ? Sampling{5, 1e-3} : Sampling{3, 5e-5}; }

/// The most seconds for which Tuning::Adaptive measures.
inline constexpr double most_adaptive_seconds = 10e-3;

/// The time budget of measurements: a tenth of the time of the expected products, or of a thousand if their number is
/// unknown, and at most most_adaptive_seconds; unlimited with Tuning::Measure.
class TuningBudget {
 public:
  /// \param spent           [in] seconds that measurements for other orders of rows have taken
  /// \param build_seconds   [in] predicted time to build a candidate
  /// \param product_seconds [in] predicted time of a product with the fastest candidate
  TuningBudget(const PlanOptions& options, double spent, double build_seconds, double product_seconds)
      : sampling_(sampling_of(options.tuning)),
        spent_(spent),
        build_seconds_(build_seconds),
        product_seconds_(product_seconds) {
    if (options.tuning == Tuning::Measure) return;
    most_ = most_adaptive_seconds;
    products_ = 0.1 * (options.hints.expected_products > 0 ? options.hints.expected_products : 1000);
  }

  /// Returns whether measuring this number of candidates is likely to stay within the budget. Each is assumed to cost
  /// as much as the most expensive one so far, and at least what building it and its products are predicted to take.
  bool pays_for(int candidates) const {
    const double samples = sampling_.samples * std::max(sampling_.seconds, product_seconds_);
    const double predicted = build_seconds_ + Sampling::first_products * product_seconds_ + samples;
    return spent_ + candidates * std::max(dearest_, predicted) <= std::min(most_, products_ * product_seconds_);
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
  Sampling sampling_;
  double most_ = std::numeric_limits<double>::infinity();      // seconds
  double products_ = std::numeric_limits<double>::infinity();  // products whose time may be spent
  double spent_, build_seconds_, dearest_ = 0;
  double product_seconds_;  // predicted until a product has been measured
  bool is_measured_ = false;
};

}  // namespace Tessera::Impl
