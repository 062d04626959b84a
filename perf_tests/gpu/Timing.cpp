// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Timing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "Device.hpp"

namespace Tessera::Impl::Bench {

namespace {

/// Returns the milliseconds of `batch` successive launches.
double time_batch(const std::function<void()>& launch, cudaStream_t stream, int batch, Event& start, Event& stop) {
  start.record(stream);
  for (int i = 0; i < batch; ++i) launch();
  stop.record(stream);
  return stop.since(start);
}

}  // namespace

Times time_launches(const std::function<void()>& launch, cudaStream_t stream, const TimingPolicy& policy) {
  Event start, stop;
  time_batch(launch, stream, 1, start, stop);  // loads modules
  // Estimates the time of a launch from several, because the gaps between launches are not timed.
  double once = time_batch(launch, stream, 1, start, stop);
  if (once < 1) once = time_batch(launch, stream, 5, start, stop) / 5;
  Times times;
  if (once < policy.short_ms) times.batch = static_cast<int>(std::ceil(policy.batch_ms / std::max(once, 1e-3)));

  std::vector<double> samples;
  double total = 0;
  const auto enough = [&] {
    const int count = static_cast<int>(samples.size());
    if (count >= policy.samples && total >= policy.least_ms) return true;
    return count >= policy.fewest && total >= policy.most_ms;
  };
  while (!enough()) {
    const double ms = time_batch(launch, stream, times.batch, start, stop);
    total += ms;
    samples.push_back(ms / times.batch);
  }
  static_cast<Harness::Spread&>(times) = Harness::spread_of(samples);
  times.samples = static_cast<int>(samples.size());
  return times;
}

}  // namespace Tessera::Impl::Bench
