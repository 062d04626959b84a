// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <tessera/dense/DenseAlgebra.hpp>
#include <utility>

namespace Tessera::Impl {

/// Keeps the memory of destroyed BlockVectors for new ones, because block solvers create and destroy work vectors in
/// every iteration. Kept memory and memory in use together never exceed the peak in use. Kokkos::finalize() frees it.
///
/// A new BlockVector may get memory that kernels still use: all kernels run in order, on the default instance.
template <class MemorySpace>
class BlockMemory {
 public:
  static BlockMemory& instance() {
    static BlockMemory& memory = *make();  // never destroyed: outlives the static objects of the program
    return memory;
  }

  /// Returns uninitialized memory of at least `bytes` bytes; null if `bytes` is 0.
  std::shared_ptr<void> take(std::size_t bytes) {
    if (bytes == 0) return {};
    const std::lock_guard guard(mutex_);
    Bytes memory = take_kept(bytes);
    if (!memory.is_allocated()) memory = allocate(bytes);
    used_ += memory.extent(0);
    peak_ = used_ > peak_ ? used_ : peak_;
    void* const data = memory.data();
    return {data, [this, memory](void*) mutable { give_back(std::move(memory)); }};
  }

  /// Frees the kept memory.
  void clear() {
    const std::lock_guard guard(mutex_);
    kept_.clear();
    kept_bytes_ = 0;
  }

  /// Returns the bytes that are kept and not in use.
  std::size_t kept_bytes() const { return kept_bytes_; }
  /// Returns the peak of the bytes in use.
  std::size_t most_bytes() const { return peak_; }

 private:
  using Bytes = Kokkos::View<char*, MemorySpace>;

  static BlockMemory* make() {
    auto* const memory = new BlockMemory;
    Kokkos::push_finalize_hook([memory] {
      memory->clear();
      memory->keeps_ = false;
    });
    return memory;
  }

  /// Returns the smallest kept memory of `bytes` to 2 * `bytes` bytes; of equal sizes, the one freed most recently.
  Bytes take_kept(std::size_t bytes) {
    const auto fitting = kept_.lower_bound(bytes);
    if (fitting == kept_.end() || fitting->first / 2 > bytes) return {};
    const auto last = std::prev(kept_.upper_bound(fitting->first));
    Bytes memory = std::move(last->second);
    kept_bytes_ -= last->first;
    kept_.erase(last);
    return memory;
  }

  Bytes allocate(std::size_t bytes) {
    while (!kept_.empty() && used_ + kept_bytes_ + bytes > peak_) {
      kept_bytes_ -= kept_.begin()->first;
      kept_.erase(kept_.begin());
    }
    const auto label = Kokkos::view_alloc(Kokkos::WithoutInitializing, "Tessera::BlockVector");
    try {
      return Bytes(label, bytes);
    } catch (...) {
      if (kept_.empty()) throw;
    }
    kept_.clear();
    kept_bytes_ = 0;
    return Bytes(label, bytes);
  }

  void give_back(Bytes memory) {
    const std::lock_guard guard(mutex_);
    used_ -= memory.extent(0);
    if (!keeps_) return;
    kept_bytes_ += memory.extent(0);
    kept_.emplace(memory.extent(0), std::move(memory));
  }

  std::recursive_mutex mutex_;
  std::multimap<std::size_t, Bytes> kept_;  // by their sizes in bytes
  std::size_t kept_bytes_ = 0, used_ = 0, peak_ = 0;
  bool keeps_ = true;
};

/// Returns the workspace of dense algebra on the default instance. Kokkos::finalize() frees it.
template <class ExecutionSpace>
const DenseWorkspace<ExecutionSpace>& dense_workspace() {
  static std::unique_ptr<DenseWorkspace<ExecutionSpace>> workspace;
  if (!workspace) {
    workspace = std::make_unique<DenseWorkspace<ExecutionSpace>>();
    Kokkos::push_finalize_hook([] { workspace.reset(); });
  }
  return *workspace;
}

}  // namespace Tessera::Impl
