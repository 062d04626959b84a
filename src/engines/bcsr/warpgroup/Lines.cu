// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/Half.hpp>

#include "Policy.hpp"
#include "bcsr/warpgroup/Spmm.hpp"
#include "launch/Launch.cuh"
#include "launch/Operands.hpp"

namespace Tessera::Impl::Cuda {
namespace {

constexpr int block_threads = 256;

/// Writes 16 bytes of the lines in each thread, and those of the small parts.
template <Precision precision>
__global__ void arrange_lines_kernel(std::size_t units, const float* values, std::byte* lines,
                                     const std::uint32_t* wanted) {
  using Policy = WarpgroupPolicy<precision, 1, 1>;
  constexpr int operands = 16 / static_cast<int>(sizeof(typename Policy::Operand));
  constexpr int row_units = square_side / operands, line_units = line_bytes / 16;
  if (wanted != nullptr && *wanted == 0) return;
  const std::size_t index = std::size_t(blockIdx.x) * block_threads + threadIdx.x;
  if (index >= units) return;
  const int unit = static_cast<int>(index % row_units), row = static_cast<int>(index / row_units % square_side);
  const std::size_t strip = index / (row_units * square_side) * Policy::strips + unit / line_units;
  std::byte* const to =
      lines + strip * Policy::parts * Policy::strip_bytes + swizzled_byte(row, unit % line_units * 16);
  alignas(16) typename Policy::Operand big[operands], small[operands];
#pragma unroll
  for (int i = 0; i < operands; ++i) {
    const float value = values[index * operands + i];
    if constexpr (Policy::half) {
      big[i] = precision == Precision::Fp16 ? Half(value).bits : BFloat16(value).bits;
    } else {
      big[i] = __uint_as_float(to_tf32(value));
      if constexpr (Policy::split) small[i] = value - big[i];
    }
  }
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(big);
  if constexpr (Policy::split) {
    *reinterpret_cast<uint4*>(to + Policy::strip_bytes) = *reinterpret_cast<const uint4*>(small);
  }
}

}  // namespace

void arrange_lines(Stream stream, Precision precision, std::size_t blocks, const float* values, std::byte* lines,
                   const std::uint32_t* wanted) {
  if (blocks == 0) return;
  for_precision<float, true>("arrange_lines", precision, [&]<Precision p>() {
    constexpr std::size_t operands = 16 / sizeof(typename WarpgroupPolicy<p, 1, 1>::Operand);
    const std::size_t units = blocks * square_side * square_side / operands;
    launch("arrange_lines", &arrange_lines_kernel<p>, blocks_for(units, block_threads), block_threads, 0, stream, units,
           values, lines, wanted);
  });
}

}  // namespace Tessera::Impl::Cuda
