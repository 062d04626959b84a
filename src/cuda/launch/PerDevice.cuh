// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tessera/cuda/KnownDevice.hpp>

namespace Tessera::Impl::Cuda {

/// Throws std::runtime_error with `what` and CUDA's name of the error, and clears the error, so that cudaGetLastError()
/// does not report it again.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status));
}

/// Caches a number about a GPU, or about a kernel on it, that never changes. Each GPU is queried once, without a lock:
/// threads that need the number first at the same time all query it. Declare the object static where it is used.
class PerDevice {
 public:
  /// Returns find(device) for the current GPU of the calling thread. The result must not be negative.
  ///
  /// \param key  other input of find(). Only the answer for the last key is kept
  template <class Find>
  int operator()(const Find& find, unsigned key = 0) {
    int device = KnownDevice::number();
    if (device == KnownDevice::unknown) check(cudaGetDevice(&device), "cudaGetDevice");
    if (device >= most_devices) return find(device);
    const std::uint64_t wanted = std::uint64_t(key) + 1;  // 0: nothing is known
    const std::uint64_t known = known_[device].load(std::memory_order_acquire);
    if (known >> 32 == wanted) return static_cast<int>(known & 0xffffffffu);
    const int found = find(device);
    known_[device].store(wanted << 32 | static_cast<unsigned>(found), std::memory_order_release);
    return found;
  }

 private:
  static constexpr int most_devices = 64;  // answers for devices with higher numbers are not kept
  std::atomic<std::uint64_t> known_[most_devices] = {};
};

inline int device_attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

/// Returns the number of multiprocessors of the current GPU.
inline int multiprocessors() {
  static constinit PerDevice number;
  return number([](int device) { return device_attribute(cudaDevAttrMultiProcessorCount, device); });
}

/// Returns the upper bound on a block's shared memory on the current GPU, in bytes.
inline int most_shared_bytes() {
  static constinit PerDevice bytes;
  return bytes([](int device) { return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device); });
}

/// Allows a kernel this many bytes of dynamic shared memory. Every call must pass the same number; otherwise a thread
/// could lower it between another thread's call and launch.
///
/// \param carveout  the value of cudaFuncAttributePreferredSharedMemoryCarveout
template <auto kernel>
void allow_shared_memory(const char* what, int bytes, int carveout = cudaSharedmemCarveoutDefault) {
  static constinit PerDevice allowed;
  allowed([&](int) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), what);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout), what);
    return bytes;
  });
}

/// Returns the number of blocks of a kernel that are resident on all multiprocessors at a time, at least one each.
template <auto kernel>
unsigned resident_blocks(int threads, std::size_t shared_bytes) {
  static constinit PerDevice blocks_of_multiprocessor;
  const auto find = [&](int) {
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return blocks > 0 ? blocks : 1;
  };
  return static_cast<unsigned>(blocks_of_multiprocessor(find, static_cast<unsigned>(shared_bytes)) * multiprocessors());
}

/// Whether a kernel's code for the current GPU was compiled for compute capability 9.0 or higher.
template <auto kernel>
bool is_for_hopper() {
  static constinit PerDevice answer;
  return answer([](int) {
           cudaFuncAttributes compiled;
           check(cudaFuncGetAttributes(&compiled, kernel), "cudaFuncGetAttributes");
           return compiled.ptxVersion >= 90 ? 1 : 0;
         }) == 1;
}

}  // namespace Tessera::Impl::Cuda
