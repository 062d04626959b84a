// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <tessera/parallel/MemoryAccount.hpp>
#include <type_traits>

namespace Tessera::Impl {

/// Returns the address that identifies the queue of an instance.
template <class ExecutionSpace>
const void* queue_of([[maybe_unused]] const ExecutionSpace& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) return exec.cuda_stream();
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::HIP>) return exec.hip_stream();
#endif
#ifdef KOKKOS_ENABLE_SYCL
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::SYCL>) return &exec.sycl_queue();
#endif
  static const char host = 0;
  return &host;
}

/// Returns the number of an instance's device among the devices of its backend.
template <class ExecutionSpace>
int device_of_instance([[maybe_unused]] const ExecutionSpace& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) return exec.cuda_device();
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::HIP>) return exec.hip_device();
#endif
  return 0;
}

/// The build that a thread is executing: the queue that it runs on, and the account that is charged.
class CurrentBuild {
 public:
  CurrentBuild(const void* queue, std::shared_ptr<MemoryAccount> account);
  ~CurrentBuild();
  CurrentBuild(const CurrentBuild&) = delete;
  CurrentBuild& operator=(const CurrentBuild&) = delete;

  const std::shared_ptr<MemoryAccount>& account() const { return account_; }

  /// Returns null if the thread is not building.
  static const CurrentBuild* of_this_thread();
  /// Returns the bytes that this thread's build may still allocate; no_memory_limit if there is no limit.
  static std::size_t bytes_left();
  /// Returns whether this thread is building on the given queue.
  static bool is_on(const void* queue);

 private:
  const void* queue_;
  std::shared_ptr<MemoryAccount> account_;
  const CurrentBuild* outer_;
};

}  // namespace Tessera::Impl
