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

/// The pools of all GPUs.
class Pools {
 public:
  /// Never destroyed: static arrays outlive everything else.
  static Pools& all() {
    static auto* pools = new Pools;
    return *pools;
  }

  /// The pool of a GPU, which is the current one; null if it has none.
  cudaMemPool_t of(int gpu) {
    const std::lock_guard lock(mutex_);
    if (const auto known = pools_.find(gpu); known != pools_.end()) return known->second;
    int has_pools = 0;
    require(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, gpu), "memory pools");
    cudaMemPool_t pool = nullptr;
    if (has_pools != 0) {
      cudaMemPoolProps properties = {};
      properties.allocType = cudaMemAllocationTypePinned;
      properties.location.type = cudaMemLocationTypeDevice;
      properties.location.id = gpu;
      require(cudaMemPoolCreate(&pool, &properties), "a memory pool");
      std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
      require(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "a memory pool");
    }
    if (pools_.empty()) Kokkos::push_finalize_hook([] { Pools::all().end(); });
    return pools_[gpu] = pool;
  }

  /// Gives back what nobody uses. What is freed after Kokkos' end is given back at once.
  void end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    for (const auto& [gpu, pool] : pools_)
      if (pool != nullptr) cudaMemPoolTrimTo(pool, 0);
  }
  bool have_ended() {
    const std::lock_guard lock(mutex_);
    return has_ended_;
  }

 private:
  std::mutex mutex_;
  std::map<int, cudaMemPool_t> pools_;
  bool has_ended_ = false;
};

}  // namespace

CudaMemory::CudaMemory(const Kokkos::Cuda& exec, const std::string& label, std::size_t bytes)
    : gpu_(exec.cuda_device()), stream_(exec.cuda_stream()), bytes_(bytes) {
  const CurrentGpu current(exec);
  const cudaMemPool_t pool = Pools::all().of(gpu_);
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
  const cudaMemPool_t pool = Pools::all().of(gpu_);
  if (pool == nullptr) {
    Arena::of_process().give_back(data_, bytes_, is_ordered ? stream_ : Arena::idle);
  } else if (is_ordered) {
    cudaFreeAsync(data_, stream_);
  } else {
    cudaFree(data_);
    if (Pools::all().have_ended()) cudaMemPoolTrimTo(pool, 0);
  }
}

void CudaMemory::end_build(const Kokkos::Cuda& exec) {
  const CurrentGpu current(exec);
  if (Pools::all().of(exec.cuda_device()) != nullptr) return;
  Arena::of_process().share(exec.cuda_stream(), [&] { exec.fence("Tessera: a build ends"); });
}

std::size_t CudaMemory::idle_bytes(const Kokkos::Cuda& exec) {
  const CurrentGpu current(exec);
  const cudaMemPool_t pool = Pools::all().of(exec.cuda_device());
  std::uint64_t reserved = 0, used = 0;
  if (pool == nullptr) return Arena::of_process().free_bytes();
  require(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "a memory pool");
  require(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "a memory pool");
  return static_cast<std::size_t>(reserved - used);
}

}  // namespace Tessera::Impl

#endif
