// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace Tessera::Python {

/// An argument of the wrong type: Python's TypeError.
class WrongType : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The type of an element.
enum class ElementType { Float, Double, ComplexFloat, ComplexDouble, Half, BFloat16, Int32, Int64, Other };

/// Where an array is.
struct Device {
  bool is_cuda = false;
  int id = 0;  ///< the number of the GPU; 0 on the host

  bool operator==(const Device&) const = default;
};

/// A vector, or a block of vectors, in memory that somebody else owns. Strides count elements.
struct Array {
  void* data = nullptr;
  ElementType type = ElementType::Other;
  Device device;
  int rank = 0;
  std::array<std::int64_t, 2> extents = {1, 1};  ///< the second is 1 if the rank is 1
  std::array<std::int64_t, 2> strides = {1, 0};
};

/// A sparse matrix in compressed rows.
struct CsrArrays {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  Array row_offsets, column_indices, values;
};

/// A queue of a GPU: a cudaStream_t as a number. Hosts ignore it.
using Stream = std::uintptr_t;

}  // namespace Tessera::Python
