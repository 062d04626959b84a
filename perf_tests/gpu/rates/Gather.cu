// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/ptx/AsyncCopy.cuh>
#include <random>

#include "Device.hpp"
#include "Rate.hpp"
#include "Timing.hpp"

namespace Tessera::Impl::Bench {

namespace {

using namespace Tessera::Impl::Cuda;

constexpr int warp = 32;
constexpr int vector_bytes = 16;

/// The warps of a thread block and, if rows are staged in shared memory, the stages of a warp and the bytes of a stage.
struct GatherPolicy {
  int warps = 8;
  int stages = 4;
  int stage_bytes = 4096;
  constexpr int shared_bytes() const { return warps * stages * stage_bytes; }
};
constexpr GatherPolicy register_policy{8, 0, 0};
constexpr GatherPolicy async_policy{8, 4, 2048};  // three blocks per multiprocessor
constexpr GatherPolicy bulk_policy{8, 6, 4096};   // one block per multiprocessor

/// NOTE: rows and count are multiples of 32: every warp is full.
struct Gather {
  const uint4* X;
  const int* rows;
  int count;
  uint4* sink;  // an element for each thread of the grid
};

__device__ inline void combine(uint4& sum, const uint4& value) {
  sum.x ^= value.x;
  sum.y ^= value.y;
  sum.z ^= value.z;
  sum.w ^= value.w;
}

__device__ inline int global_warp() { return (blockIdx.x * blockDim.x + threadIdx.x) / warp; }
__device__ inline int all_warps() { return gridDim.x * blockDim.x / warp; }
__device__ inline void keep(const Gather& gather, const uint4& sum) {
  gather.sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Gathers by read-only loads of 16 bytes; a warp loads 32 rows at a time, with several lanes per row.
template <int row_bytes>
__global__ void __launch_bounds__(register_policy.warps* warp, 6) gather_registers(Gather gather) {
  constexpr int row_vectors = row_bytes / vector_bytes;
  constexpr int lanes = row_vectors < warp ? row_vectors : warp;  // per row
  constexpr int loads = row_vectors / lanes;                      // per lane and row
  constexpr int at_once = warp / lanes;                           // rows at once
  const int lane = threadIdx.x % warp;
  uint4 sum{};
  for (int base = global_warp() * warp; base < gather.count; base += all_warps() * warp) {
    const int mine = __ldcs(gather.rows + base + lane);
#pragma unroll 8
    for (int first = 0; first < warp; first += at_once) {
      const int row = __shfl_sync(~0u, mine, first + lane / lanes);
      const uint4* x = gather.X + std::size_t(row) * row_vectors + lane % lanes;
#pragma unroll
      for (int load = 0; load < loads; ++load) combine(sum, __ldg(x + load * lanes));
    }
  }
  keep(gather, sum);
}

/// Gathers by cp.async of 16 bytes into each warp's ring of stages; the lane that copied an element reads it back.
template <int row_bytes>
__global__ void __launch_bounds__(async_policy.warps* warp) gather_async(Gather gather) {
  constexpr GatherPolicy policy = async_policy;
  constexpr int row_vectors = row_bytes / vector_bytes;
  constexpr int stage_rows = policy.stage_bytes / row_bytes;
  constexpr int copies = policy.stage_bytes / vector_bytes / warp;  // per lane and stage
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x % warp;
  uint4* ring = shared + threadIdx.x / warp * (policy.stages * copies * warp);
  const int steps = gather.count / stage_rows;
  uint4 sum{};
  const auto fetch = [&](int step, int stage) {
    if (step < steps) {
#pragma unroll
      for (int copy = 0; copy < copies; ++copy) {
        const int vector = copy * warp + lane;  // index in the stage
        const int row = __ldg(gather.rows + step * stage_rows + vector / row_vectors);
        copy_async_16(ring + stage * copies * warp + vector,
                      gather.X + std::size_t(row) * row_vectors + vector % row_vectors);
      }
    }
    commit_copies();  // commits empty groups, too, because groups count stages
  };
  int ahead = global_warp();
  for (int stage = 0; stage < policy.stages - 1; ++stage, ahead += all_warps()) fetch(ahead, stage);
  int stage = 0;
  for (int step = global_warp(); step < steps; step += all_warps(), ahead += all_warps()) {
    fetch(ahead, (stage + policy.stages - 1) % policy.stages);
    wait_copies<policy.stages - 1>();
#pragma unroll
    for (int copy = 0; copy < copies; ++copy) combine(sum, ring[stage * copies * warp + copy * warp + lane]);
    stage = (stage + 1) % policy.stages;
  }
  keep(gather, sum);
}

/// Gathers by a bulk copy per row into each warp's ring of stages, issued by one lane for each row of a stage.
template <int row_bytes>
__global__ void __launch_bounds__(bulk_policy.warps* warp) gather_bulk(Gather gather) {
  constexpr GatherPolicy policy = bulk_policy;
  constexpr int row_vectors = row_bytes / vector_bytes;
  constexpr int stage_rows = policy.stage_bytes / row_bytes;
  constexpr int stage_vectors = policy.stage_bytes / vector_bytes;
  static_assert(stage_rows >= 1 && stage_rows <= warp);
  extern __shared__ uint4 shared[];
  __shared__ std::uint64_t all_barriers[policy.warps][policy.stages];
  const int lane = threadIdx.x % warp;
  uint4* ring = shared + threadIdx.x / warp * (policy.stages * stage_vectors);
  std::uint64_t* barriers = all_barriers[threadIdx.x / warp];
  if (lane < policy.stages) mbarrier_init(barriers + lane, 1);
  fence_mbarrier_init();
  __syncwarp();
  const int steps = gather.count / stage_rows;
  const auto fetch = [&](int step, int stage) {
    if (step >= steps) return;
    if (lane == 0) mbarrier_arrive_expect(barriers + stage, policy.stage_bytes);
    __syncwarp();
    if (lane < stage_rows) {
      const int row = __ldg(gather.rows + step * stage_rows + lane);
      bulk_copy(ring + stage * stage_vectors + lane * row_vectors, gather.X + std::size_t(row) * row_vectors, row_bytes,
                barriers + stage);
    }
  };
  int ahead = global_warp();
  for (int stage = 0; stage < policy.stages - 1; ++stage, ahead += all_warps()) fetch(ahead, stage);
  int stage = 0, parity = 0;
  uint4 sum{};
  for (int step = global_warp(); step < steps; step += all_warps(), ahead += all_warps()) {
    fetch(ahead, (stage + policy.stages - 1) % policy.stages);  // the stage that was read in the last step
    mbarrier_wait(barriers + stage, parity);
    for (int vector = lane; vector < stage_vectors; vector += warp) combine(sum, ring[stage * stage_vectors + vector]);
    __syncwarp();  // all lanes have read the stage before it is refilled
    if (++stage == policy.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  keep(gather, sum);
}

/// X, and its rows to gather.
struct Data {
  Data(int row_bytes, int x_megabytes, std::size_t gathered_bytes)
      : X((std::size_t(x_megabytes) << 20) / vector_bytes), sink(std::size_t{132} * 16 * 1024) {
    std::vector<int> host(gathered_bytes / row_bytes / warp * warp);
    std::mt19937 random(1);
    const auto rows = (std::uint64_t(x_megabytes) << 20) / row_bytes;
    for (int& row : host) row = static_cast<int>(random() * rows >> 32);
    indices = DeviceArray<int>(host);
    check(cudaMemset(X.data(), 0x3c, X.bytes()), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaMemset");
  }
  Gather gather() const { return {X.data(), indices.data(), static_cast<int>(indices.size()), sink.data()}; }

  DeviceArray<uint4> X, sink;
  DeviceArray<int> indices;
};

using Kernel = void (*)(Gather);

/// Fills the device with thread blocks of a kernel and times it.
Rate measure(const char* what, Kernel kernel, const GatherPolicy& policy, const Data& data, int row_bytes,
             int x_megabytes, const TimingPolicy& timing) {
  const int threads = policy.warps * warp, shared_bytes = policy.shared_bytes();
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), what);
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes), what);
  blocks *= describe_machine().multiprocessors;
  if (blocks == 0) throw std::runtime_error(std::string(what) + ": no block fits on a multiprocessor");
  if (std::size_t(blocks) * threads > data.sink.size())
    throw std::runtime_error(std::string(what) + ": sink too small");
  const Stream stream;
  const auto launch = [&] {
    kernel<<<blocks, threads, shared_bytes, stream>>>(data.gather());
    check(cudaGetLastError(), what);
  };
  const double bytes = double(data.indices.size()) * row_bytes;
  return {what, row_bytes, x_megabytes, bytes / time_launches(launch, stream, timing).median / 1e9};
}

template <int row_bytes>
void measure_rows(bool quick, std::vector<Rate>& rates) {
  const TimingPolicy timing = quick ? quick_timing : TimingPolicy{};
  for (const int x_megabytes : {1, 4, 16, 32, 64, 128, 512}) {
    const Data data(row_bytes, x_megabytes, std::size_t{1} << 30);
    const auto add = [&](const char* what, Kernel kernel, const GatherPolicy& policy) {
      rates.push_back(measure(what, kernel, policy, data, row_bytes, x_megabytes, timing));
    };
    add("gather: loads", gather_registers<row_bytes>, register_policy);
    add("gather: cp.async", gather_async<row_bytes>, async_policy);
    add("gather: bulk copies", gather_bulk<row_bytes>, bulk_policy);
  }
}

}  // namespace

std::vector<Rate> gather_rates(bool quick) {
  std::vector<Rate> rates;
  measure_rows<128>(quick, rates);
  measure_rows<256>(quick, rates);
  measure_rows<512>(quick, rates);
  measure_rows<1024>(quick, rates);
  measure_rows<2048>(quick, rates);
  return rates;
}

}  // namespace Tessera::Impl::Bench
