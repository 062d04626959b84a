// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Turns.hpp"

namespace Tessera::Impl::Benchmarks {

double time_in_turns(benchmark::State& state, const Space& exec, double operations,
                     const std::function<void()>& multiply, const std::function<void()>& baseline) {
  constexpr int calls_a_turn = 10;
  multiply();
  if (baseline) baseline();
  double seconds = 0, their_seconds = 0;
  for (auto _ : state) {
    if (baseline) their_seconds += seconds_each(exec, calls_a_turn, baseline);
    const double a_call = seconds_each(exec, calls_a_turn, multiply);
    seconds += a_call;
    state.SetIterationTime(a_call);
  }
  const auto iterations = static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = 1e-9 * operations * iterations / seconds;
  if (baseline) {
    state.counters["baseline_ms"] = 1e3 * their_seconds / iterations;
    state.counters["ratio"] = their_seconds / seconds;
  }
  return seconds / iterations;
}

}  // namespace Tessera::Impl::Benchmarks
