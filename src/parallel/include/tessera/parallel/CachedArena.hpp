// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <tessera/parallel/CurrentBuild.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace Tessera::Impl {

/// Returns the bytes of memory of an instance's device, or the largest number if they are unknown.
template <class ExecutionSpace>
std::size_t device_memory_bytes([[maybe_unused]] const ExecutionSpace& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) return exec.cuda_device_prop().totalGlobalMem;
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::HIP>) return exec.hip_device_prop().totalGlobalMem;
#endif
#ifdef KOKKOS_ENABLE_SYCL
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::SYCL>)
    return exec.sycl_queue().get_device().template get_info<sycl::info::device::global_mem_size>();
#endif
  return std::numeric_limits<std::size_t>::max();
}

/// Blocks of a memory space that are kept when they are freed, and used again. They are for devices that have no memory
/// pool and whose own allocator waits for all kernels.
///
/// A block that was freed in the order of a queue is reserved for this queue until the queue is idle. Freed blocks are
/// returned to the device if its memory runs short, when Kokkos ends, or if idle blocks exceed a limit.
template <class Memory>
class CachedArena {
 public:
  /// Returns the arena of an instance's device. Between builds, it keeps at most a sixteenth of the device's memory.
  /// Never destroyed, because static arrays may outlive any static object.
  template <class ExecutionSpace>
  static CachedArena& of(const ExecutionSpace& exec) {
    return of_device(device_of_instance(exec), device_memory_bytes(exec) / 16);
  }
  /// \param most_idle [in] the limit of a new arena; ignored if the device already has one
  static CachedArena& of_device(int device, std::size_t most_idle) {
    static auto* mutex = new std::mutex;
    static auto* arenas = new std::map<int, CachedArena*>;
    const std::lock_guard lock(*mutex);
    if (const auto known = arenas->find(device); known != arenas->end()) return *known->second;
    auto arena = std::make_unique<CachedArena>(most_idle);
    Kokkos::push_finalize_hook([known = arena.get()] { known->end(); });
    return *arenas->emplace(device, arena.release()).first->second;
  }

  /// \param most_idle [in] upper bound on the bytes of idle blocks, whose work has ended
  explicit CachedArena(std::size_t most_idle = std::numeric_limits<std::size_t>::max()) : most_idle_(most_idle) {}

  /// A key, used in place of a queue, for blocks whose work has ended.
  static constexpr char none = 0;
  static constexpr const void* idle = &none;

  /// Rounds the size of a block up to one of eight sizes per power of two: adds at most an eighth, or 512 bytes.
  static std::size_t block_bytes(std::size_t bytes) {
    const std::size_t step = std::max<std::size_t>(512, std::bit_floor(bytes) / 8);
    if (bytes > std::numeric_limits<std::size_t>::max() - step) return bytes;  // no memory has that many bytes
    return (bytes + step - 1) / step * step;
  }

  template <class ExecutionSpace>
  void* take(const ExecutionSpace& exec, std::size_t bytes) {
    const std::size_t size = block_bytes(bytes);
    {
      const std::lock_guard lock(mutex_);
      for (const void* queue : {queue_of(exec), idle})
        if (void* const block = find(queue, size)) return block;
    }
    try {
      return Memory().allocate(exec, label, size);
    } catch (...) {
      trim();
    }
    return Memory().allocate(exec, label, size);
  }

  /// \param queue [in] the queue of the block's last work, or `idle` if that work has ended
  void give_back(void* block, std::size_t bytes, const void* queue) noexcept {
    const std::size_t size = block_bytes(bytes);
    try {
      const std::lock_guard lock(mutex_);
      const std::pair key(queue, size);
      const bool is_kept = queue != idle || size <= most_idle_ - std::min(most_idle_, bytes_of(idle));
      if (!has_ended_ && is_kept) return free_[key].push_back(block);
    } catch (const std::bad_alloc&) {
    }
    if (queue != idle) Kokkos::fence("Tessera::CachedArena");
    Memory().deallocate(label, block, size);
  }

  /// Makes the blocks that were freed in the order of one queue available to all queues.
  ///
  /// \param wait [in] waits for the queue. Blocks that other threads free in the meantime stay reserved for the queue
  template <class Wait>
  void share(const void* queue, const Wait& wait) {
    Blocks shared;
    {
      const std::lock_guard lock(mutex_);
      auto list = free_.lower_bound({queue, 0});
      while (list != free_.end() && list->first.first == queue) shared.insert(free_.extract(list++));
    }
    wait();
    for (const auto& [key, blocks] : shared)
      for (void* const block : blocks) give_back(block, key.second, idle);
  }

  /// Waits for the device, and returns all freed blocks to it.
  void trim() {
    Blocks freed;
    {
      const std::lock_guard lock(mutex_);
      freed.swap(free_);
    }
    Kokkos::fence("Tessera::CachedArena");  // also waits for blocks that other threads have freed
    for (const auto& [key, blocks] : freed)
      for (void* const block : blocks) Memory().deallocate(label, block, key.second);
  }

  /// Bytes of the freed blocks.
  std::size_t free_bytes() {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [key, blocks] : free_) bytes += key.second * blocks.size();
    return bytes;
  }

 private:
  static constexpr const char* label = "Tessera::CachedArena";  // the label of blocks in profilers

  using Blocks = std::map<std::pair<const void*, std::size_t>, std::vector<void*>>;  // by queue and size

  /// Bytes of the freed blocks of a queue.
  std::size_t bytes_of(const void* queue) const {
    std::size_t bytes = 0;
    for (auto list = free_.lower_bound({queue, 0}); list != free_.end() && list->first.first == queue; ++list)
      bytes += list->first.second * list->second.size();
    return bytes;
  }
  void* find(const void* queue, std::size_t size) {
    const auto list = free_.find({queue, size});
    if (list == free_.end() || list->second.empty()) return nullptr;
    void* const block = list->second.back();
    list->second.pop_back();
    return block;
  }
  void end() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;  // blocks that are freed from now on are returned at once
    }
    trim();
  }

  std::mutex mutex_;
  Blocks free_;
  std::size_t most_idle_;
  bool has_ended_ = false;
};

}  // namespace Tessera::Impl
