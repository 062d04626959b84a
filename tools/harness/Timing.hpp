// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <functional>
#include <vector>

namespace Tessera::Impl::Harness {

/// Returns the seconds that `work` takes; `fence` waits for all work that was started, and is called before both clock
/// readings.
template <class Work, class Fence>
double seconds_of(const Work& work, const Fence& fence) {
  fence();
  const auto start = std::chrono::steady_clock::now();
  work();
  fence();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Returns the seconds that `work` on an execution space of Kokkos takes.
template <class ExecutionSpace, class Work>
requires requires(const ExecutionSpace& exec) { exec.fence(); }
double seconds_of(const ExecutionSpace& exec, const Work& work) {
  return seconds_of(work, [&] { exec.fence(); });
}

/// Returns the seconds per call of several calls without fences between them, as in a solver.
template <class ExecutionSpace, class Call>
double seconds_each(const ExecutionSpace& exec, int calls, const Call& call) {
  const auto all = [&] {
    for (int i = 0; i < calls; ++i) call();
  };
  return seconds_of(exec, all) / calls;
}

/// One of several ways to do the same work, to be timed against the others.
struct Contender {
  std::function<void()> restore;  ///< restores the data before each run, untimed
  std::function<void()> run;
  std::vector<double> seconds;  ///< the result
};

/// Times each contender `repeat` times or, with repeat = 0, for about a second, but at least three times.
///
/// The contenders take turns: if the machine slows down meanwhile, all of them slow down. A turn starts with a run that
/// is not counted: it brings the contender's own data back into the caches, as in a solver that multiplies by the same
/// matrix repeatedly.
void time_in_turns(std::vector<Contender>& contenders, const std::function<void()>& fence, int repeat,
                   const std::function<void(double fraction)>& progress);

}  // namespace Tessera::Impl::Harness
