// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace Tessera::Impl::Harness {

/// A summary of repeated measurements.
struct Spread {
  double median = 0, least = 0, most = 0;
};

/// Returns the summary of samples, or zeros if there are none.
inline Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return {median, samples.front(), samples.back()};
}

/// The geometric mean of the added numbers, with the least and the greatest.
struct GeometricMean {
  double logarithms = 0, least = 0, most = 0;
  int count = 0;

  void add(double factor) {
    least = count == 0 ? factor : std::min(least, factor);
    most = std::max(most, factor);
    logarithms += std::log(factor);
    ++count;
  }
  double mean() const { return count == 0 ? 0 : std::exp(logarithms / count); }
};

/// Returns the greater number. A NaN counts as the greatest: no error goes unnoticed.
inline double greater(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace Tessera::Impl::Harness
