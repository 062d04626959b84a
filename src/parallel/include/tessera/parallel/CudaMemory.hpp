// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <cstddef>
#include <string>
#include <tessera/parallel/CachedArena.hpp>

namespace Tessera::Impl {

/// Memory of a GPU from Tessera's own pool: allocating and freeing are fast and do not wait. The pool keeps freed
/// memory until memory runs short or Kokkos ends, but after a build at most a sixteenth of the GPU's memory. GPUs
/// without pools have a CachedArena.
class CudaMemory {
 public:
  /// \throws std::runtime_error if the GPU has too little memory, even after the pools are emptied
  CudaMemory(const Kokkos::Cuda& exec, const std::string& label, std::size_t bytes);
  ~CudaMemory();
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  void* data() const { return data_; }

  /// Returns the bytes that an array of this size uses. They exceed its size if the GPU has no pools.
  static std::size_t taken_bytes(const Kokkos::Cuda& exec, std::size_t bytes);

  /// Lets all threads use the memory that a thread freed while it built on the stream of `exec`.
  static void end_build(const Kokkos::Cuda& exec);

  /// Returns the bytes that the pool of a GPU holds and no array uses.
  static std::size_t idle_bytes(const Kokkos::Cuda& exec);

 private:
  int gpu_;
  cudaStream_t stream_;  // allocated in the order of this stream, which may end before the memory
  std::size_t bytes_;
  CachedArena<Kokkos::CudaSpace>* arena_ = nullptr;  // if the GPU has no pools
  void* data_ = nullptr;
};

}  // namespace Tessera::Impl

#endif
