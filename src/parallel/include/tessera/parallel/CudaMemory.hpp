// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#ifdef KOKKOS_ENABLE_CUDA

#include <cstddef>
#include <string>
#include <tessera/parallel/CachedArena.hpp>

namespace Tessera::Impl {

/// Memory of a GPU from a pool of Tessera's own: to allocate and to free it neither waits nor takes long. The pool
/// keeps what is freed until memory runs short or Kokkos ends, but after a build at most a sixteenth of the GPU's
/// memory. GPUs without pools have a CachedArena.
class CudaMemory {
 public:
  /// \throws std::runtime_error if the GPU has too little memory, also without what pools keep
  CudaMemory(const Kokkos::Cuda& exec, const std::string& label, std::size_t bytes);
  ~CudaMemory();
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  void* data() const { return data_; }

  /// The bytes that an array of so many takes: more than these where the GPU has no pools.
  static std::size_t taken_bytes(const Kokkos::Cuda& exec, std::size_t bytes);

  /// What a thread freed while it built on the stream of `exec` serves others from now on.
  static void end_build(const Kokkos::Cuda& exec);

  /// Bytes that the pool of a GPU keeps and nobody uses.
  static std::size_t idle_bytes(const Kokkos::Cuda& exec);

 private:
  int gpu_;
  cudaStream_t stream_;  // where it was allocated; it may end before the memory
  std::size_t bytes_;
  CachedArena<Kokkos::CudaSpace>* arena_ = nullptr;  // where the GPU has no pools
  void* data_ = nullptr;
};

}  // namespace Tessera::Impl

#endif
