// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/ptx/Mma.cuh>

#include "Device.hpp"
#include "Rate.hpp"
#include "Timing.hpp"

namespace Tessera::Impl::Bench {

namespace {

using namespace Tessera::Impl::Cuda;

/// Chains of dependent operations per warp, independent of each other to hide latency, and operations per chain.
struct ArithmeticPolicy {
  int warps = 8;
  int blocks_a_multiprocessor = 4;
  int chains = 8;
  int length = 2048;
};
constexpr ArithmeticPolicy policy;

// Operations: each has the type of a chain's sums, one step of the chain, and the step's number of flops for a warp.
// Operands depend on the lane. They are small, so sums do not overflow, but not zeros, which a GPU would multiply
// faster than real data.

__device__ inline double operand(int i) { return 1e-3 * (threadIdx.x % 29 + 1) * (i % 2 ? -1 : 1) + 1e-5 * i; }
__device__ inline std::uint32_t operand_tf32(int i) { return to_tf32(static_cast<float>(operand(i))); }

struct DmmaK4Half {
  static constexpr const char* name = "mma: fp64 m8n8k4";
  static constexpr double operations = 2. * 8 * 8 * 4;
  double a = operand(0), b = operand(1);
  using Sum = double[2];
  __device__ void step(Sum& d) const { mma_m8n8k4(d, a, b); }
};
struct DmmaK4 {
  static constexpr const char* name = "mma: fp64 m16n8k4";
  static constexpr double operations = 2. * 16 * 8 * 4;
  double a[2] = {operand(0), operand(1)}, b = operand(2);
  using Sum = double[4];
  __device__ void step(Sum& d) const { mma_m16n8k4(d, a, b); }
};
struct DmmaK8 {
  static constexpr const char* name = "mma: fp64 m16n8k8";
  static constexpr double operations = 2. * 16 * 8 * 8;
  double a[4] = {operand(0), operand(1), operand(2), operand(3)}, b[2] = {operand(4), operand(5)};
  using Sum = double[4];
  __device__ void step(Sum& d) const { mma_m16n8k8(d, a, b); }
};
struct DmmaK16 {
  static constexpr const char* name = "mma: fp64 m16n8k16";
  static constexpr double operations = 2. * 16 * 8 * 16;
  double a[8] = {operand(0), operand(1), operand(2), operand(3), operand(4), operand(5), operand(6), operand(7)};
  double b[4] = {operand(8), operand(9), operand(10), operand(11)};
  using Sum = double[4];
  __device__ void step(Sum& d) const { mma_m16n8k16(d, a, b); }
};
struct Tf32K4 {
  static constexpr const char* name = "mma: tf32 m16n8k4";
  static constexpr double operations = 2. * 16 * 8 * 4;
  std::uint32_t a[2] = {operand_tf32(0), operand_tf32(1)}, b = operand_tf32(2);
  using Sum = float[4];
  __device__ void step(Sum& d) const { mma_m16n8k4_tf32(d, a, b); }
};
struct Tf32K8 {
  static constexpr const char* name = "mma: tf32 m16n8k8";
  static constexpr double operations = 2. * 16 * 8 * 8;
  std::uint32_t a[4] = {operand_tf32(0), operand_tf32(1), operand_tf32(2), operand_tf32(3)};
  std::uint32_t b[2] = {operand_tf32(4), operand_tf32(5)};
  using Sum = float[4];
  __device__ void step(Sum& d) const { mma_m16n8k8_tf32(d, a, b); }
};
struct Ffma {
  static constexpr const char* name = "fma: fp32";
  static constexpr double operations = 2. * 2 * 32;
  float a = static_cast<float>(0.999 + 1e-2 * operand(0)), b = static_cast<float>(operand(1));
  using Sum = float[2];
  __device__ void step(Sum& d) const {
    d[0] = fmaf(d[0], a, b);
    d[1] = fmaf(d[1], a, b);
  }
};
struct Dfma {
  static constexpr const char* name = "fma: fp64";
  static constexpr double operations = 2. * 2 * 32;
  double a = 0.999 + 1e-2 * operand(0), b = operand(1);
  using Sum = double[2];
  __device__ void step(Sum& d) const {
    d[0] = fma(d[0], a, b);
    d[1] = fma(d[1], a, b);
  }
};

template <class Operation>
__global__ void __launch_bounds__(policy.warps * 32) arithmetic_kernel(double* sink) {
  const Operation operation;
  typename Operation::Sum sums[policy.chains] = {};
#pragma unroll 1
  for (int i = 0; i < policy.length / 4; ++i) {
#pragma unroll
    for (int step = 0; step < 4; ++step) {
#pragma unroll
      for (int chain = 0; chain < policy.chains; ++chain) operation.step(sums[chain]);
    }
  }
  double total = 0;
  for (const auto& sum : sums) {
    for (const auto value : sum) total += value;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

template <class Operation>
Rate measure(const TimingPolicy& timing) {
  const int blocks = describe_machine().multiprocessors * policy.blocks_a_multiprocessor;
  const DeviceArray<double> sink(std::size_t(blocks) * policy.warps * 32);
  const Stream stream;
  const auto launch = [&] {
    arithmetic_kernel<Operation><<<blocks, policy.warps * 32, 0, stream>>>(sink.data());
    check(cudaGetLastError(), Operation::name);
  };
  const double steps = 1.0 * blocks * policy.warps * policy.chains * policy.length;
  return {Operation::name, 0, 0, steps * Operation::operations / time_launches(launch, stream, timing).median / 1e9};
}

}  // namespace

std::vector<Rate> arithmetic_rates(bool quick) {
  const TimingPolicy timing = quick ? quick_timing : TimingPolicy{};
  return {measure<DmmaK4Half>(timing), measure<DmmaK4>(timing), measure<DmmaK8>(timing), measure<DmmaK16>(timing),
          measure<Tf32K4>(timing),     measure<Tf32K8>(timing), measure<Ffma>(timing),   measure<Dfma>(timing)};
}

}  // namespace Tessera::Impl::Bench
