// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <cstddef>
#include <string>
#include <tessera/parallel/CachedArena.hpp>

namespace Tessera::Impl {

/// Memory of a GPU from Tessera's own pool: allocating and freeing are fast and do not wait. The pool keeps freed
/// memory until memory runs short or Kokkos ends, but between builds it keeps at most a sixteenth of the GPU's memory.
/// GPUs without support for pools use a CachedArena.
class CudaMemory {
 public:
  /// \throws std::runtime_error if the GPU has too little memory, even with the pools emptied
  CudaMemory(const Kokkos::Cuda& exec, const std::string& label, std::size_t bytes);
  ~CudaMemory();
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  void* data() const { return data_; }

  /// Returns the number of bytes that an array of `bytes` bytes occupies. It is larger if the GPU has no pools.
  static std::size_t taken_bytes(const Kokkos::Cuda& exec, std::size_t bytes);

  /// Makes the memory that a build on the stream of `exec` has freed available to all threads.
  static void end_build(const Kokkos::Cuda& exec);

  /// Returns the bytes that the pool of a GPU has reserved and no array uses.
  static std::size_t idle_bytes(const Kokkos::Cuda& exec);

 private:
  int gpu_;
  cudaStream_t stream_;  // the memory was allocated in the order of this stream, which may be destroyed first
  std::size_t bytes_;
  CachedArena<Kokkos::CudaSpace>* arena_ = nullptr;  // used if the GPU has no pools
  void* data_ = nullptr;
};

}  // namespace Tessera::Impl

#endif
