// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/common/Complex.hpp>

/// The library is compiled once: these macros list what for.
///
/// TESSERA_FOR_EACH_EXECUTION_SPACE(M, ...) expands M(ExecutionSpace, ...) for every backend that Kokkos enables.
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

/// M(ExecutionSpace, Offset) for both widths of offsets.
#define TESSERA_FOR_EACH_OFFSET(Exec, M) \
  M(Exec, int)                           \
  M(Exec, std::size_t)

/// M(ExecutionSpace, Scalar, Offset) for every type of matrix.
#define TESSERA_FOR_EACH_MATRIX(Exec, M) \
  M(Exec, float, int)                    \
  M(Exec, float, std::size_t)            \
  M(Exec, double, int)                   \
  M(Exec, double, std::size_t)           \
  M(Exec, Complex<float>, int)           \
  M(Exec, Complex<float>, std::size_t)   \
  M(Exec, Complex<double>, int)          \
  M(Exec, Complex<double>, std::size_t)

/// M(ExecutionSpace, MatrixScalar, VectorScalar, Offset) for every pair that may be multiplied.
#define TESSERA_FOR_EACH_PRODUCT(Exec, M)              \
  M(Exec, float, float, int)                           \
  M(Exec, float, float, std::size_t)                   \
  M(Exec, double, double, int)                         \
  M(Exec, double, double, std::size_t)                 \
  M(Exec, float, double, int)                          \
  M(Exec, float, double, std::size_t)                  \
  M(Exec, Complex<float>, Complex<float>, int)         \
  M(Exec, Complex<float>, Complex<float>, std::size_t) \
  M(Exec, Complex<double>, Complex<double>, int)       \
  M(Exec, Complex<double>, Complex<double>, std::size_t)
