// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <tessera/spmm/PlanOptions.hpp>

namespace Tessera::Impl {

/// What measurements may cost: a tenth of the time of the products that are expected. Tuning::Measure has no limit.
class TuningBudget {
 public:
  /// \param spent [in] seconds that were spent before, for other orders of rows
  TuningBudget(const PlanOptions& options, double spent)
      : products_(options.tuning == Tuning::Measure ? std::numeric_limits<double>::infinity()
                                                    : 0.1 * options.expected_products),
        spent_(spent) {}

  /// Whether a first measurement makes sense, which tells nothing without a second.
  bool pays_for_two() const { return products_ >= 2 * products_a_candidate; }

  /// Whether one more is likely to stay within the budget.
  bool pays_for_another() const {
    return product_seconds_ == 0 ||
           spent_ + std::max(dearest_, products_a_candidate * product_seconds_) <= products_ * product_seconds_;
  }

  /// \param seconds         [in] that a measurement took, with building the format
  /// \param product_seconds [in] that were measured
  void spend(double seconds, double product_seconds) {
    spent_ += seconds;
    dearest_ = std::max(dearest_, seconds);
    product_seconds_ = product_seconds_ == 0 ? product_seconds : std::min(product_seconds_, product_seconds);
  }

 private:
  static constexpr double products_a_candidate = 20;  // a guess, until one is measured
  double products_, spent_;
  double dearest_ = 0, product_seconds_ = 0;
};

}  // namespace Tessera::Impl
