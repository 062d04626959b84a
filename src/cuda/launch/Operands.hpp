// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <tessera/cuda/LaunchColumns.hpp>
#include <tessera/cuda/PackRows.hpp>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/Stream.hpp>
#include <type_traits>

/// What all products do before they start kernels: numbers are checked, scratch memory is divided, X is made readable,
/// and the precision becomes a type.
namespace Tessera::Cuda {

template <class Integer>
constexpr Integer ceil_divide(Integer a, Integer b) {
  return (a + b - 1) / b;
}

/// As the unsigned number that grids, and indices of tasks, are; throws std::length_error for more than 2^31 - 1.
inline unsigned launch_count(std::size_t count) {
  if (count > std::size_t(std::numeric_limits<int>::max())) {
    throw std::length_error("a kernel cannot have " + std::to_string(count) + " blocks or tasks");
  }
  return static_cast<unsigned>(count);
}

/// Blocks of so many threads, or whatever they have, for so many items.
inline unsigned blocks_for(std::size_t items, std::size_t of_block) {
  return launch_count(ceil_divide(items, of_block));
}

/// Slabs of so many columns that a product has; throws std::length_error beyond most_launch_columns.
inline unsigned slab_count(Ordinal columns, int slab_columns) {
  if (columns > most_launch_columns) {
    throw std::length_error("a kernel cannot multiply " + std::to_string(columns) +
                            " columns at once; expected at most " + std::to_string(most_launch_columns));
  }
  return static_cast<unsigned>(window_count(columns, slab_columns));
}

/// Columns of X, up to which a narrow policy multiplies.
inline constexpr Ordinal narrow_columns = 32;

/// From a row of X to the next; throws std::invalid_argument unless rows_are_readable(x).
template <class Element>
unsigned row_bytes(const Multivector<const Element>& x) {
  if (!rows_are_readable(x)) {
    throw std::invalid_argument("a product with rows of X that are " + std::to_string(x.row_stride) +
                                " elements apart and columns that are " + std::to_string(x.column_stride) +
                                " apart; expected rows of less than 4 GiB of adjacent columns");
  }
  return static_cast<unsigned>(x.row_stride) * static_cast<unsigned>(sizeof(Element));
}

/// The product of the columns first, ..., first + count - 1 alone.
template <class Product>
Product columns_of(Product product, Ordinal first, Ordinal count) {
  product.x.data += first * product.x.column_stride;
  product.y.data += first * product.y.column_stride;
  product.x.columns = product.y.columns = count;
  return product;
}

/// For kernels whose formats name rows of X themselves.
template <class Product>
void expect_no_x_rows(const char* function, const Product& product) {
  if (product.x_rows != nullptr) throw std::invalid_argument(std::string(function) + ": x_rows must be null");
}

/// Elements from a row of scratch to the next, so that vectors of 16 bytes fit.
inline std::ptrdiff_t padded(Ordinal columns) { return (static_cast<std::ptrdiff_t>(columns) + 3) / 4 * 4; }

/// Bytes of so many rows of scratch.
template <class Scalar>
std::size_t padded_bytes(std::size_t rows, Ordinal columns) {
  return rows * static_cast<std::size_t>(padded(columns)) * sizeof(Scalar);
}

/// The scratch memory of a product: sums of the pieces that windows are cut into, then rows of X, if they are packed.
struct ScratchLayout {
  std::size_t packed = 0;  // where rows of X begin
  std::size_t bytes = 0;
};

/// Both parts begin at multiples of 256 bytes.
inline ScratchLayout scratch_layout(std::size_t partial_bytes, std::size_t packed_bytes) {
  constexpr std::size_t alignment = 256;
  const auto rounded = [](std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  return {rounded(partial_bytes), rounded(partial_bytes) + rounded(packed_bytes)};
}

/// The same for products of windows with so many rows in their slots. fits: X is read where it is, unless precision has
/// 16 bits.
template <class Scalar>
ScratchLayout scratch_layout(std::size_t slot_rows, const Multivector<const Scalar>& x, bool fits,
                             Precision precision = Precision::Native) {
  const auto rows = static_cast<std::size_t>(x.rows);
  std::size_t packed = fits ? 0 : padded_bytes<Scalar>(rows, x.columns);
  if (is_half(precision)) packed = rows * std::size_t(rounded_row_stride(x.columns)) * sizeof(std::uint16_t);
  return scratch_layout(padded_bytes<Scalar>(slot_rows, x.columns), packed);
}

/// Throws std::invalid_argument unless a product has all the scratch memory that it needs.
inline void expect_scratch(const char* function, const ScratchLayout& layout, const Scratch& workspace) {
  if (workspace.bytes >= layout.bytes) return;
  throw std::invalid_argument(std::string(function) + ": a workspace of " + std::to_string(workspace.bytes) +
                              " bytes, " + std::to_string(layout.bytes) + " are needed");
}

/// Tells a kernel for windows where its scratch memory is, which must be enough.
template <class Arguments>
void use_scratch(const char* function, const ScratchLayout& layout, const Scratch& workspace, Arguments& arguments) {
  using Scalar = decltype(decltype(Arguments::product)::alpha);
  expect_scratch(function, layout, workspace);
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  arguments.partials_stride = padded(arguments.product.x.columns);
}

/// X if its rows fit a kernel as they are; otherwise packed by rows of so many elements.
template <class Scalar>
Multivector<const Scalar> by_rows(Stream stream, const Multivector<const Scalar>& x, bool fit, void* packed,
                                  std::ptrdiff_t stride) {
  if (fit) return x;
  pack_rows(stream, x, static_cast<Scalar*>(packed), stride);
  return {static_cast<const Scalar*>(packed), x.rows, x.columns, stride, 1};
}

/// X rounded to 16 bits by rows, whose padding counts as columns.
template <class Scalar>
Multivector<const std::uint16_t> rounded_by_rows(Stream stream, Precision precision, HalfOrder order,
                                                 const Multivector<const Scalar>& x, void* packed) {
  auto* const rows = static_cast<std::uint16_t*>(packed);
  const std::ptrdiff_t stride = rounded_row_stride(x.columns);
  round_rows(stream, precision, order, x, rows);
  return {rows, x.rows, static_cast<Ordinal>(stride), stride, 1};
}

/// Calls visit.operator()<p>() for the precision p, which tensor cores must multiply Scalars in: Native for double,
/// Tf32x3 or Tf32 for float; Fp16 or Bf16 for float, if there are kernels with_half. Throws std::invalid_argument
/// otherwise.
template <class Scalar, bool with_half = false, class Visit>
void for_precision(const char* function, Precision precision, const Visit& visit) {
  if constexpr (std::is_same_v<Scalar, double>) {
    if (precision == Precision::Native) return visit.template operator()<Precision::Native>();
  } else {
    if (precision == Precision::Tf32x3) return visit.template operator()<Precision::Tf32x3>();
    if (precision == Precision::Tf32) return visit.template operator()<Precision::Tf32>();
    if constexpr (with_half) {
      if (precision == Precision::Fp16) return visit.template operator()<Precision::Fp16>();
      if (precision == Precision::Bf16) return visit.template operator()<Precision::Bf16>();
    }
  }
  throw std::invalid_argument(std::string(function) + ": no " + std::string(to_string(precision)) +
                              " products of these types");
}

}  // namespace Tessera::Cuda
