// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/CudaMemory.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
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

/// A CUDA memory pool that keeps freed memory.
struct Pool {
  cudaMemPool_t handle = nullptr;
  std::size_t most_idle = 0;

  /// Bytes of the GPU that the pool has reserved, and the number of these bytes that arrays use.
  struct Usage {
    std::uint64_t reserved = 0, used = 0;
    cudaError_t status = cudaSuccess;
    std::size_t idle() const { return static_cast<std::size_t>(reserved - used); }
  };
  Usage usage() const {
    Usage now;
    now.status = cudaMemPoolGetAttribute(handle, cudaMemPoolAttrReservedMemCurrent, &now.reserved);
    if (now.status == cudaSuccess)
      now.status = cudaMemPoolGetAttribute(handle, cudaMemPoolAttrUsedMemCurrent, &now.used);
    return now;
  }

  /// Returns idle memory beyond most_idle to the GPU, because cudaMalloc cannot use memory of the pool.
  void limit_idle() const {
    const Usage now = usage();
    if (now.status == cudaSuccess && now.idle() > most_idle) cudaMemPoolTrimTo(handle, now.used + most_idle);
  }
};

/// The pools of all GPUs.
class Pools {
 public:
  /// Returns the object, which is never destroyed because static arrays may outlive any static object.
  static Pools& all() {
    static auto* pools = new Pools;
    return *pools;
  }

  /// Returns the pool of a GPU, which must be the current one. It has no handle if the GPU does not support pools.
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

  /// Returns idle memory to the GPUs. Memory that is freed after Kokkos has ended is then returned at once.
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
    arena_ = &Arena::of(exec);
    data_ = arena_->take(exec, bytes);
    return;
  }
  cudaError_t status = cudaMallocFromPoolAsync(&data_, bytes, pool, stream_);
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    // Memory that was freed in the order of a stream is available only after the stream has reached that point.
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
  if (arena_ != nullptr) {
    arena_->give_back(data_, bytes_, is_ordered ? stream_ : Arena::idle);
  } else if (is_ordered) {
    cudaFreeAsync(data_, stream_);
  } else {
    cudaFree(data_);
    Pools::all().of(gpu_).limit_idle();
  }
}

std::size_t CudaMemory::taken_bytes(const Kokkos::Cuda& exec, std::size_t bytes) {
  const CurrentGpu current(exec);
  return Pools::all().of(exec.cuda_device()).handle == nullptr ? Arena::block_bytes(bytes) : bytes;
}

void CudaMemory::end_build(const Kokkos::Cuda& exec) {
  try {
    const CurrentGpu current(exec);
    const Pool pool = Pools::all().of(exec.cuda_device());
    if (pool.handle != nullptr) return pool.limit_idle();
    Arena::of(exec).share(exec.cuda_stream(), [&] { exec.fence("Tessera: a build ends"); });
  } catch (...) {
    // This may run in a destructor after the GPU has failed. That error was reported elsewhere.
  }
}

std::size_t CudaMemory::idle_bytes(const Kokkos::Cuda& exec) {
  const CurrentGpu current(exec);
  const Pool pool = Pools::all().of(exec.cuda_device());
  if (pool.handle == nullptr) return Arena::of(exec).free_bytes();
  const Pool::Usage now = pool.usage();
  require(now.status, "a memory pool");
  return now.idle();
}

}  // namespace Tessera::Impl

#endif
