// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>

namespace Tessera::Benchmarks {

/// Seconds that a call takes, until what it started on `exec` is done.
template <class ExecutionSpace, class Call>
double seconds_of(const ExecutionSpace& exec, const Call& call) {
  exec.fence();
  const auto start = std::chrono::steady_clock::now();
  call();
  exec.fence();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds a call, of some that follow each other without a fence, as products do in a solver.
template <class ExecutionSpace, class Call>
double seconds_each(const ExecutionSpace& exec, int calls, const Call& call) {
  const auto all = [&] {
    for (int i = 0; i < calls; ++i) call();
  };
  return seconds_of(exec, all) / calls;
}

}  // namespace Tessera::Benchmarks
