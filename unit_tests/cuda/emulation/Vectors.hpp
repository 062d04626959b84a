// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// CUDA's small vectors, with CUDA's alignments.

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct alignas(8) int2 {
  int x, y;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

/// Indices of the running thread.
inline uint3 threadIdx, blockIdx;
inline dim3 blockDim, gridDim;
