// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "Candidate.hpp"
#include "Device.hpp"

namespace Tessera::Impl::Bench {

/// The mapping between positions in memory and elements.
struct Places {
  int rows, columns, stride;
  Layout layout;

  __host__ __device__ std::size_t of(std::size_t i, std::size_t j) const {
    return layout == Layout::Left ? j * stride + i : i * stride + j;
  }
  /// Row and column of a position, which may be out of range.
  __host__ __device__ int row(std::size_t place) const {
    return int(layout == Layout::Left ? place % stride : place / stride);
  }
  __host__ __device__ int column(std::size_t place) const {
    return int(layout == Layout::Left ? place / stride : place % stride);
  }
  __host__ __device__ bool has(std::size_t place) const {
    return place / stride < std::size_t(layout == Layout::Left ? columns : rows) && row(place) < rows &&
           column(place) < columns;
  }
};

/// A block of columns in device memory, without gaps, between guard elements that must not be touched.
template <class Scalar>
class Multivector {
 public:
  Multivector(int rows, int columns, Layout layout);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  Places places() const { return {rows_, columns_, stride_, layout_}; }
  Scalar* data() const { return memory_.data() + guard; }
  /// The operand of a product. Element is Scalar or const Scalar.
  template <class Element>
  Tessera::Impl::Multivector<Element> view() const {
    const bool by_columns = layout_ == Layout::Left;
    return {data(), rows_, columns_, by_columns ? 1 : stride_, by_columns ? stride_ : 1};
  }

  /// All elements, including the guards.
  Scalar* memory() const { return memory_.data(); }
  std::size_t memory_size() const { return memory_.size(); }
  std::size_t offset() const { return guard; }

  /// Fills it with element(seed, i, j), and the guards with poison, a NaN.
  void fill(cudaStream_t stream, std::uint64_t seed);
  /// Fills everything with poison.
  void poison(cudaStream_t stream);

 private:
  static constexpr std::size_t guard = 64;  // keeps the first element aligned to 256 bytes

  int rows_, columns_, stride_;
  Layout layout_;
  DeviceArray<Scalar> memory_;
};

}  // namespace Tessera::Impl::Bench
