// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../launch/Launch.cuh"
#include "X.cuh"

namespace Tessera::Cuda {

/// A block of threads that multiplies a group of steps with a chunk of the columns of X, row-major and aligned. Sums
/// stay in registers.
///
/// Threads read the elements of a group side by side, whose columns are known from their step, and put each at its
/// place by rows in shared memory. Then some lanes sum a segment, each a vector of columns.
template <class Policy, class Offset, class MatrixScalar, class Scalar>
class SortedColumnsSegments {
 public:
  using Arguments = SortedColumnsArguments<Offset, MatrixScalar, Scalar>;

  __device__ SortedColumnsSegments(const Arguments& arguments, unsigned chunk)
      : arguments_(arguments),
        column_((static_cast<int>(chunk) * Policy::lanes + static_cast<int>(threadIdx.x) % Policy::lanes) *
                Lane::size) {}

  /// Elements, and where their segments end.
  static std::size_t shared_bytes(int group_elements) {
    return std::size_t(group_elements) * (sizeof(Element) + sizeof(std::uint16_t));
  }

  __device__ void multiply_group(Offset group) const {
    const int all = arguments_.schedule.group_steps * arguments_.A.width;
    auto* const elements = reinterpret_cast<Element*>(dynamic_memory());
    auto* const ends = reinterpret_cast<std::uint16_t*>(elements + all);
    const Offset first = arguments_.schedule.group_segments[group];
    const auto segments = static_cast<int>(arguments_.schedule.group_segments[group + 1] - first);
    sort_elements(group, elements);
    for (int s = static_cast<int>(threadIdx.x); s < segments; s += Policy::threads) {
      ends[s] = __ldg(arguments_.schedule.segment_ends + first + static_cast<Offset>(s));
    }
    __syncthreads();
    if (column_ < arguments_.product.x.columns) {
      sum_segments(elements, ends, first, segments);
    }
  }

 private:
  using Lane = Vector<Scalar, true>;

  struct alignas(2 * sizeof(Scalar)) Element {
    Scalar value;
    Ordinal column;
  };

  /// Puts the elements of a group where they are in the order of their rows.
  __device__ void sort_elements(Offset group, Element* elements) const {
    const GroupElements<Offset> stored = group_elements(arguments_, group);
    const MatrixScalar* const values = arguments_.product.values + stored.first;
    const std::uint16_t* const places = arguments_.schedule.places + stored.first;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < stored.count; i += Policy::threads) {
      elements[__ldg(places + i)] = {static_cast<Scalar>(__ldg(values + i)), column_of_element(arguments_, group, i)};
    }
  }

  /// \param first  of the segments of the group
  __device__ void sum_segments(const Element* elements, const std::uint16_t* ends, Offset first, int segments) const {
#pragma unroll 1
    for (int s = static_cast<int>(threadIdx.x) / Policy::lanes; s < segments; s += Policy::threads / Policy::lanes) {
      const int begin = s == 0 ? 0 : ends[s - 1];
      const Lane sums = sum(elements + begin, ends[s] - begin);
      store_slot(arguments_, static_cast<std::ptrdiff_t>(first) + s, column_, sums);
    }
  }

  __device__ Lane sum(const Element* elements, int count) const {
    Lane total = {};
#pragma unroll 1
    for (int i = 0; i < count; i += Policy::unroll) {
      Lane x[Policy::unroll];
#pragma unroll
      for (int u = 0; u < Policy::unroll; ++u) {
        if (i + u < count) x[u] = load_x<true>(arguments_, elements[i + u].column, column_);
      }
#pragma unroll
      for (int u = 0; u < Policy::unroll; ++u) {
        if (i + u >= count) continue;
        const Scalar a = elements[i + u].value;
#pragma unroll
        for (int e = 0; e < Lane::size; ++e) total.at[e] = fused(a, x[u].at[e], total.at[e]);
      }
    }
    return total;
  }

  const Arguments& arguments_;
  const Ordinal column_;
};

}  // namespace Tessera::Cuda
