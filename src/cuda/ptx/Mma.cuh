// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

// Products of small dense matrices by a warp, D += A B, with the instruction mma.sync. All 32 lanes call together.
//
// Fragments. Lane l has g = l / 4 (0..7) and t = l % 4. Element i of a lane's operand is the matrix element
//
//   A  M x K   m8n8k4:    a     (g, t)
//              m16n8k4:   a[i]  (g + 8 i, t)                        i = 0, 1
//              m16n8k8:   a[i]  (g + 8 (i % 2), t + 4 (i / 2))      i = 0..3
//              m16n8k16:  a[i]  (g + 8 (i % 2), t + 4 (i / 2))      i = 0..7
//   B  K x N   every:     b[i]  (t + 4 i, g)                        i = 0..K/4 - 1
//   D  M x N   m8:        d[i]  (g, 2 t + i)                        i = 0, 1
//              m16:       d[i]  (g + 8 (i / 2), 2 t + i % 2)        i = 0..3
//
// FP64 and TF32 have the same fragments. With swapped operands, a lane's b is an element of the transpose of a matrix
// with N rows.
//
// FP64: m8n8k4 needs compute capability 8.0. The others need 9.0 (PTX ISA 7.8); on older GPUs they are composed of
// m8n8k4. Sums are fused multiply-adds in FP64, rounded to nearest, in an undocumented order. TF32: compute capability
// 8.0 (PTX ISA 7.0). Operands are FP32 numbers whose last 13 bits are ignored, so round them first (to_tf32). Products
// are exact. Sums are FP32, but not rounded to nearest.
//
// FP16 and BF16, m16n8k16 and m16n8k8: compute capability 8.0 (PTX ISA 7.0). A register holds two 16-bit elements,
// the first one in the lower half. Fragments of m16n8k16:
//
//   A  16 x 16   a[i]  (g + 8 (i % 2), 2 t + 8 (i / 2)) and the element to its right   i = 0..3
//   B  16 x 8    b[i]  (2 t + 8 i, g) and the element below                            i = 0, 1
//
// Fragments of m16n8k8:
//
//   A  16 x 8    a[i]  (g + 8 i, 2 t) and the element to its right                     i = 0, 1
//   B  8 x 8     b     (2 t, g) and the element below
//
// D is as above, in FP32. Products are exact; sums are not rounded to nearest.

#ifdef TESSERA_CUDA_EMULATED
#include <ptx/Mma.hpp>  // of unit_tests/cuda/emulation
#else

namespace Tessera::Impl::Cuda {

/// FP64, A 8 x 4, B 4 x 8. On compute capability 9.0, half as fast as the larger shapes.
__device__ inline void mma_m8n8k4(double (&d)[2], double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a), "d"(b));
}

/// FP64, A 16 x 4, B 4 x 8.
__device__ inline void mma_m16n8k4(double (&d)[4], const double (&a)[2], double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(b));
#else
  for (int half = 0; half < 2; ++half) {
    double rows[2] = {d[2 * half], d[2 * half + 1]};
    mma_m8n8k4(rows, a[half], b);
    d[2 * half] = rows[0];
    d[2 * half + 1] = rows[1];
  }
#endif
}

/// FP64, A 16 x 8, B 8 x 8.
__device__ inline void mma_m16n8k8(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  mma_m16n8k4(d, {a[0], a[1]}, b[0]);
  mma_m16n8k4(d, {a[2], a[3]}, b[1]);
#endif
}

/// FP64, A 16 x 16, B 16 x 8.
__device__ inline void mma_m16n8k16(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#else
  mma_m16n8k8(d, {a[0], a[1], a[2], a[3]}, {b[0], b[1]});
  mma_m16n8k8(d, {a[4], a[5], a[6], a[7]}, {b[2], b[3]});
#endif
}

/// TF32, A 16 x 4, B 4 x 8, D in FP32.
__device__ inline void mma_m16n8k4_tf32(float (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
  asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}

/// TF32, A 16 x 8, B 8 x 8, D in FP32.
__device__ inline void mma_m16n8k8_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// FP16, A 16 x 8, B 8 x 8, D in FP32.
__device__ inline void mma_m16n8k8_fp16(float (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}

/// BF16, A 16 x 8, B 8 x 8, D in FP32.
__device__ inline void mma_m16n8k8_bf16(float (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
}

/// Returns two numbers rounded to FP16 or BF16, `low` in the lower half. Compute capability 8.0.
__device__ inline std::uint32_t to_fp16_pair(float low, float high) {
  std::uint32_t bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
__device__ inline std::uint32_t to_bf16_pair(float low, float high) {
  std::uint32_t bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}

/// Returns the nearest TF32, ties away from zero: FP32 bits with a fraction of 10 bits. Compute capability 8.0.
__device__ inline std::uint32_t to_tf32(float value) {
  std::uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

/// FP16, A 16 x 16, B 16 x 8, D in FP32.
__device__ inline void mma_m16n8k16_fp16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// BF16, A 16 x 16, B 16 x 8, D in FP32.
__device__ inline void mma_m16n8k16_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Loads four 8 x 8 matrices of 16-bit elements from shared memory (ldmatrix). Lane l gives the address of row l % 8 of
/// matrix l / 8 (16 bytes at a multiple of 16) and gets elements (g, 2 t) and (g, 2 t + 1) of matrix i in r[i].
__device__ inline void load_matrices(std::uint32_t (&r)[4], const void* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

/// Loads the transposes of four 8 x 8 matrices: elements (2 t, g) and (2 t + 1, g).
__device__ inline void load_matrices_transposed(std::uint32_t (&r)[4], const void* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

}  // namespace Tessera::Impl::Cuda

#endif
