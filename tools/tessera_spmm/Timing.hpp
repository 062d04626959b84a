// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <vector>

namespace Tessera::Driver {

/// One way to do the same work, to be timed against others.
struct Contender {
  std::function<void()> restore;  ///< untimed, before each run: puts the data back
  std::function<void()> run;
  std::vector<double> seconds;  ///< the result
};

/// The seconds that `work` takes; `fence` waits for all work that was started, and is called before both clock
/// readings.
double seconds_of(const std::function<void()>& work, const std::function<void()>& fence);

/// Times each contender `repeat` times, or for repeat = 0 as often as fits in about a second, but at least three times.
///
/// The contenders take turns, so that a machine that slows down meanwhile slows all of them down. A turn starts with a
/// run that is not counted: it brings the contender's own data back into the caches, as in a solver that multiplies
/// by the same matrix again and again.
void time_in_turns(std::vector<Contender>& contenders, const std::function<void()>& fence, int repeat,
                   const std::function<void(double fraction)>& progress);

}  // namespace Tessera::Driver
