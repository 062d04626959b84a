// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Timing.hpp"

#include <algorithm>
#include <cstdint>

namespace Tessera::Impl::Harness {

namespace {

constexpr int most_turns = 5;

double run_once(const Contender& contender, const std::function<void()>& fence) {
  contender.restore();
  return seconds_of(contender.run, fence);
}

int repeats_in_a_second(double seconds) {
  return static_cast<int>(std::clamp(1.0 / std::max(seconds, 1e-9), 3.0, 1000.0));
}

}  // namespace

void time_in_turns(std::vector<Contender>& contenders, const std::function<void()>& fence, int repeat,
                   const std::function<void(double fraction)>& progress) {
  std::vector<int> repeats;
  for (const Contender& contender : contenders) {
    run_once(contender, fence);  // first touch of memory, start of threads
    const double seconds = run_once(contender, fence);
    repeats.push_back(repeat > 0 ? repeat : repeats_in_a_second(seconds));
  }
  for (int turn = 0; turn < most_turns; ++turn) {
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      progress((turn + static_cast<double>(c) / static_cast<double>(contenders.size())) / most_turns);
      // The shares of the turns are as even as possible, and add up to repeats[c].
      const std::int64_t total = repeats[c];
      const std::int64_t share = total * (turn + 1) / most_turns - total * turn / most_turns;
      if (share > 0) run_once(contenders[c], fence);
      for (std::int64_t i = 0; i < share; ++i) contenders[c].seconds.push_back(run_once(contenders[c], fence));
    }
  }
}

}  // namespace Tessera::Impl::Harness
