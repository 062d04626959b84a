// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "FewerCases.hpp"

/// GPU memory for tests, and checks for a GPU.
namespace Tessera::Impl::Test {

inline bool has_gpu() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

#define TESSERA_SKIP_WITHOUT_GPU() \
  if (!Tessera::Impl::Test::has_gpu()) GTEST_SKIP() << "there is no GPU"

/// Whether to run the current one of many similar cases. GPUs run all or, if fewer are wanted, one in `some`. Emulation
/// is slow and runs one in `some`, with the address sanitizer about one in 3 `some`. All run if `some` is 1.
/// `some` must be coprime to the lengths of the loops around the case, else some iterations of an inner loop never run.
inline bool is_chosen(int some) {
#ifndef TESSERA_CUDA_EMULATED
  if (!runs_fewer_cases()) return true;
#elif defined(__SANITIZE_ADDRESS__)
  if (some > 1) some = 3 * some + 2;
#endif
  static int cases = 0;
  return cases++ % some == 0;
}

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// A copy of an array in GPU memory. It ends where its allocation ends, as far as CUDA allows.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& host) : size_(host.size()) {
    if (size_ == 0) return;
    check(cudaMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice), "copying to the GPU");
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* data() const { return data_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  /// Waits for the GPU and copies the array to the host.
  std::vector<T> to_host() const {
    std::vector<T> host(size_);
    check(cudaDeviceSynchronize(), "running");
    if (size_ > 0) check(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost), "copying from the GPU");
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace Tessera::Impl::Test
