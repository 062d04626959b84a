// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/common/ChunkedRows.hpp>
#include <tessera/cuda/Device.hpp>
#include <tessera/parallel/CudaMemory.hpp>
#include <tessera/parallel/CurrentBuild.hpp>
#include <tessera/parallel/CurrentGpu.hpp>

/// Properties of an instance's GPU that plans depend on.
namespace Tessera::Impl {

/// Returns the properties of the GPU for schedules.
inline Cuda::Device device_of(const Kokkos::Cuda& exec) { return {exec.cuda_device_prop().multiProcessorCount}; }

/// Returns the properties of the GPU for chunks of X.
inline ChunkedMachine chunked_machine(const Kokkos::Cuda& exec) {
  const auto& gpu = exec.cuda_device_prop();
  return {gpu.multiProcessorCount, gpu.sharedMemPerBlockOptin};
}

/// Returns the clock rate of a GPU's memory in kHz; 0 if the driver does not report it. Asks each GPU once, because the
/// driver takes 0.6 ms to answer.
inline int memory_clock_rate(int gpu) {
  constexpr int most_gpus = 64;                   // answers of GPUs with higher numbers are not kept
  static std::atomic<int> known[most_gpus] = {};  // the rate + 1, or 0
  if (gpu < most_gpus && known[gpu] > 0) return known[gpu] - 1;
  int kilohertz = 0;
  if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, gpu) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    kilohertz = 0;
  }
  if (gpu < most_gpus) known[gpu] = kilohertz + 1;
  return kilohertz;
}

/// Returns the bytes that the GPU's memory moves per second: two transfers per clock cycle, each as wide as its bus;
/// 0 if the driver does not report the clock.
inline double memory_rate(const Kokkos::Cuda& exec) {
  return 2e3 * memory_clock_rate(exec.cuda_device()) * exec.cuda_device_prop().memoryBusWidth / 8;
}

/// Returns the bytes of the device's memory that can still be allocated, including those that the pool keeps.
inline std::size_t free_device_bytes(const Kokkos::Cuda& exec) {
  const CurrentGpu gpu(exec);
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) return free + CudaMemory::idle_bytes(exec);
  static_cast<void>(cudaGetLastError());
  return 0;
}

/// Returns the bytes that a plan may store besides a format: the memory limit, but at most the free bytes; without a
/// limit, half of the free bytes. If limited plans got a share of the free bytes, they would depend on other programs.
inline std::size_t room_beside_format(const Kokkos::Cuda& exec, std::size_t limit) {
  const std::size_t free = free_device_bytes(exec);
  return limit == no_memory_limit ? free / 2 : std::min(limit, free);
}

/// Calls allocate() for a kernel's optional data if there is memory for it. \return whether there was
template <class Allocate>
bool if_there_is_room(const Kokkos::Cuda& exec, std::size_t bytes, const Allocate& allocate) {
  if (bytes > room_beside_format(exec, CurrentBuild::bytes_left())) return false;
  try {
    allocate();
    return true;
  } catch (const FormatTooLarge&) {
    return false;
  }
}

}  // namespace Tessera::Impl
