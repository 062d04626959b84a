// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "Elements.cuh"
#include "Multivector.hpp"

namespace Tessera::Impl::Bench {

namespace {

constexpr int block_threads = 256;
constexpr int most_blocks = 132 * 16;

template <class Scalar>
__global__ void fill_kernel(Scalar* memory, std::size_t size, std::size_t offset, Places places, bool with_content,
                            std::uint64_t seed) {
  const std::size_t step = std::size_t{gridDim.x} * block_threads;
  for (std::size_t e = std::size_t{blockIdx.x} * block_threads + threadIdx.x; e < size; e += step) {
    Scalar value = poison_value<Scalar>();
    if (with_content && e >= offset && places.has(e - offset)) {
      value = element<Scalar>(seed, places.row(e - offset), places.column(e - offset));
    }
    memory[e] = value;
  }
}

}  // namespace

template <class Scalar>
Multivector<Scalar>::Multivector(int rows, int columns, Layout layout)
    : rows_(rows),
      columns_(columns),
      stride_(layout == Layout::Left ? rows : columns),
      layout_(layout),
      memory_(std::size_t(rows) * columns + 2 * guard) {}

template <class Scalar>
void Multivector<Scalar>::fill(cudaStream_t stream, std::uint64_t seed) {
  const auto blocks = std::min<std::size_t>(most_blocks, memory_size() / block_threads + 1);
  fill_kernel<<<blocks, block_threads, 0, stream>>>(memory(), memory_size(), guard, places(), true, seed);
  check(cudaGetLastError(), "fill_kernel");
}

template <class Scalar>
void Multivector<Scalar>::poison(cudaStream_t stream) {
  const auto blocks = std::min<std::size_t>(most_blocks, memory_size() / block_threads + 1);
  fill_kernel<<<blocks, block_threads, 0, stream>>>(memory(), memory_size(), guard, places(), false, 0);
  check(cudaGetLastError(), "fill_kernel");
}

template class Multivector<float>;
template class Multivector<double>;

}  // namespace Tessera::Impl::Bench
