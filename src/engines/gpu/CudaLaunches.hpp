// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/cuda/KnownDevice.hpp>
#include <tessera/parallel/CurrentGpu.hpp>

#include "Region.hpp"

namespace Tessera::Impl {

/// While the object exists, the calling thread launches on the GPU of an instance. Kokkos Tools and NVTX report the
/// launches under a label, like those of Kokkos' own patterns.
class CudaLaunches {
 public:
  CudaLaunches(const char* label, const Kokkos::Cuda& exec)
      : range_(label), gpu_(exec), known_(exec.cuda_device()), stream_(exec.cuda_stream()) {
    Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id_);
  }
  ~CudaLaunches() { Kokkos::Tools::endParallelFor(id_); }
  CudaLaunches(const CudaLaunches&) = delete;
  CudaLaunches& operator=(const CudaLaunches&) = delete;

  /// Returns the stream of the instance. Each call of Kokkos' cuda_stream() calls cudaSetDevice().
  cudaStream_t stream() const { return stream_; }

 private:
  [[maybe_unused]] NvtxRange range_;
  CurrentGpu gpu_;
  Cuda::KnownDevice known_;
  cudaStream_t stream_;
  std::uint64_t id_ = 0;
};

}  // namespace Tessera::Impl
