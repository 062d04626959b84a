// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "Arguments.cuh"
#include "epilogue/Epilogue.cuh"
#include "fragments/TileProduct.cuh"
#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// A warp of a warpgroup that multiplies strips. X^T is the left operand, which a lane holds in registers, and the
/// blocks are the right operand, in shared memory.
template <class Policy>
class WarpgroupConsumer {
 public:
  using Operand = typename Policy::Operand;
  using Arguments = WarpgroupArguments<Operand>;
  static constexpr int tiles = Policy::tiles;
  static constexpr int warp_columns = 16 * tiles;
  using Sums = float[tiles][panel_rows / 2];

  __device__ __forceinline__ WarpgroupConsumer(const Arguments& arguments, const WarpgroupBuffers<Policy>& buffers,
                                               int warp, int lane)
      : arguments_(arguments), buffers_(buffers), warp_column_(warp * warp_columns), lane_(lane) {}

  __device__ __forceinline__ void run(const CondensedItem& item, int first_column) {
    Sums sums = {};
    const int strips = item.tiles * Policy::strips;
    Left first;
    if (strips > 0) load_first(first);
#pragma unroll 1
    for (int i = 0; i < strips; ++i) multiply(first, i + 1 < strips, sums);
    Epilogue<Fragment, Arguments>(arguments_, lane_, first_column + warp_column_).finish(item, sums);
  }

 private:
  /// The sums of a panel that a lane holds (see Epilogue).
  struct Fragment {
    using Sum = float;
    static constexpr int rows = panel_rows / 4, columns = 2 * tiles, window_rows = panel_rows;
    static constexpr int vector = Policy::half ? 1 : columns;
    static constexpr bool is_whole = false, has_rest = true, reads_ahead = false;

    static __device__ __forceinline__ int row(int lane, int p) { return p / 2 * 8 + 2 * (lane % 4) + p % 2; }
    static __device__ __forceinline__ int column(int lane, int q) { return column_of(lane, q); }
    template <class AnySums>
    static __device__ __forceinline__ auto& at(AnySums& sums, int p, int q) {
      if constexpr (requires { sums.at; }) {
        return sums.at[p][q];
      } else {
        return sums[q / 2][p / 2 * 4 + q % 2 * 2 + p % 2];
      }
    }

    /// Returns a sum of entries, computed in the caller's precision.
    static __device__ __forceinline__ float sum_entries(const Arguments& arguments, const CondensedItem& item, int row,
                                                        int column) {
      const BcsrPattern& A = arguments.A;
      const Product<float, float>& product = arguments.product;
      float sum = 0;
      const auto all = static_cast<int>(A.block_offsets[A.windows()]);
      for (Offset i = item.first_tile; i < item.first_tile + static_cast<Offset>(item.tiles); ++i) {
        const int block = arguments.steps[i].blocks[row / square_side], r = row % square_side;
        if (block == all) continue;
        const std::size_t first_place = std::size_t(block) * A.block.size() + r * A.block.width;
        const Ordinal first = arguments.steps[i].column * square_side;
        for (std::uint64_t bits = bcsr_row_bits(A, std::size_t(block), r); bits != 0; bits &= bits - 1) {
          const int c = lowest_bit(bits);
          const Ordinal x_row = product.x_rows == nullptr ? first + c : product.x_rows[first + c];
          sum += product.values[first_place + c] * product.x(x_row, column);
        }
      }
      return sum;
    }
  };

  // The column of the warp's part of a slab that is row lane / 4 + 8 (q % 2) of tile q / 2 of X^T. A lane's columns of
  // X are adjacent if they have 32 bits; ldmatrix reads 16 bits in an order of its own.
  static __device__ __forceinline__ int column_of(int lane, int q) {
    return Policy::half ? 8 * q + lane / 4 : 2 * tiles * (lane / 4) + q;
  }

  // The left operands of an instruction for each tile.
  struct Left {
    std::uint32_t at[tiles][4];
    std::uint32_t small[Policy::split ? tiles : 1][4];  // at + small is the number, if values are split
  };

  // Waits for a strip and loads its first operands.
  __device__ __forceinline__ void load_first(Left& first) const {
    mbarrier_wait(buffers_.full(place_.buffer), place_.parity);
    load(0, first);
  }

  // Multiplies a strip, whose first operands are loaded, and loads the first ones of the next. Operands are loaded
  // while the tensor core multiplies earlier ones.
  __device__ __forceinline__ void multiply(Left& first, bool has_next, Sums& sums) {
    const int buffer = place_.buffer;
    Left left[2] = {first};
    float strip[Policy::split ? panel_rows / 2 : 1];
#pragma unroll
    for (int k = 0; k < line_operands; ++k) {
      warpgroup_fence();
      if constexpr (Policy::split) {
        add_split(k, left[k % 2], strip);
      } else {
#pragma unroll
        for (int tile = 0; tile < tiles; ++tile) {
          warpgroup_product<Policy::precision>(sums[tile], left[k % 2].at[tile], right(0, k));
        }
      }
      warpgroup_commit();
      if (k > 0) warpgroup_wait<1>();
      if (k + 1 < line_operands) load(k + 1, left[(k + 1) % 2]);
    }
    place_.advance();
    if (has_next) load_first(first);
    warpgroup_wait<0>();
    __syncwarp();
    if (lane_ < Policy::freeing_lanes) mbarrier_arrive(buffers_.empty(buffer));
    if constexpr (Policy::split) {
#pragma unroll
      for (int i = 0; i < panel_rows / 2; ++i) sums[0][i] += strip[i];
    }
  }

  // The tensor core does not round its sums to nearest. Therefore it sums only a strip, starting from zero, and strips
  // are added in FP32.
  __device__ __forceinline__ void add_split(int k, const Left& left, float (&strip)[panel_rows / 2]) const {
    static_assert(tiles == 1);
    warpgroup_product<Policy::precision>(strip, left.small[0], right(0, k), k > 0);
    warpgroup_product<Policy::precision>(strip, left.at[0], right(1, k));
    warpgroup_product<Policy::precision>(strip, left.at[0], right(0, k));
  }

  __device__ __forceinline__ const std::byte* right(int part, int k) const {
    return buffers_.lines(place_.buffer, 0, part) + k * (line_bytes / line_operands);
  }

  __device__ __forceinline__ void load(int k, Left& left) const {
    const Operand* const x = buffers_.x(place_.buffer) + warp_column_;
    if constexpr (Policy::half) {
      const int row = 16 * k + lane_ / 16 * 8 + lane_ % 8, column = lane_ / 8 % 2 * 8;
#pragma unroll
      for (int tile = 0; tile < tiles; ++tile) {
        load_matrices_transposed(left.at[tile],
                                 reinterpret_cast<const uint4*>(x + row * Policy::x_stride + column + 16 * tile));
      }
    } else {
      using Vector = vector_of_t<float, 2 * tiles>;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        alignas(16) float part[2 * tiles];
        *reinterpret_cast<Vector*>(part) =
            *reinterpret_cast<const Vector*>(x + (8 * k + 4 * i + lane_ % 4) * Policy::x_stride + column_of(lane_, 0));
#pragma unroll
        for (int q = 0; q < 2 * tiles; ++q) {
          std::uint32_t& at = left.at[q / 2][2 * i + q % 2];
          at = to_tf32(part[q]);
          if constexpr (Policy::split) {
            left.small[q / 2][2 * i + q % 2] = __float_as_uint(part[q] - __uint_as_float(at));
          }
        }
      }
    }
  }

  const Arguments& arguments_;
  WarpgroupBuffers<Policy> buffers_;
  RingPlace<Policy::buffers> place_;
  int warp_column_;  // the first column of the warp in a slab
  int lane_;
};

}  // namespace Tessera::Impl::Cuda
