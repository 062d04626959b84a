// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/common/CompiledTypes.hpp>

// TESSERA_FOR_EACH_EXECUTION_SPACE(M, ...) expands M(ExecutionSpace, ...) for every backend that Kokkos enables: the
// library is compiled once for all. If M is a list of CompiledTypes.hpp, it expands its arguments for every type.
#ifdef KOKKOS_ENABLE_SERIAL
#define TESSERA_IF_SERIAL(M, ...) M(Kokkos::Serial, __VA_ARGS__)
#else
#define TESSERA_IF_SERIAL(M, ...)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define TESSERA_IF_OPENMP(M, ...) M(Kokkos::OpenMP, __VA_ARGS__)
#else
#define TESSERA_IF_OPENMP(M, ...)
#endif
#ifdef KOKKOS_ENABLE_THREADS
#define TESSERA_IF_THREADS(M, ...) M(Kokkos::Threads, __VA_ARGS__)
#else
#define TESSERA_IF_THREADS(M, ...)
#endif
#ifdef KOKKOS_ENABLE_CUDA
#define TESSERA_IF_CUDA(M, ...) M(Kokkos::Cuda, __VA_ARGS__)
#else
#define TESSERA_IF_CUDA(M, ...)
#endif
#ifdef KOKKOS_ENABLE_HIP
#define TESSERA_IF_HIP(M, ...) M(Kokkos::HIP, __VA_ARGS__)
#else
#define TESSERA_IF_HIP(M, ...)
#endif
#ifdef KOKKOS_ENABLE_SYCL
#define TESSERA_IF_SYCL(M, ...) M(Kokkos::SYCL, __VA_ARGS__)
#else
#define TESSERA_IF_SYCL(M, ...)
#endif

#define TESSERA_FOR_EACH_EXECUTION_SPACE(M, ...) \
  TESSERA_IF_SERIAL(M, __VA_ARGS__)              \
  TESSERA_IF_OPENMP(M, __VA_ARGS__)              \
  TESSERA_IF_THREADS(M, __VA_ARGS__)             \
  TESSERA_IF_CUDA(M, __VA_ARGS__)                \
  TESSERA_IF_HIP(M, __VA_ARGS__)                 \
  TESSERA_IF_SYCL(M, __VA_ARGS__)
