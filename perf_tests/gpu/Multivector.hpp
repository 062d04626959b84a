// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "Device.hpp"

namespace Tessera::Bench {

/// How rows of a multivector lie in memory.
struct RowLayout {
  const char* name = "packed";
  int gap = 0;     // elements between rows: the row stride is the number of columns plus gap
  int offset = 0;  // elements between an aligned address and the first one
};

/// Element (i, j) of X and of the Y that a product begins with: a function of seed, i and j, uniform in [-1, 1).
struct Content {
  std::uint64_t seed = 1;
  bool special = false;  // rows `infinite_row` and `nan_row` have Inf and NaN in some of their columns
  int infinite_row = -1;
  int nan_row = -1;
};

/// A row-major block of columns in device memory with elements before, between and after its rows that nobody may
/// touch.
template <class Scalar>
class Multivector {
 public:
  Multivector(int rows, int columns, const RowLayout& layout);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int row_stride() const { return row_stride_; }
  Scalar* data() const { return memory_.data() + offset_; }

  /// All elements, those around the rows too.
  Scalar* memory() const { return memory_.data(); }
  std::size_t memory_size() const { return memory_.size(); }
  std::size_t offset() const { return offset_; }

  /// Fills it with its content, and what lies around the rows with poison, a NaN.
  void fill(cudaStream_t stream, const Content& content);
  /// Fills everything with poison.
  void poison(cudaStream_t stream);

 private:
  int rows_, columns_, row_stride_;
  std::size_t offset_;
  DeviceArray<Scalar> memory_;
};

}  // namespace Tessera::Bench
