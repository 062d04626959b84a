// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/parallel/PinnedRecord.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tessera/parallel/CurrentGpu.hpp>
#include <vector>

namespace Tessera::Impl {

namespace {

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error(std::string("Tessera: ") + what + ": " + cudaGetErrorString(status));
}

/// The blocks that no record uses.
class IdleBlocks {
 public:
  /// Returns the object, which is never destroyed because static arrays may outlive any static object.
  static IdleBlocks& all() {
    static auto* blocks = new IdleBlocks;
    return *blocks;
  }

  void* take(const Kokkos::Cuda& exec) {
    {
      const std::lock_guard lock(mutex_);
      if (!blocks_.empty()) {
        void* const block = blocks_.back();
        blocks_.pop_back();
        return block;
      }
      if (!has_hook_) Kokkos::push_finalize_hook([] { all().end(); });
      has_hook_ = true;
      blocks_.reserve(++count_);  // so that give_back() does not allocate
    }
    const CurrentGpu current(exec);
    void* block = nullptr;
    require(cudaHostAlloc(&block, PinnedRecord::size, cudaHostAllocPortable), "a record for results of a GPU");
    return block;
  }
  void give_back(void* block) noexcept {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(block);
  }
  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return blocks_.size();
  }

 private:
  void end() {
    const std::lock_guard lock(mutex_);
    for (void* const block : blocks_) cudaFreeHost(block);
    blocks_.clear();
  }

  std::mutex mutex_;
  std::vector<void*> blocks_;
  std::size_t count_ = 0;  // an upper bound on the blocks that exist
  bool has_hook_ = false;
};

}  // namespace

PinnedRecord::PinnedRecord(const Kokkos::Cuda& exec) : block_(IdleBlocks::all().take(exec)) {}
PinnedRecord::~PinnedRecord() { IdleBlocks::all().give_back(block_); }

void PinnedRecord::fetch(const Kokkos::Cuda& exec, const void* source, std::size_t bytes, void* target) const {
  require(cudaMemcpyAsync(block_, source, bytes, cudaMemcpyDefault, exec.cuda_stream()), "a result of a GPU");
  exec.fence("Tessera::PinnedRecord::fetch");
  std::memcpy(target, block_, bytes);
}

std::size_t PinnedRecord::idle_blocks() { return IdleBlocks::all().size(); }

}  // namespace Tessera::Impl

#endif
