// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "AsyncCopy.cuh"

namespace Tessera::Cuda {

/// A place in a ring of buffers, which producers fill and consumers empty: each has two barriers, whose phases end with
/// every turn.
template <int buffers>
struct RingPlace {
  int buffer = 0;
  int parity = 0;

  __device__ __forceinline__ void advance() {
    if (++buffer == buffers) {
      buffer = 0;
      parity ^= 1;
    }
  }
  __device__ __forceinline__ int before() const { return buffer == 0 ? buffers - 1 : buffer - 1; }
};

}  // namespace Tessera::Cuda
