// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tessera/parallel/CurrentGpu.hpp>

#include "Region.hpp"

namespace Tessera::Impl {

/// While the object exists, the calling thread launches on the GPU of an instance. Kokkos Tools and NVTX report the
/// launches under a label, like those of Kokkos' own patterns.
class CudaLaunches {
 public:
  CudaLaunches(const char* label, const Kokkos::Cuda& exec) : range_(label), gpu_(exec) {
    Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id_);
  }
  ~CudaLaunches() { Kokkos::Tools::endParallelFor(id_); }
  CudaLaunches(const CudaLaunches&) = delete;
  CudaLaunches& operator=(const CudaLaunches&) = delete;

 private:
  [[maybe_unused]] NvtxRange range_;
  CurrentGpu gpu_;
  std::uint64_t id_ = 0;
};

}  // namespace Tessera::Impl
