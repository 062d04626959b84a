// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/CudaMemory.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tessera/parallel/CachedArena.hpp>
#include <tessera/parallel/CurrentBuild.hpp>
#include <tessera/parallel/CurrentGpu.hpp>

namespace Tessera::Impl {

namespace {

using Arena = CachedArena<Kokkos::CudaSpace>;

void require(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error("Tessera: " + what + ": " + cudaGetErrorString(status));
}

/// A pool of memory that keeps what is freed.
struct Pool {
  cudaMemPool_t handle = nullptr;
  std::size_t most_idle = 0;

  /// Gives back what nobody uses if that is so much that others may miss it: cudaMalloc cannot take it.
  void limit_idle() const {
    std::uint64_t reserved = 0, used = 0;
    if (cudaMemPoolGetAttribute(handle, cudaMemPoolAttrReservedMemCurrent, &reserved) != cudaSuccess ||
        cudaMemPoolGetAttribute(handle, cudaMemPoolAttrUsedMemCurrent, &used) != cudaSuccess)
      return;
    if (reserved > used + most_idle) cudaMemPoolTrimTo(handle, used + most_idle);
  }
};

/// The pools of all GPUs.
class Pools {
 public:
  /// Never destroyed: static arrays outlive everything else.
  static Pools& all() {
    static auto* pools = new Pools;
    return *pools;
  }

  /// The pool of a GPU, which is the current one; without a handle if it has none.
  Pool of(int gpu) {
    const std::lock_guard lock(mutex_);
    if (const auto known = pools_.find(gpu); known != pools_.end()) return known->second;
    const Pool pool = make(gpu);
    if (pools_.empty()) Kokkos::push_finalize_hook([] { Pools::all().end(); });
    return pools_[gpu] = pool;
  }

 private:
  static Pool make(int gpu) {
    int has_pools = 0;
    require(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, gpu), "memory pools");
    if (has_pools == 0) return {};
    std::size_t free = 0, total = 0;
    require(cudaMemGetInfo(&free, &total), "the memory of a GPU");
    Pool pool{nullptr, total / 16};
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = gpu;
    require(cudaMemPoolCreate(&pool.handle, &properties), "a memory pool");
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    require(cudaMemPoolSetAttribute(pool.handle, cudaMemPoolAttrReleaseThreshold, &all), "a memory pool");
    return pool;
  }

  /// Gives back what nobody uses. What is freed after Kokkos' end is given back at once.
  void end() {
    const std::lock_guard lock(mutex_);
    for (auto& [gpu, pool] : pools_) {
      pool.most_idle = 0;
      if (pool.handle != nullptr) pool.limit_idle();
    }
  }

  std::mutex mutex_;
  std::map<int, Pool> pools_;
};

}  // namespace

CudaMemory::CudaMemory(const Kokkos::Cuda& exec, const std::string& label, std::size_t bytes)
    : gpu_(exec.cuda_device()), stream_(exec.cuda_stream()), bytes_(bytes) {
  const CurrentGpu current(exec);
  const cudaMemPool_t pool = Pools::all().of(gpu_).handle;
  if (pool == nullptr) {
    data_ = Arena::of_process().take(exec, bytes);
    return;
  }
  cudaError_t status = cudaMallocFromPoolAsync(&data_, bytes, pool, stream_);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    // What was freed in the order of a stream is given back only once the stream is there.
    require(cudaDeviceSynchronize(), "waiting for memory");
    require(cudaMemPoolTrimTo(pool, 0), "a memory pool");
    status = cudaMallocFromPoolAsync(&data_, bytes, pool, stream_);
  }
  require(status, "the array " + label + " of " + std::to_string(bytes) + " bytes");
}

CudaMemory::~CudaMemory() {
  const CurrentGpu current(gpu_);
  const bool is_ordered = CurrentBuild::is_on(stream_);
  if (!is_ordered) cudaDeviceSynchronize();
  const Pool pool = Pools::all().of(gpu_);
  if (pool.handle == nullptr) {
    Arena::of_process().give_back(data_, bytes_, is_ordered ? stream_ : Arena::idle);
  } else if (is_ordered) {
    cudaFreeAsync(data_, stream_);
  } else {
    cudaFree(data_);
    pool.limit_idle();
  }
}

void CudaMemory::end_build(const Kokkos::Cuda& exec) {
  try {
    const CurrentGpu current(exec);
    const Pool pool = Pools::all().of(exec.cuda_device());
    if (pool.handle != nullptr) return pool.limit_idle();
    Arena::of_process().share(exec.cuda_stream(), [&] { exec.fence("Tessera: a build ends"); });
  } catch (...) {
    // A destructor calls this, maybe because the GPU has failed, which has been said.
  }
}

std::size_t CudaMemory::idle_bytes(const Kokkos::Cuda& exec) {
  const CurrentGpu current(exec);
  const cudaMemPool_t pool = Pools::all().of(exec.cuda_device()).handle;
  std::uint64_t reserved = 0, used = 0;
  if (pool == nullptr) return Arena::of_process().free_bytes();
  require(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "a memory pool");
  require(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "a memory pool");
  return static_cast<std::size_t>(reserved - used);
}

}  // namespace Tessera::Impl

#endif
