// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "Region.hpp"

namespace Tessera::Impl {

/// Measures the seconds since its construction. (The clock of Kokkos::Timer is not steady: it may be set in between.)
class SteadyTimer {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// The seconds that the steps of make_plan(), or of building the transpose, took.
struct BuildSeconds {
  double analysis = 0;    ///< checks, sorting, statistics, the choice
  double tuning = 0;      ///< building and measuring candidates, of which the plan may keep one
  double reordering = 0;  ///< finding orders of rows, also those that were dropped
  double format = 0;      ///< building formats, also those that were dropped
  double kernels = 0;     ///< building the device's kernels
  double values = 0;      ///< filling in values
  double total = 0;

  void add(const BuildSeconds& more) {
    analysis += more.analysis;
    tuning += more.tuning;
    reordering += more.reordering;
    format += more.format;
    kernels += more.kernels;
    values += more.values;
    total += more.total;
  }
};

/// A report of how a plan, or its transpose, was built.
struct BuildReport {
  std::vector<std::string> notes;  ///< requests that were not met
  BuildSeconds seconds;
  std::size_t peak_bytes = 0;  ///< peak of the bytes that the plan had allocated

  /// Adds a later step.
  void add(const BuildReport& more) {
    notes.insert(notes.end(), more.notes.begin(), more.notes.end());
    seconds.add(more.seconds);
  }
};

/// Calls step() in a profiling region, adds the seconds to `seconds`, and returns the result. Does not wait: what a
/// step leaves running on a device counts for the next step that waits.
template <class ExecutionSpace, class Step>
auto timed(const ExecutionSpace&, const char* region_name, double& seconds, const Step& step) {
  const Region<ExecutionSpace> region(region_name);
  const SteadyTimer timer;
  if constexpr (std::is_void_v<decltype(step())>) {
    step();
    seconds += timer.seconds();
  } else {
    auto result = step();
    seconds += timer.seconds();
    return result;
  }
}

}  // namespace Tessera::Impl
