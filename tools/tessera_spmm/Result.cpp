// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Result.hpp"

#include <algorithm>

namespace Tessera::Driver {

double Measurement::median() const {
  if (seconds.empty()) return 0;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Measurement::fastest() const { return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end()); }

double Measurement::slowest() const { return seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end()); }

std::vector<Measurement*> Result::products() {
  std::vector<Measurement*> rows;
  for (FormatMeasurement& format : formats) {
    if (format.refused.empty()) rows.push_back(&format);
  }
  if (kokkos_kernels) rows.push_back(&*kokkos_kernels);
  return rows;
}

bool Result::verified() const {
  const auto holds = [](const FormatMeasurement& format) { return !format.refused.empty() || format.verified(); };
  return std::all_of(formats.begin(), formats.end(), holds) && (!kokkos_kernels || kokkos_kernels->verified());
}

}  // namespace Tessera::Driver
