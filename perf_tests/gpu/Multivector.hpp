// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "Candidate.hpp"
#include "Device.hpp"

namespace Tessera::Bench {

/// How the rows of a multivector, or with Layout::Left its columns, lie in memory.
struct LineLayout {
  const char* name = "packed";
  int gap = 0;     // elements between one and the next
  int offset = 0;  // elements between an aligned address and the first one
  Layout layout = Layout::Right;
};

/// Which place belongs to which element.
struct Places {
  int rows, columns, stride;
  Layout layout;

  __host__ __device__ std::size_t of(std::size_t i, std::size_t j) const {
    return layout == Layout::Left ? j * stride + i : i * stride + j;
  }
  /// Row and column of a place, which may be beyond them.
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

/// Element (i, j) of X and of the Y that a product begins with: a function of seed, i and j, uniform in [-1, 1).
struct Content {
  std::uint64_t seed = 1;
  bool special = false;  // rows `infinite_row` and `nan_row` have Inf and NaN in some of their columns
  int infinite_row = -1;
  int nan_row = -1;
};

/// A block of columns in device memory with elements before, between and after its rows, or columns, that nobody may
/// touch.
template <class Scalar>
class Multivector {
 public:
  Multivector(int rows, int columns, const LineLayout& layout);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  /// Between rows, or columns with Layout::Left.
  int stride() const { return stride_; }
  Places places() const { return {rows_, columns_, stride_, layout_}; }
  Scalar* data() const { return memory_.data() + offset_; }

  /// All elements, those around the rows too.
  Scalar* memory() const { return memory_.data(); }
  std::size_t memory_size() const { return memory_.size(); }
  std::size_t offset() const { return offset_; }

  /// Fills it with its content, and what lies around with poison, a NaN.
  void fill(cudaStream_t stream, const Content& content);
  /// Fills everything with poison.
  void poison(cudaStream_t stream);

 private:
  int rows_, columns_, stride_;
  Layout layout_;
  std::size_t offset_;
  DeviceArray<Scalar> memory_;
};

}  // namespace Tessera::Bench
