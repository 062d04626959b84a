// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <harness/Statistics.hpp>

namespace Tessera::Bench {

/// How long to measure. Samples go on until there are `samples` of them and `least_ms` have passed in all; they end
/// early at `most_ms`, yet not before there are `fewest`.
struct TimingPolicy {
  int samples = 9;
  int fewest = 3;
  double least_ms = 20;
  double most_ms = 200;
  double short_ms = 0.05;  // shorter work is timed in batches
  double batch_ms = 0.2;   // of this length
};
inline constexpr TimingPolicy quick_timing{5, 3, 4, 40, 0.05, 0.1};

/// Milliseconds a launch.
struct Times : Harness::Spread {
  int samples = 0;
  int batch = 1;  // launches a sample
};

/// Times what `launch` puts on the stream, by events, after a warm-up. Caches are as the launch before left them.
Times time_launches(const std::function<void()>& launch, cudaStream_t stream, const TimingPolicy& policy);

}  // namespace Tessera::Bench
