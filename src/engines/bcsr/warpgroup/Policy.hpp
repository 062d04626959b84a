// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/Format.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <type_traits>

#include "Panels.hpp"
#include "ptx/Warpgroup.cuh"

namespace Tessera::Impl::Cuda {

/// How a thread block multiplies a panel by a slab of columns.
///
/// tiles    number of m64 tiles of X^T that a warpgroup multiplies: it has 64 columns in each
/// buffers  number of strips that the ring in shared memory holds
template <Precision precision_, int tiles_, int buffers_>
struct WarpgroupPolicy {
  static constexpr Precision precision = precision_;
  static constexpr int tiles = tiles_;
  static constexpr int buffers = buffers_;

  static constexpr int groups = 2;                ///< warpgroups, each with its own columns of X
  static constexpr int consumers = 128 * groups;  ///< threads that multiply
  static constexpr int producers = 128;           ///< threads that copy
  static constexpr int threads = consumers + producers;
  /// Registers of a thread. Threads that copy give registers to those that multiply.
  static constexpr int producer_registers = 40, consumer_registers = 232;
  static constexpr int freeing_lanes = 1;              ///< lanes of a warp that free a buffer (RingBarriers)
  static constexpr int columns = 64 * tiles * groups;  ///< columns of a slab

  static constexpr bool half = is_half(precision);
  static constexpr bool split = precision == Precision::Tf32x3;  ///< whether values are sums of two TF32 numbers
  /// The type of elements of blocks and of rows of X. 16-bit numbers are stored as bits.
  using Operand = std::conditional_t<half, std::uint16_t, float>;

  // A strip is the columns of a block that fit in a line, and their rows of X.
  static constexpr int strip_columns = line_bytes / static_cast<int>(sizeof(Operand));
  static constexpr int strips = square_side / strip_columns;  ///< of a block
  static constexpr int strip_bytes = square_side * line_bytes;
  static constexpr int parts = split ? 2 : 1;  ///< of a value

  // Rows of X are padded, so lanes that the hardware serves at the same time read from different banks.
  static constexpr int x_stride = columns + 8;
  static constexpr int x_bytes = strip_columns * x_stride * static_cast<int>(sizeof(Operand));
  static constexpr int buffer_bytes = parts * panel_blocks * strip_bytes + x_bytes;
  static_assert(x_bytes % atom_bytes == 0);
  /// Shared memory: barriers, buffers, and what aligning them may take.
  static constexpr int shared_bytes = 2 * atom_bytes + buffers * buffer_bytes;
};

/// The policies of products, the fastest on an H200: for up to 128 columns of X, and for more.
template <Precision precision>
struct TunedWarpgroupPolicies {
  using Narrow = WarpgroupPolicy<precision, 1, 6>;
  using Wide = WarpgroupPolicy<precision, 2, 4>;
};
template <>
struct TunedWarpgroupPolicies<Precision::Tf32x3> {
  using Narrow = WarpgroupPolicy<Precision::Tf32x3, 1, 4>;
  using Wide = Narrow;
};

}  // namespace Tessera::Impl::Cuda
