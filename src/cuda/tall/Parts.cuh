// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "../launch/Launch.cuh"

/// Sums over all rows of tall panels: blocks sum parts of the rows, and a second kernel adds the parts in order.
namespace Tessera::Impl::Cuda::Tall {

constexpr int combine_threads = 256;  // threads of a block that combines parts
constexpr int part_limit = 528;       // upper bound on parts: four blocks per multiprocessor of an H200

/// Sums of `count` parts: element e of part p is sums[p * elements + e].
struct Parts {
  const double* sums;
  int count, elements;
  int slices;  // number of slices into which the parts are divided, with a thread per slice and element: a power of 2
};

/// Makes up to 32 slices, so a thread combines at most about 16 parts.
inline Parts make_parts(const double* sums, int count, int elements) {
  Parts parts{sums, count, elements, 1};
  while (parts.slices < combine_threads / 8 && count > 16 * parts.slices) parts.slices *= 2;
  return parts;
}

/// Starts a kernel that begins with combine_parts().
template <auto kernel, class... Arguments>
void launch_combine(const char* what, Stream stream, const Parts& parts, const Arguments&... arguments) {
  launch_early<kernel>(what, unsigned(ceil_divide(parts.elements, combine_threads / parts.slices)), combine_threads,
                       combine_threads * sizeof(double), stream, parts, arguments...);
}

/// Calls store(element, result) for the elements of a block. Each slice of the parts is combined in order, then the
/// slices are combined in pairs.
template <class Combine, class Store>
__device__ __forceinline__ void combine_parts(const Parts& parts, const Combine& combine, const Store& store) {
  wait_for_previous_kernels();
  auto* const shared = reinterpret_cast<double*>(dynamic_memory());
  const int elements = combine_threads / parts.slices, slice = int(threadIdx.x) / elements;
  const int element = int(blockIdx.x) * elements + int(threadIdx.x) % elements;
  const int length = (parts.count + parts.slices - 1) / parts.slices;
  const int first = slice * length, last = first + length < parts.count ? first + length : parts.count;
  double result = 0;
  if (element < parts.elements)
#pragma unroll 8
    for (int p = first; p < last; ++p) {
      result = combine(result, parts.sums[std::size_t(p) * std::size_t(parts.elements) + std::size_t(element)]);
    }
  for (int half = combine_threads / 2; half >= elements; half /= 2) {
    shared[threadIdx.x] = result;
    __syncthreads();
    if (int(threadIdx.x) < half) result = combine(result, shared[threadIdx.x + half]);
    __syncthreads();
  }
  if (slice == 0 && element < parts.elements) store(element, result);
}

struct Add {
  __device__ double operator()(double a, double b) const { return a + b; }
};
/// The greater of two numbers, or NaN if one is NaN.
struct Greater {
  __device__ double operator()(double a, double b) const { return a != a || b <= a ? a : b; }
};

}  // namespace Tessera::Impl::Cuda::Tall
