// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace Tessera::Impl::Bench {

/// Throws std::runtime_error with CUDA's message unless all went well.
inline void check(cudaError_t error, const std::string& what) {
  if (error != cudaSuccess)
    throw std::runtime_error(what + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error));
}

/// An array in device memory, freed when all work on the device is done.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t size) : size_(size) {
    if (size > 0)
      check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)),
            "cudaMalloc of " + std::to_string(size * sizeof(T)) + " bytes");
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
    if (size_ > 0) check(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice), "copy to the device");
  }
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  T read(std::size_t place) const {
    T value;
    check(cudaMemcpy(&value, data_ + place, sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
    return value;
  }

 private:
  void swap(DeviceArray& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A stream that does not wait for the default one: this reveals kernels that are launched on the wrong stream.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "work on the device"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A point in time on a stream.
class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  /// Waits for the event. Returns the milliseconds since `start`.
  double since(const Event& start) const {
    float ms = 0;
    check(cudaEventSynchronize(event_), "work on the device");
    check(cudaEventElapsedTime(&ms, start.event_, event_), "cudaEventElapsedTime");
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The GPU, its software and its bandwidth.
struct Machine {
  std::string gpu;
  int compute_capability = 0;  // 90 for 9.0
  int multiprocessors = 0;
  int driver = 0;   // the newest CUDA that it supports, 13000 for 13.0
  int runtime = 0;  // the CUDA that this program was built with
  double memory_gb = 0;
  double copy_gb_per_s = 0;  // read plus written, by a large copy on the device
};

inline Machine describe_machine() {
  int device = 0;
  cudaDeviceProp properties;
  Machine machine;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  check(cudaDriverGetVersion(&machine.driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&machine.runtime), "cudaRuntimeGetVersion");
  machine.gpu = properties.name;
  machine.compute_capability = 10 * properties.major + properties.minor;
  machine.multiprocessors = properties.multiProcessorCount;
  machine.memory_gb = static_cast<double>(properties.totalGlobalMem) / 1e9;
  return machine;
}

}  // namespace Tessera::Impl::Bench
