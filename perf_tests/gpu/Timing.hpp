// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <harness/Statistics.hpp>

namespace Tessera::Impl::Bench {

/// The duration of a measurement. It ends after at least `samples` samples and `least_ms`, or after `most_ms` and at
/// least `fewest` samples.
struct TimingPolicy {
  int samples = 9;
  int fewest = 3;
  double least_ms = 20;
  double most_ms = 200;
  double short_ms = 0.05;  // shorter work is timed in batches
  double batch_ms = 0.2;   // length of a batch
};
inline constexpr TimingPolicy quick_timing{5, 3, 4, 40, 0.05, 0.1};

/// Milliseconds per launch.
struct Times : Harness::Spread {
  int samples = 0;
  int batch = 1;  // launches per sample
};

/// Times the work that `launch` enqueues, with events, after a warm-up. Caches are as the previous launch left them.
Times time_launches(const std::function<void()>& launch, cudaStream_t stream, const TimingPolicy& policy);

}  // namespace Tessera::Impl::Bench
