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

}  // namespace Tessera::Benchmarks
