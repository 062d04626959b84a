// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <tessera/parallel/CurrentBuild.hpp>
#include <utility>
#include <vector>

namespace Tessera::Impl {

/// Blocks of a memory space that are kept when they are freed, and handed out again. It is for devices whose own
/// allocator waits for all kernels and has no pool.
///
/// A block that was freed in the order of a queue serves this queue alone, until the queue is idle. Freed blocks go
/// back to the device when its memory runs short and when Kokkos ends.
template <class Memory>
class CachedArena {
 public:
  /// The arena of the process. Never destroyed: static arrays outlive everything else.
  static CachedArena& of_process() {
    static auto* arena = new CachedArena;
    return *arena;
  }

  /// Stands for the queue of blocks whose work has ended.
  static constexpr char none = 0;
  static constexpr const void* idle = &none;

  /// Sizes of blocks: eight between a power of two and the next, hence at most an eighth more than asked for.
  static std::size_t block_bytes(std::size_t bytes) {
    const std::size_t step = std::max<std::size_t>(512, std::bit_floor(bytes) / 8);
    return (bytes + step - 1) / step * step;
  }

  template <class ExecutionSpace>
  void* take(const ExecutionSpace& exec, std::size_t bytes) {
    const std::size_t size = block_bytes(bytes);
    {
      const std::lock_guard lock(mutex_);
      for (const void* queue : {queue_of(exec), idle})
        if (void* const block = find(queue, size)) return block;
      if (!is_hooked_) Kokkos::push_finalize_hook([] { of_process().end(); });
      is_hooked_ = true;
    }
    try {
      return Memory().allocate(size);
    } catch (...) {
      trim();
    }
    return Memory().allocate(size);
  }

  /// \param queue [in] the block's last work is on this queue; idle: it has ended
  void give_back(void* block, std::size_t bytes, const void* queue) noexcept {
    const std::size_t size = block_bytes(bytes);
    try {
      const std::lock_guard lock(mutex_);
      const std::pair key(queue, size);
      if (!has_ended_) return free_[key].push_back(block);
    } catch (const std::bad_alloc&) {
    }
    if (queue != idle) Kokkos::fence("Tessera::CachedArena");
    Memory().deallocate(block, size);
  }

  /// Lets all queues have the blocks that were freed in the order of one.
  ///
  /// \param wait [in] waits for the queue. Another thread may free blocks meanwhile: they stay the queue's
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

  /// Gives all freed blocks back to the device. Waits for it.
  void trim() {
    Blocks freed;
    {
      const std::lock_guard lock(mutex_);
      freed.swap(free_);
    }
    Kokkos::fence("Tessera::CachedArena");  // also for what other threads freed until here
    for (const auto& [key, blocks] : freed)
      for (void* const block : blocks) Memory().deallocate(block, key.second);
  }

  /// Bytes of the freed blocks.
  std::size_t free_bytes() {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [key, blocks] : free_) bytes += key.second * blocks.size();
    return bytes;
  }

 private:
  using Blocks = std::map<std::pair<const void*, std::size_t>, std::vector<void*>>;  // by queue and size

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
      has_ended_ = true;  // what is freed from now on goes back at once
    }
    trim();
  }

  std::mutex mutex_;
  Blocks free_;
  bool is_hooked_ = false;
  bool has_ended_ = false;
};

}  // namespace Tessera::Impl
