// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <benchmark/benchmark.h>

#include <functional>

#include "DeviceMatrix.hpp"

namespace Tessera::Impl::Benchmarks {

/// Times a product and, in turns with it, a baseline (empty: none), for the benchmark's iterations. A turn is ten
/// successive calls and a fence, as in a solver; the first call of each is not timed. Reports the Time of a call,
/// GFLOP/s and, with a baseline, baseline_ms and ratio.
///
/// \param operations [in] operations per call
/// \return seconds per call
double time_in_turns(benchmark::State& state, const Space& exec, double operations,
                     const std::function<void()>& multiply, const std::function<void()>& baseline = {});

/// Reports the difference of two products. A difference beyond rounding fails.
template <class View>
void report_difference(benchmark::State& state, const View& Y, const View& Z) {
  const double apart = difference(Y, Z);
  if (!(apart < rounding<typename View::value_type>)) state.SkipWithError("the products differ");
  state.counters["difference"] = apart;
}

}  // namespace Tessera::Impl::Benchmarks
