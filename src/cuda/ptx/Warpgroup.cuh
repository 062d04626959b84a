// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/Format.hpp>
#include <tessera/common/Types.hpp>

#include "Mma.cuh"

// Products by a warpgroup, four adjacent warps, D += A B, with the instruction wgmma (compute capability 9.0a). A has
// 64 rows and 32 bytes of elements a row: 8 TF32 or 16 FP16 or BF16. Warp w of the group holds its rows 16 w, ..., 16 w
// + 15 in registers, as m16n8k8 and m16n8k16 do (Mma.cuh). B has 128 columns and is in shared memory, column by column.
// D is FP32:
//
//   d[4 j + i]  is the element (16 w + g + 8 (i / 2), 8 j + 2 t + i % 2)      j = 0..15, i = 0..3
//
// Columns of B are lines of 128 bytes, four operands. Eight lines are a swizzled atom of 1024 bytes: unit u (16 bytes)
// of line n is at unit u ^ (n % 8). Atoms begin at multiples of 1024 bytes.
//
// The instruction runs while the warps continue. Before it: warpgroup_fence(), after registers were written. After it:
// warpgroup_commit(), and warpgroup_wait<n>() until all but the last n commits have ended; then registers and shared
// memory may be changed, and d may be read.
//
// On any other architecture each warp computes its rows with mma.sync at once.
namespace Tessera::Impl::Cuda {

/// Bytes of a line of B, and of an atom of eight lines.
inline constexpr int line_bytes = 128, atom_bytes = 8 * line_bytes;
/// Number of operands, of 32 bytes each, in a line.
inline constexpr int line_operands = 4;

/// Returns the offset of byte `byte` of line n in swizzled memory.
TESSERA_FUNCTION constexpr int swizzled_byte(int n, int byte) {
  return n / 8 * atom_bytes + n % 8 * line_bytes + ((byte / 16) ^ (n % 8)) * 16 + byte % 16;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ __forceinline__ void warpgroup_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void warpgroup_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int pending>
__device__ __forceinline__ void warpgroup_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/// Changes the number of registers of each thread of the warpgroup. The kernel's launch bounds leave enough of them.
template <int registers>
__device__ __forceinline__ void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

/// The lines of B as the instruction expects them: address, 1024 bytes from atom to atom, swizzle of 128 bytes.
__device__ __forceinline__ std::uint64_t lines_of(const std::byte* shared) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  return std::uint64_t(address >> 4) | std::uint64_t(1) << 16 | std::uint64_t(atom_bytes / 16) << 32 |
         std::uint64_t(1) << 62;
}

#define TESSERA_WGMMA(types, tail)                                                                                     \
  asm volatile("{ .reg .pred add; setp.ne.b32 add, %69, 0; wgmma.mma_async.sync.aligned.m64n128" types                 \
               " {"                                                                                                    \
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                \
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                      \
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                      \
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"                        \
               "}, {%64, %65, %66, %67}, %68, add, 1, 1" tail "; }"                                                    \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),       \
                 "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), \
                 "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),            \
                 "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),            \
                 "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]),            \
                 "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),            \
                 "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]),            \
                 "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]),            \
                 "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])                          \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(lines_of(b)), "r"(add ? 1 : 0)                        \
               : "memory")

/// Adds A B to the sums, for 128 columns of B; without `add`, the sums are A B.
template <Precision precision>
__device__ __forceinline__ void warpgroup_product(float (&d)[64], const std::uint32_t (&a)[4], const std::byte* b,
                                                  bool add = true) {
  if constexpr (precision == Precision::Fp16) {
    TESSERA_WGMMA("k16.f32.f16.f16", ", 0");
  } else if constexpr (precision == Precision::Bf16) {
    TESSERA_WGMMA("k16.f32.bf16.bf16", ", 0");
  } else {
    TESSERA_WGMMA("k8.f32.tf32.tf32", "");
  }
}
#undef TESSERA_WGMMA

#else

template <int registers>
__device__ __forceinline__ void release_registers() {}
template <int registers>
__device__ __forceinline__ void take_registers() {}
__device__ __forceinline__ void warpgroup_fence() {}
__device__ __forceinline__ void warpgroup_commit() {}
template <int pending>
__device__ __forceinline__ void warpgroup_wait() {}

template <Precision precision>
__device__ __forceinline__ void warpgroup_product(float (&d)[64], const std::uint32_t (&a)[4], const std::byte* b,
                                                  bool add = true) {
  const int g = static_cast<int>(threadIdx.x) % 32 / 4, t = static_cast<int>(threadIdx.x) % 4;
  const auto offset = static_cast<int>(reinterpret_cast<std::uintptr_t>(b) % line_bytes);  // of the operand
  for (int j = 0; j < 16; ++j) {
    std::uint32_t right[2];
    for (int i = 0; i < 2; ++i) {
      const int place = swizzled_byte(8 * j + g, offset + 4 * t + 16 * i);
      right[i] = *reinterpret_cast<const std::uint32_t*>(b - offset + place);
    }
    float sums[4];
    for (int i = 0; i < 4; ++i) sums[i] = add ? d[4 * j + i] : 0.f;
    if constexpr (precision == Precision::Fp16) {
      mma_m16n8k16_fp16(sums, a, right);
    } else if constexpr (precision == Precision::Bf16) {
      mma_m16n8k16_bf16(sums, a, right);
    } else {
      mma_m16n8k8_tf32(sums, a, right);
    }
    for (int i = 0; i < 4; ++i) d[4 * j + i] = sums[i];
  }
}

#endif

}  // namespace Tessera::Impl::Cuda
