// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../launch/Launch.cuh"
#include "X.cuh"

namespace Tessera::Cuda {

/// A block of threads that multiplies a group of steps with a chunk of the columns of X, as in the paper's Algorithm 2:
/// threads keep elements of A, multiply them with a vector of columns of X after the other, put the products at their
/// places by rows in shared memory, and then each sums some segments.
///
/// Threads with adjacent elements read rows of X that are adjacent where column_order is: that suits column-major X.
///
/// most_elements  of a thread
/// aligned        X is row-major, and read 16 bytes at a time
template <class Policy, int most_elements, bool aligned, class Offset, class MatrixScalar, class Scalar>
class SortedColumnsElements {
 public:
  using Arguments = SortedColumnsArguments<Offset, MatrixScalar, Scalar>;

  __device__ SortedColumnsElements(const Arguments& arguments, unsigned chunk)
      : arguments_(arguments), first_column_(static_cast<int>(chunk) * Policy::lanes * Lane::size) {}

  static std::size_t shared_bytes(int group_elements) { return std::size_t(group_elements) * sizeof(Lane); }

  __device__ void multiply_group(Offset group) {
    auto* const products = reinterpret_cast<Lane*>(dynamic_memory());
    load_elements(group);
    const Offset first = arguments_.schedule.group_segments[group];
    const auto segments = static_cast<int>(arguments_.schedule.group_segments[group + 1] - first);
    const int last_column = min(first_column_ + Policy::lanes * Lane::size, arguments_.product.x.columns);
#pragma unroll 1
    for (int column = first_column_; column < last_column; column += Lane::size) {
      store_products(column, products);
      __syncthreads();
      for (int s = static_cast<int>(threadIdx.x); s < segments; s += Policy::threads) {
        store_sum(first + static_cast<Offset>(s), s, column, products);
      }
      __syncthreads();
    }
  }

 private:
  using Lane = Vector<Scalar, true>;

  __device__ void load_elements(Offset group) {
    const GroupElements<Offset> stored = group_elements(arguments_, group);
#pragma unroll
    for (int k = 0; k < most_elements; ++k) {
      const int i = static_cast<int>(threadIdx.x) + k * Policy::threads;
      places_[k] = -1;
      if (i >= stored.count) continue;
      places_[k] = __ldg(arguments_.schedule.places + stored.first + static_cast<Offset>(i));
      values_[k] = static_cast<Scalar>(__ldg(arguments_.product.values + stored.first + static_cast<Offset>(i)));
      columns_[k] = column_of_element(arguments_, group, i);
    }
  }

  __device__ void store_products(Ordinal column, Lane* products) const {
    Lane x[most_elements];
#pragma unroll
    for (int k = 0; k < most_elements; ++k) {
      if (places_[k] >= 0) x[k] = load_x<aligned>(arguments_, columns_[k], column);
    }
#pragma unroll
    for (int k = 0; k < most_elements; ++k) {
      if (places_[k] >= 0) products[places_[k]] = scaled(values_[k], x[k]);
    }
  }

  /// \param segment  of all
  /// \param s        the same in its group
  __device__ void store_sum(Offset segment, int s, Ordinal column, const Lane* products) const {
    const std::uint16_t* const end = arguments_.schedule.segment_ends + segment;
    int place = s == 0 ? 0 : __ldg(end - 1);
    Lane total = products[place];
    for (++place; place < __ldg(end); ++place) {
      const Lane product = products[place];
#pragma unroll
      for (int e = 0; e < Lane::size; ++e) total.at[e] += product.at[e];
    }
    store_slot(arguments_, static_cast<std::ptrdiff_t>(segment), column, total);
  }

  const Arguments& arguments_;
  const Ordinal first_column_;
  int places_[most_elements];  // -1: there is no such element
  Scalar values_[most_elements];
  Ordinal columns_[most_elements];
};

}  // namespace Tessera::Cuda
