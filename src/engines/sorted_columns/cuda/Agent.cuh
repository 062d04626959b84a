// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Product.hpp>

#include "Policy.hpp"
#include "epilogue/Arithmetic.cuh"
#include "launch/Launch.cuh"
#include "ptx/Memory.cuh"
#include "sorted_columns/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// Arguments of the kernels for sorted columns: a product with a slab of columns.
template <class Scalar>
struct SortedColumnsArguments {
  SortedColumnsPattern A;
  SortedColumnsSchedule schedule;
  Product<Scalar, Scalar> product;
  Scalar* partials = nullptr;          // slots x partials_stride, which is a multiple of 16 bytes
  std::ptrdiff_t partials_stride = 0;  // at least the columns of the slab
  std::uint32_t x_row_bytes = 0;       // stride of the rows of X, if they are read as vectors
  unsigned chunks = 1;                 // number of chunks of the slab's columns; a thread block multiplies one chunk
};

/// Loads 16 bytes of a row of X. Rows are readable up to the end of their last 16 bytes.
template <class Arguments>
__device__ __forceinline__ auto load_x(const Arguments& arguments, Ordinal row, Ordinal column) {
  const auto* const x = arguments.product.x.data;
  return load_vector<true>(
      static_cast<decltype(x)>(stepped(x + column, static_cast<std::uint32_t>(row), arguments.x_row_bytes)));
}

/// Returns a x, element by element.
template <class Scalar>
__device__ __forceinline__ Vector<Scalar, true> scaled(Scalar a, const Vector<Scalar, true>& x) {
  Vector<Scalar, true> product;
#pragma unroll
  for (int e = 0; e < Vector<Scalar, true>::size; ++e) product.at[e] = multiplied(a, x.at[e]);
  return product;
}

/// Stores a vector of a slot's sum.
template <class Arguments, class Lane>
__device__ __forceinline__ void store_slot(const Arguments& arguments, std::ptrdiff_t slot, Ordinal column,
                                           const Lane& sums) {
  store_vector(arguments.partials + slot * arguments.partials_stride + column, sums);
}

/// The elements of a group.
struct GroupElements {
  Offset first;
  int count;
};

template <class Scalar>
__device__ __forceinline__ GroupElements group_elements(const SortedColumnsArguments<Scalar>& arguments, Offset group) {
  const auto most = static_cast<Offset>(arguments.schedule.group_steps) * static_cast<Offset>(arguments.A.width);
  const Offset first = group * most, left = arguments.A.regular - first;
  return {first, static_cast<int>(left < most ? left : most)};
}

/// Returns the column of A of a group's element. Threads with adjacent elements read adjacent positions.
template <class Scalar>
__device__ __forceinline__ Ordinal column_of_element(const SortedColumnsArguments<Scalar>& arguments, Offset group,
                                                     int element) {
  const int step = element / arguments.A.width;
  const Ordinal first = __ldg(arguments.schedule.step_positions +
                              group * static_cast<Offset>(arguments.schedule.group_steps) + static_cast<Offset>(step));
  return __ldg(arguments.A.column_order + first + (element - step * arguments.A.width));
}

/// Multiplies a group of steps by a chunk of the columns of X in a thread block. X is row-major and aligned. Sums are
/// kept in registers.
///
/// Adjacent threads read adjacent elements of a group; the step of an element determines its column. They write each
/// element to its place, sorted by row, in shared memory. Then a team of lanes sums a segment, each lane a vector.
template <class Policy, class Scalar>
class SortedColumnsSegments {
 public:
  using Arguments = SortedColumnsArguments<Scalar>;

  __device__ SortedColumnsSegments(const Arguments& arguments, unsigned chunk)
      : arguments_(arguments),
        column_((static_cast<int>(chunk) * Policy::lanes + static_cast<int>(threadIdx.x) % Policy::lanes) *
                Lane::size) {}

  /// Returns the bytes of shared memory for the elements of a group and the ends of their segments.
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

  /// Writes the elements of a group in the order of their rows.
  __device__ void sort_elements(Offset group, Element* elements) const {
    const GroupElements stored = group_elements(arguments_, group);
    const Scalar* const values = arguments_.product.values + stored.first;
    const std::uint16_t* const places = arguments_.schedule.places + stored.first;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < stored.count; i += Policy::threads) {
      elements[__ldg(places + i)] = {static_cast<Scalar>(__ldg(values + i)), column_of_element(arguments_, group, i)};
    }
  }

  /// \param first  the first segment of the group
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
        if (i + u < count) x[u] = load_x(arguments_, elements[i + u].column, column_);
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

/// Multiplies pieces of irregular columns by a chunk of the columns of X, in a thread block. A team of lanes multiplies
/// a piece, whose row of X it holds in registers. Each element of a piece has its own row and slot.
template <class Policy, class Scalar>
class SortedColumnsPieces {
 public:
  using Arguments = SortedColumnsArguments<Scalar>;

  static constexpr int pieces_of_block = Policy::threads / Policy::lanes;

  static __device__ void multiply(const Arguments& arguments, Offset block, unsigned chunk) {
    using Lane = Vector<Scalar, true>;
    const SortedColumnsPattern& A = arguments.A;
    const int thread = static_cast<int>(threadIdx.x);
    const Ordinal column = (static_cast<int>(chunk) * Policy::lanes + thread % Policy::lanes) * Lane::size;
    const Offset piece = block * static_cast<Offset>(pieces_of_block) + static_cast<Offset>(thread / Policy::lanes);
    if (piece >= A.pieces || column >= arguments.product.x.columns) return;
    const Lane x = load_x(arguments, __ldg(A.column_order + A.piece_position(piece)), column);
    const Offset end = A.piece_offsets[piece + 1];
#pragma unroll 4
    for (Offset place = A.piece_offsets[piece]; place < end; ++place) {
      const auto a = static_cast<Scalar>(__ldg(arguments.product.values + place));
      const Offset slot = arguments.schedule.segments + (place - A.regular);
      store_slot(arguments, static_cast<std::ptrdiff_t>(slot), column, scaled(a, x));
    }
  }
};

}  // namespace Tessera::Impl::Cuda
