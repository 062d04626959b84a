// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace Tessera::Cuda {

/// Throws std::runtime_error that says what was done and what CUDA says. CUDA then forgets it: who asks for the last
/// error is not told of this one.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status));
}

/// A number that CUDA tells of a GPU, or of a kernel there, and that stays: asked for once a GPU, without a lock.
/// Static where it is wanted. Threads that are the first at the same time all ask, and are told the same.
class PerDevice {
 public:
  /// find(device), not negative, for the GPU that the calling thread is on.
  ///
  /// \param key  what it depends on besides: only the answer for the last one is kept
  template <class Find>
  int operator()(const Find& find, unsigned key = 0) {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    if (device >= most_devices) return find(device);
    const std::uint64_t wanted = std::uint64_t(key) + 1;  // 0: nothing is known
    const std::uint64_t known = known_[device].load(std::memory_order_acquire);
    if (known >> 32 == wanted) return static_cast<int>(known & 0xffffffffu);
    const int found = find(device);
    known_[device].store(wanted << 32 | static_cast<unsigned>(found), std::memory_order_release);
    return found;
  }

 private:
  static constexpr int most_devices = 64;  // that answers are kept for
  std::atomic<std::uint64_t> known_[most_devices] = {};
};

inline int device_attribute(cudaDeviceAttr attribute, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

/// Of the GPU that the calling thread is on.
inline int multiprocessors() {
  static constinit PerDevice number;
  return number([](int device) { return device_attribute(cudaDevAttrMultiProcessorCount, device); });
}

/// Bytes of shared memory that a block may have there.
inline int most_shared_bytes() {
  static constinit PerDevice bytes;
  return bytes([](int device) { return device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device); });
}

/// Allows a kernel so much dynamic shared memory, which is the same in every call: a size that differed from matrix to
/// matrix would be lowered by one thread after another has set it and before that one launches.
///
/// \param carveout  as of cudaFuncAttributePreferredSharedMemoryCarveout
template <auto kernel>
void allow_shared_memory(const char* what, int bytes, int carveout = cudaSharedmemCarveoutDefault) {
  static constinit PerDevice allowed;
  allowed([&](int) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), what);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout), what);
    return bytes;
  });
}

/// Blocks of a kernel that all multiprocessors hold at a time, at least one each.
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

/// Whether a kernel was compiled for a compute capability of 9.0 or more, as it runs on the GPU.
template <auto kernel>
bool is_for_hopper() {
  static constinit PerDevice answer;
  return answer([](int) {
           cudaFuncAttributes compiled;
           check(cudaFuncGetAttributes(&compiled, kernel), "cudaFuncGetAttributes");
           return compiled.ptxVersion >= 90 ? 1 : 0;
         }) == 1;
}

}  // namespace Tessera::Cuda
