// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <type_traits>

#if defined(KOKKOS_ENABLE_CUDA) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define TESSERA_HAS_NVTX
#endif

namespace Tessera::Impl {

/// A range of NVTX, which NVIDIA's profilers show even without a Kokkos tool. Does nothing without CUDA.
class NvtxRange {
 public:
#ifdef TESSERA_HAS_NVTX
  explicit NvtxRange(const char* name) { nvtxRangePushA(name); }
  ~NvtxRange() { nvtxRangePop(); }
#else
  explicit NvtxRange(const char*) {}
#endif
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

struct NoRange {
  explicit NoRange(const char*) {}
};

/// Names the time between its construction and its destruction for profilers. Without a profiler, it costs one or two
/// branches.
template <class ExecutionSpace>
class Region {
#ifdef KOKKOS_ENABLE_CUDA
  using Range = std::conditional_t<std::is_same_v<ExecutionSpace, Kokkos::Cuda>, NvtxRange, NoRange>;
#else
  using Range = NoRange;
#endif

 public:
  explicit Region(const char* name) : region_(name), range_(name) {}

 private:
  Kokkos::Profiling::ScopedRegion region_;
  [[maybe_unused]] Range range_;
};

}  // namespace Tessera::Impl
