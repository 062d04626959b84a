// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../epilogue/Arithmetic.cuh"
#include "../ptx/Access.cuh"
#include "Arguments.hpp"

namespace Tessera::Cuda {

/// Adjacent columns of a row of X: 16 bytes. `aligned`: rows are read 16 bytes at a time, and may be up to the end of
/// the last 16 of them; otherwise element by element, with any strides, and columns beyond those of X are 0.
template <bool aligned, class Arguments>
__device__ __forceinline__ auto load_x(const Arguments& arguments, Ordinal row, Ordinal column) {
  const auto& x = arguments.product.x;
  using Lane = Vector<std::remove_const_t<std::remove_pointer_t<decltype(x.data)>>, true>;
  if constexpr (aligned) {
    return load_vector<true>(static_cast<decltype(x.data)>(
        stepped(x.data + column, static_cast<std::uint32_t>(row), arguments.x_row_bytes)));
  } else {
    Lane lane;
#pragma unroll
    for (int e = 0; e < Lane::size; ++e) lane.at[e] = column + e < x.columns ? load_reused(&x(row, column + e)) : 0;
    return lane;
  }
}

/// a x, element by element.
template <class Scalar>
__device__ __forceinline__ Vector<Scalar, true> scaled(Scalar a, const Vector<Scalar, true>& x) {
  Vector<Scalar, true> product;
#pragma unroll
  for (int e = 0; e < Vector<Scalar, true>::size; ++e) product.at[e] = multiplied(a, x.at[e]);
  return product;
}

/// The sum of a slot, as much of it as a vector holds.
template <class Arguments, class Lane>
__device__ __forceinline__ void store_slot(const Arguments& arguments, std::ptrdiff_t slot, Ordinal column,
                                           const Lane& sums) {
  store_vector(arguments.partials + slot * arguments.partials_stride + column, sums);
}

/// The elements of a group.
template <class Offset>
struct GroupElements {
  Offset first;
  int count;
};

template <class Offset, class MatrixScalar, class Scalar>
__device__ __forceinline__ GroupElements<Offset> group_elements(
    const SortedColumnsArguments<Offset, MatrixScalar, Scalar>& arguments, Offset group) {
  const auto most = static_cast<Offset>(arguments.schedule.group_steps) * static_cast<Offset>(arguments.A.width);
  const Offset first = group * most, left = arguments.A.regular - first;
  return {first, static_cast<int>(left < most ? left : most)};
}

/// The column of A that a group's element is in: threads with adjacent elements read adjacent positions.
template <class Offset, class MatrixScalar, class Scalar>
__device__ __forceinline__ Ordinal
column_of_element(const SortedColumnsArguments<Offset, MatrixScalar, Scalar>& arguments, Offset group, int element) {
  const int step = element / arguments.A.width;
  const Ordinal first = __ldg(arguments.schedule.step_positions +
                              group * static_cast<Offset>(arguments.schedule.group_steps) + static_cast<Offset>(step));
  return __ldg(arguments.A.column_order + first + (element - step * arguments.A.width));
}

}  // namespace Tessera::Cuda
