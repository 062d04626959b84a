// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "Policy.hpp"
#include "fragments/Layout.hpp"
#include "fragments/TileProduct.cuh"
#include "ptx/Memory.cuh"

namespace Tessera::Impl::Cuda {

/// A block of FP64 or FP32 values and its rows of X: their places in shared memory, and a lane's part of their product.
/// Operands are swapped (FragmentLayout). A block of 16 rows is treated as two blocks of 8, one above the other.
template <class Kind, class Policy>
struct BcsrTile {
  using Operand = typename Kind::Operand;
  using Scalar = Operand;  // type of the sums
  using Layout = FragmentLayout<Operand, Policy::columns>;

  static constexpr int strips = Kind::height / 8;
  static constexpr int steps = Kind::width / 4;  // number of rows of X of which a lane holds a part

  // Shared memory in units of 16 bytes: the block, then the rows of X. Because rows are padded, lanes that the hardware
  // serves at the same time read from different banks.
  static constexpr int unit_operands = 16 / static_cast<int>(sizeof(Operand));
  static constexpr int a_units = Kind::height * Kind::width / unit_operands;
  static constexpr int row_units = Policy::columns / unit_operands;
  static constexpr int row_stride = row_units + (Kind::width == 4 ? 2 : 1);
  static constexpr int units = a_units + Kind::width * row_stride;
  static __device__ __forceinline__ int a_place(int unit) { return unit; }
  static __device__ __forceinline__ int x_place(int row, int unit) { return a_units + row * row_stride + unit; }

  /// A lane holds these rows and columns of the result. Groups of `vector` columns are adjacent.
  static constexpr int result_rows = 2 * strips;
  static constexpr int result_columns = Layout::lane_columns;
  static constexpr int vector = Layout::vector;
  using Sums = Scalar[strips][Layout::products][4];
  static __device__ __forceinline__ int row(int lane, int p) { return p / 2 * 8 + Layout::result_row(lane, p % 2); }
  static __device__ __forceinline__ int column(int lane, int q) { return Layout::column(lane, q); }
  template <class AnySums>
  static __device__ __forceinline__ auto& at(AnySums& sums, int p, int q) {
    return sums[p / 2][q / 2][Layout::result(q, p % 2)];
  }

  struct Fragments {
    alignas(16) Operand x[2][Layout::lane_columns];
    alignas(16) Operand a[strips][2];
  };

  static __device__ __forceinline__ void load(const uint4* stage, int lane, Fragments& fragments) {
    const auto* a = reinterpret_cast<const Operand*>(stage);
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      const int x_row = steps == 1 ? lane % 4 : Layout::tile_column(lane, i);
      const auto* x = reinterpret_cast<const Operand*>(stage + x_place(x_row, 0));
#pragma unroll
      for (int q = 0; q < Layout::lane_columns; q += Layout::vector) {
        copy_vector<Layout::vector>(x + Layout::column(lane, q), &fragments.x[i][q]);
      }
    }
#pragma unroll
    for (int s = 0; s < strips; ++s) copy_vector<steps>(a + s * 8 * Kind::width + steps * lane, fragments.a[s]);
  }

  static __device__ __forceinline__ void add(const Fragments& fragments, Sums& sums) {
#pragma unroll
    for (int s = 0; s < strips; ++s) {
      if constexpr (steps == 1) {
#pragma unroll
        for (int m = 0; m < Layout::products; ++m) {
          mma_m16n8k4(sums[s][m], {fragments.x[0][2 * m], fragments.x[0][2 * m + 1]}, fragments.a[s][0]);
        }
      } else {
        using Product = TileProduct<Kind::precision>;
        const auto right = Product::operand(fragments.a[s]);
#pragma unroll
        for (int m = 0; m < Layout::products; ++m) {
          Operand left[4];
          Layout::left_operand(fragments.x, m, left);
          Product::add(sums[s][m], Product::operand(left), right);
        }
      }
    }
  }

 private:
  template <int n>
  static __device__ __forceinline__ void copy_vector(const Operand* from, Operand* to) {
    *reinterpret_cast<vector_of_t<Operand, n>*>(to) = *reinterpret_cast<const vector_of_t<Operand, n>*>(from);
  }
};

}  // namespace Tessera::Impl::Cuda
