// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <tessera/common/ChunkedRows.hpp>
#include <tessera/cuda/Device.hpp>
#include <tessera/parallel/CudaMemory.hpp>
#include <tessera/parallel/CurrentBuild.hpp>
#include <tessera/parallel/CurrentGpu.hpp>
#include <tessera/parallel/FormatTooLarge.hpp>
#include <tessera/spmm/PlanOptions.hpp>

/// What a plan asks of the GPU of its instance.
namespace Tessera::Impl {

/// The GPU as schedules are made for it.
inline Cuda::Device device_of(const Kokkos::Cuda& exec) { return {exec.cuda_device_prop().multiProcessorCount}; }

/// The GPU as chunks of X are made for it.
inline ChunkedMachine chunked_machine(const Kokkos::Cuda& exec) {
  const auto& gpu = exec.cuda_device_prop();
  return {gpu.multiProcessorCount, gpu.sharedMemPerBlockOptin};
}

/// Bytes that the GPU's memory moves in a second: two transfers a cycle of its clock, as wide as its bus; 0 if the
/// driver does not tell.
inline double memory_rate(const Kokkos::Cuda& exec) {
  int kilohertz = 0;
  if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, exec.cuda_device()) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  return 2e3 * kilohertz * exec.cuda_device_prop().memoryBusWidth / 8;
}

/// Bytes of the device's memory that can still be allocated, those that the pool keeps included.
inline std::size_t free_device_bytes(const Kokkos::Cuda& exec) {
  const CurrentGpu gpu(exec);
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) == cudaSuccess) return free + CudaMemory::idle_bytes(exec);
  static_cast<void>(cudaGetLastError());
  return 0;
}

/// The most bytes that a plan may keep beside a format: the memory limit, as far as it is free; without a limit, half
/// of what is free. A share of what is free would make a plan with a limit depend on what other programs hold.
inline std::size_t room_beside_format(const Kokkos::Cuda& exec, std::size_t limit) {
  const std::size_t free = free_device_bytes(exec);
  return limit == no_memory_limit ? free / 2 : std::min(limit, free);
}

/// Calls allocate() for what a kernel can do without, if there is room for so many bytes. \return whether there was
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
