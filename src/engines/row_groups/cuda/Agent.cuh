// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Product.hpp>

#include "epilogue/Arithmetic.cuh"
#include "epilogue/Epilogue.cuh"
#include "launch/Launch.cuh"
#include "ptx/Load.cuh"
#include "ptx/Memory.cuh"
#include "row_groups/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {

/// Arguments of the kernel. Rows of X are whole vectors. 16-bit X and Y have values and sums of float.
template <class InMemory>
struct RowGroupsArguments {
  using Scalar = sum_of_t<InMemory>;

  RowGroupsSchedule schedule;
  const Ordinal* group_columns;
  const std::uint8_t* column_masks;
  Product<Scalar, InMemory> product;
  std::uint32_t x_row_bytes = 0;       // stride of the rows of X
  bool y_vectors = false;              // whether rows of Y are whole vectors, too
  Scalar* partials = nullptr;          // sums of pieces, slot_rows rows per slot
  std::ptrdiff_t partials_stride = 0;  // stride of the rows of partials, in elements
  unsigned slab_blocks = 0;            // number of thread blocks for each slab of columns
};

/// Multiplies an item in a lane: sums of up to four rows, for the lane's vectors of columns. Lanes exchange no data.
///
/// Each height has its own loop, which uses all its sums. A single loop for all heights was slower by a third.
template <class Policy, class InMemory>
class RowGroupsAgent {
  using Arguments = RowGroupsArguments<InMemory>;
  using Scalar = typename Arguments::Scalar;
  using Values = Vector<Scalar, true>;
  using Lane = Vector<InMemory, true>;
  using Sum = Vector<Scalar, true, InMemory>;
  static constexpr int lanes = Policy::lanes, vectors = Policy::vectors;

 public:
  __device__ RowGroupsAgent(const Arguments& arguments, int slab, int lane)
      : arguments_(arguments),
        first_column_((slab * lanes * vectors + lane) * Lane::size),
        x_(arguments.product.x.data + first_column_) {}

  /// Multiplies an item, unless the lane's columns are beyond X. Only a lane with one vector can have such columns.
  __device__ void run(const RowGroupItem& item) const {
    if (first_column_ >= arguments_.product.y.columns) return;
    switch (item.height()) {
      case 1:
        return multiply<1>(item);
      case 2:
        return multiply<2>(item);
      case 3:
        return multiply<3>(item);
      default:
        return multiply<4>(item);
    }
  }

 private:
  template <int height>
  struct Sums {
    Sum of[height][vectors];
  };

  __device__ Ordinal column(int v) const { return first_column_ + v * lanes * Lane::size; }

  template <int height>
  __device__ void multiply(const RowGroupItem& item) const {
    Sums<height> sums;
    add_columns<height, false>(item, sums);
    if (!are_finite(sums)) add_columns<height, true>(item, sums);
    let_next_kernel_begin();
    store(item, sums);
  }

  /// Adds all columns of an item.
  ///
  /// \tparam masked  whether places without an entry are skipped
  template <int height, bool masked>
  __device__ void add_columns(const RowGroupItem& item, Sums<height>& sums) const {
    for (auto& row : sums.of)
      for (Sum& lane : row) lane = Sum{};
    const auto* columns = reinterpret_cast<const uint4*>(arguments_.group_columns) + item.first_columns;
    const auto* masks = reinterpret_cast<const std::uint32_t*>(arguments_.column_masks) + item.first_columns;
    const Scalar* values = arguments_.product.values + std::size_t(item.first_values) * 4;
    const int fours = item.fours();
    if (fours == 0) return;
    uint4 next = load_now_16(columns);
#pragma unroll 1
    for (int f = 0; f < fours; ++f) {
      const uint4 four = next;
      if (f + 1 < fours) next = load_now_16(columns + f + 1);
      add_four<height>(four, masked ? masks[f] : ~0u, values, sums);
      values += 4 * height;
    }
  }

  /// Adds four columns, whose values begin at `values`. The mask of column c is byte c of `masks`.
  template <int height>
  __device__ __forceinline__ void add_four(const uint4& four, std::uint32_t masks, const Scalar* values,
                                           Sums<height>& sums) const {
    const std::uint32_t rows[4] = {four.x, four.y, four.z, four.w};
    Lane x[4][vectors];
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const auto* row = static_cast<const InMemory*>(stepped(x_, rows[c], arguments_.x_row_bytes));
#pragma unroll
      for (int v = 0; v < vectors; ++v) x[c][v] = load_vector<true>(row + v * lanes * Lane::size);
    }
    Scalar a[4 * height];
#pragma unroll
    for (int i = 0; i < 4 * height; i += Values::size) {
      const Values some = load_vector<true>(values + i);
#pragma unroll
      for (int e = 0; e < Values::size; ++e) a[i + e] = value_of_entry(some.at[e]);
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
#pragma unroll
      for (int r = 0; r < height; ++r) {
        if ((masks >> (8 * c + r) & 1u) == 0) continue;
#pragma unroll
        for (int v = 0; v < vectors; ++v) add(a[c * height + r], x[c][v], sums.of[r][v]);
      }
    }
  }

  static __device__ __forceinline__ void add(Scalar a, const Lane& x, Sum& sum) {
#pragma unroll
    for (int e = 0; e < Lane::size; ++e) sum.at[e] = fused(a, Scalar(x.at[e]), sum.at[e]);
  }

  __device__ __forceinline__ Scalar value_of_entry(Scalar value) const {
    if constexpr (is_complex_v<Scalar>) return arguments_.product.conjugate_values ? conjugate(value) : value;
    return value;
  }

  /// Whether all sums are finite. A value of zero adds zero to a sum only if the element of X is finite.
  template <int height>
  static __device__ bool are_finite(const Sums<height>& sums) {
    real_of_t<Scalar> zeros = 0;
#pragma unroll
    for (int r = 0; r < height; ++r) {
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) zeros += zero_times(sums.of[r][v].at[e]);
      }
    }
    return zeros == 0;
  }
  template <class Real>
  static __device__ Real zero_times(Real sum) {
    return Real(0) * sum;
  }
  template <class Real>
  static __device__ Real zero_times(const Complex<Real>& sum) {
    return Real(0) * sum.re + Real(0) * sum.im;
  }

  template <int height>
  __device__ void store(const RowGroupItem& item, const Sums<height>& sums) const {
#pragma unroll
    for (int r = 0; r < height; ++r) {
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        item.is_whole() ? store_row(item.target + r, column(v), sums.of[r][v])
                        : store_vector(slot_row(item.slot(), r) + column(v), sums.of[r][v]);
      }
    }
  }

  __device__ Scalar* slot_row(int slot, int r) const {
    return arguments_.partials + (std::size_t(slot) * RowGroupsSchedule::slot_rows + r) * arguments_.partials_stride;
  }

  __device__ void store_row(Ordinal row, Ordinal first, const Sum& sum) const {
    const auto& product = arguments_.product;
    if (arguments_.y_vectors)
      return store_sums(product, product.y.data + row_of_y(product, row) * product.y.row_stride + first, sum);
#pragma unroll
    for (int e = 0; e < Lane::size; ++e) {
      if (first + e < product.y.columns) store_element(product, row, first + e, sum.at[e]);
    }
  }

  const Arguments& arguments_;
  const Ordinal first_column_;
  const InMemory* const x_;
};

}  // namespace Tessera::Impl::Cuda
