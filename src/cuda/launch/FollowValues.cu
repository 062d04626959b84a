// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/common/Complex.hpp>
#include <tessera/cuda/FollowValues.hpp>
#include <type_traits>

#include "Launch.cuh"
#include "Operands.hpp"
#include "WarpSum.cuh"

namespace Tessera::Impl::Cuda {
namespace {

constexpr int block_threads = 256;
constexpr int unroll = 4;  // chunks that a thread loads at the same time

/// Returns the number of blocks. Few blocks start quickly and add to one sum. 1056 blocks keep a large GPU busy.
unsigned look_blocks(std::size_t chunks) {
  return launch_count(std::min(ceil_divide<std::size_t>(chunks, block_threads * unroll), std::size_t(1056)));
}

/// Returns the sum over the threads of a block, in thread 0.
__device__ unsigned long long block_sum(unsigned long long sum) {
  constexpr int warps = block_threads / 32;
  auto* const sums = reinterpret_cast<unsigned long long*>(dynamic_memory());
  const auto thread = static_cast<int>(threadIdx.x);
  sum = warp_sum(sum);
  if (thread % 32 == 0) sums[thread / 32] = sum;
  __syncthreads();
  if (thread != 0) return 0;
  for (int w = 1; w < warps; ++w) sum += sums[w];
  return sum;
}

/// Adds the sum of each block to one total. The last block reads the total and compares it.
template <class Array>
__global__ void look_kernel(const __grid_constant__ Array array, Impl::WatchedArray* state) {
  unsigned long long sum = 0;
  const std::size_t step = std::size_t(gridDim.x) * block_threads, size = array.size();
  std::size_t i = std::size_t(blockIdx.x) * block_threads + threadIdx.x;
  for (; i + (unroll - 1) * step < size; i += unroll * step) {
    std::uint64_t parts[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) parts[u] = array.contribution(i + u * step);
#pragma unroll
    for (int u = 0; u < unroll; ++u) sum += parts[u];
  }
  for (; i < size; i += step) sum += array.contribution(i);
  sum = block_sum(sum);
  if (threadIdx.x != 0) return;
  atomicAdd(&state->sum, sum);
  __threadfence();
  if (atomicAdd(&state->parts, 1ull) + 1 != gridDim.x) return;
  __threadfence();
  state->conclude(atomicAdd(&state->sum, 0ull));
  state->sum = state->parts = 0;
}

template <class Scalar>
__global__ void gather_wanted_kernel(const __grid_constant__ Impl::GatherValue<Scalar> gather, std::size_t size,
                                     const std::uint32_t* wanted) {
  wait_for_previous_kernels();
  if (*wanted == 0) return;
  const std::size_t step = std::size_t(gridDim.x) * block_threads;
  for (std::size_t i = std::size_t(blockIdx.x) * block_threads + threadIdx.x; i < size; i += step) gather(i);
}

}  // namespace

void look_at_values(Stream stream, const void* data, std::size_t bytes, Impl::WatchedArray* state) {
  Impl::with_chunks(data, bytes, [&](const auto& array) {
    constexpr std::size_t shared_bytes = block_threads / 32 * sizeof(unsigned long long);
    // Not launch_early(): the kernel has nothing to do before it would wait.
    launch("look_at_values", look_kernel<std::decay_t<decltype(array)>>, look_blocks(array.size()), block_threads,
           shared_bytes, stream, array, state);
  });
}

template <class Scalar>
void gather_wanted_values(Stream stream, const Impl::GatherValue<Scalar>& gather, std::size_t size,
                          const std::uint32_t* wanted) {
  if (size == 0) return;
  launch_early<&gather_wanted_kernel<Scalar>>("gather_wanted_values", few_blocks_for(size, block_threads),
                                              block_threads, 0, stream, gather, size, wanted);
}

#define TESSERA_INSTANTIATE(Scalar) \
  template void gather_wanted_values(Stream, const Impl::GatherValue<Scalar>&, std::size_t, const std::uint32_t*);
TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(Complex<float>)
TESSERA_INSTANTIATE(Complex<double>)

}  // namespace Tessera::Impl::Cuda
