// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>

#include "Elements.cuh"
#include "Multivector.hpp"

namespace Tessera::Bench {

namespace {

constexpr std::size_t guard = 64;  // elements before and after; keeps the first row aligned to 256 bytes
constexpr int block_threads = 256;
constexpr int most_blocks = 132 * 16;

int stride_of(int length, int gap) {
  if (length > std::numeric_limits<int>::max() - gap) throw std::invalid_argument("too many rows or columns");
  return length + gap;
}

template <class Scalar>
__global__ void fill_kernel(Scalar* memory, std::size_t size, std::size_t offset, Places places, bool with_content,
                            Content content) {
  const std::size_t step = std::size_t{gridDim.x} * block_threads;
  for (std::size_t e = std::size_t{blockIdx.x} * block_threads + threadIdx.x; e < size; e += step) {
    Scalar value = poison_value<Scalar>();
    if (with_content && e >= offset && places.has(e - offset)) {
      value = element<Scalar>(content, places.row(e - offset), places.column(e - offset));
    }
    memory[e] = value;
  }
}

}  // namespace

template <class Scalar>
Multivector<Scalar>::Multivector(int rows, int columns, const LineLayout& layout)
    : rows_(rows),
      columns_(columns),
      stride_(stride_of(layout.layout == Layout::Left ? rows : columns, layout.gap)),
      layout_(layout.layout),
      offset_(guard + layout.offset),
      memory_(offset_ + std::size_t(layout.layout == Layout::Left ? columns : rows) * stride_ + guard) {}

template <class Scalar>
void Multivector<Scalar>::fill(cudaStream_t stream, const Content& content) {
  const auto blocks = std::min<std::size_t>(most_blocks, memory_size() / block_threads + 1);
  fill_kernel<<<blocks, block_threads, 0, stream>>>(memory(), memory_size(), offset_, places(), true, content);
  check(cudaGetLastError(), "fill_kernel");
}

template <class Scalar>
void Multivector<Scalar>::poison(cudaStream_t stream) {
  const auto blocks = std::min<std::size_t>(most_blocks, memory_size() / block_threads + 1);
  fill_kernel<<<blocks, block_threads, 0, stream>>>(memory(), memory_size(), offset_, places(), false, Content{});
  check(cudaGetLastError(), "fill_kernel");
}

template class Multivector<float>;
template class Multivector<double>;

}  // namespace Tessera::Bench
