// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <tessera/parallel/CachedArena.hpp>
#include <tessera/parallel/CudaMemory.hpp>
#include <tessera/parallel/CurrentBuild.hpp>
#include <type_traits>
#include <utility>

/// The memory of Arrays: where it is allocated, and when it may be reused.
///
/// A build allocates and frees memory in the order of its queue. It may free an array while kernels on its queue still
/// use it, and need not wait. If memory is freed outside of a build on the queue that it was allocated for, freeing
/// waits for all kernels of the device.
namespace Tessera::Impl {

/// Memory of a device that has no pool.
template <class Memory>
class DeviceMemory {
 public:
  template <class ExecutionSpace>
  DeviceMemory(const ExecutionSpace& exec, const std::string&, std::size_t bytes)
      : arena_(Arena::of(exec)), queue_(queue_of(exec)), bytes_(bytes), data_(arena_.take(exec, bytes)) {}
  ~DeviceMemory() {
    const bool is_ordered = CurrentBuild::is_on(queue_);
    if (!is_ordered) Kokkos::fence("Tessera: an array ends");
    arena_.give_back(data_, bytes_, is_ordered ? queue_ : Arena::idle);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* data() const { return data_; }

  /// Returns the number of bytes that an array of `bytes` bytes occupies.
  template <class ExecutionSpace>
  static std::size_t taken_bytes(const ExecutionSpace&, std::size_t bytes) {
    return Arena::block_bytes(bytes);
  }

  /// Makes the memory that a build on the queue of `exec` has freed available to all threads.
  template <class ExecutionSpace>
  static void end_build(const ExecutionSpace& exec) {
    Arena::of(exec).share(queue_of(exec), [&] { exec.fence("Tessera: a build ends"); });
  }

 private:
  using Arena = CachedArena<Memory>;

  Arena& arena_;
  const void* queue_;
  std::size_t bytes_;
  void* data_;
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
class DeviceMemory<Kokkos::CudaSpace> : public CudaMemory {
 public:
  using CudaMemory::CudaMemory;
};
#endif

/// Memory in a memory space, reported to Kokkos Tools under its label.
template <class Memory>
class ArrayMemory {
 public:
  template <class ExecutionSpace>
  ArrayMemory(const ExecutionSpace& exec, const std::string& label, std::size_t bytes)
      : label_(label), bytes_(bytes), memory_(exec, label, bytes) {
    Kokkos::Tools::allocateData(handle(), label_, data(), bytes_);
  }
  ~ArrayMemory() { Kokkos::Tools::deallocateData(handle(), label_, data(), bytes_); }
  ArrayMemory(const ArrayMemory&) = delete;
  ArrayMemory& operator=(const ArrayMemory&) = delete;

  void* data() const { return memory_.data(); }

  /// Returns the number of bytes that an array occupies. These are charged; Kokkos Tools are given the array's size.
  template <class ExecutionSpace>
  static std::size_t taken_bytes(const ExecutionSpace& exec, std::size_t bytes) {
    return DeviceMemory<Memory>::taken_bytes(exec, bytes);
  }

 private:
  static auto handle() { return Kokkos::Tools::make_space_handle(Memory::name()); }

  std::string label_;
  std::size_t bytes_;
  DeviceMemory<Memory> memory_;
};

/// Memory of the host. No kernel runs when it is freed, because calls return after their kernels.
template <>
class ArrayMemory<Kokkos::HostSpace> {
 public:
  template <class ExecutionSpace>
  ArrayMemory(const ExecutionSpace&, const std::string& label, std::size_t bytes)
      : label_(label), bytes_(bytes), data_(Kokkos::HostSpace().allocate(label_.c_str(), bytes)) {}
  ~ArrayMemory() { Kokkos::HostSpace().deallocate(label_.c_str(), data_, bytes_); }
  ArrayMemory(const ArrayMemory&) = delete;
  ArrayMemory& operator=(const ArrayMemory&) = delete;

  void* data() const { return data_; }

  template <class ExecutionSpace>
  static std::size_t taken_bytes(const ExecutionSpace&, std::size_t bytes) {
    return bytes;
  }

 private:
  std::string label_;
  std::size_t bytes_;
  void* data_;
};

/// Marks the calling thread as building while this object lives. Arrays that the thread allocates are charged to an
/// account, and Arrays that it frees can be reused in the order of the queue of `exec`.
template <class ExecutionSpace>
class BuildScope {
 public:
  using Memory = typename ExecutionSpace::memory_space;

  BuildScope(const ExecutionSpace& exec, std::shared_ptr<MemoryAccount> account)
      : exec_(exec), build_(queue_of(exec), std::move(account)) {}
  ~BuildScope() {
    if constexpr (!std::is_same_v<Memory, Kokkos::HostSpace>) DeviceMemory<Memory>::end_build(exec_);
  }
  BuildScope(const BuildScope&) = delete;
  BuildScope& operator=(const BuildScope&) = delete;

 private:
  const ExecutionSpace& exec_;
  CurrentBuild build_;
};

}  // namespace Tessera::Impl
