// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <tessera/cuda/PackRows.hpp>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>
#include <type_traits>
#include <utility>

/// The common steps of products before they start kernels: they check arguments, divide scratch memory, copy X if
/// kernels do not read it in place, and turn the precision into a template argument.
namespace Tessera::Impl::Cuda {

template <class Integer>
constexpr Integer ceil_divide(Integer a, Integer b) {
  return (a + b - 1) / b;
}

/// Returns the number of blocks or tasks of a launch. Throws std::length_error for more than 2^31 - 1.
inline unsigned launch_count(std::size_t count) {
  if (count > std::size_t(std::numeric_limits<int>::max())) {
    throw std::length_error("a kernel cannot have " + std::to_string(count) + " blocks or tasks");
  }
  return static_cast<unsigned>(count);
}

/// Returns the number of blocks for this many items if each block has block_items of them.
inline unsigned blocks_for(std::size_t items, std::size_t block_items) {
  return launch_count(ceil_divide(items, block_items));
}

/// Returns the same number, but at most 2048, for kernels whose threads have many items. Such blocks start quickly and
/// keep a large GPU busy.
inline unsigned few_blocks_for(std::size_t items, std::size_t block_items) {
  return launch_count(std::min(ceil_divide(items, block_items), std::size_t(2048)));
}

/// Returns the number of slabs into which the columns of a product are cut. Throws std::length_error for more than
/// most_launch_columns columns.
inline unsigned slab_count(Ordinal columns, int slab_columns) {
  if (columns > most_launch_columns) {
    throw std::length_error("a kernel cannot multiply " + std::to_string(columns) +
                            " columns at once; expected at most " + std::to_string(most_launch_columns));
  }
  return static_cast<unsigned>(window_count(columns, slab_columns));
}

/// Upper bound on the columns of X that a narrow policy multiplies.
inline constexpr Ordinal narrow_columns = 32;

/// Returns the number of columns of X for which a product chooses its policy.
template <class Schedule>
Ordinal policy_columns(const Schedule& schedule, Ordinal columns) {
  return schedule.width > 0 ? schedule.width : columns;
}

/// Calls visit.operator()<wide>(). `wide` says whether X has more columns than a narrow policy multiplies.
template <class Visit>
void for_width(Ordinal columns, const Visit& visit) {
  columns > narrow_columns ? visit.template operator()<true>() : visit.template operator()<false>();
}

/// Returns the row stride of X in bytes. Throws std::invalid_argument unless rows_are_readable(x).
template <class Element>
unsigned row_bytes(const Multivector<const Element>& x) {
  if (!rows_are_readable(x)) {
    throw std::invalid_argument("a product with rows of X that are " + std::to_string(x.row_stride) +
                                " elements apart and columns that are " + std::to_string(x.column_stride) +
                                " apart; expected rows of less than 4 GiB of adjacent columns");
  }
  return static_cast<unsigned>(x.row_stride) * static_cast<unsigned>(sizeof(Element));
}

/// Throws std::invalid_argument if x_rows are given. In most formats, columns already are rows of X.
template <class Product>
void expect_no_x_rows(const char* function, const Product& product) {
  if (product.x_rows != nullptr) throw std::invalid_argument(std::string(function) + ": x_rows must be null");
}

/// Throws std::invalid_argument unless the extents of X and Y fit A.
template <class Product>
void expect_extents(const char* function, Ordinal rows, Ordinal columns, const Product& product) {
  const auto& [x, y] = std::pair(product.x, product.y);
  if (x.columns == y.columns && (product.x_rows != nullptr || x.rows >= columns) &&
      (product.y_rows != nullptr || y.rows >= rows))
    return;
  const auto shape = [](Ordinal height, Ordinal width) {
    return std::to_string(height) + " x " + std::to_string(width);
  };
  throw std::invalid_argument(std::string(function) + ": A is " + shape(rows, columns) + ", X is " +
                              shape(x.rows, x.columns) + " and Y is " + shape(y.rows, y.columns));
}

/// Throws std::invalid_argument if a product has less scratch memory than it needs.
inline void expect_scratch(const char* function, const ScratchLayout& layout, const Scratch& workspace) {
  if (workspace.bytes >= layout.bytes) return;
  throw std::invalid_argument(std::string(function) + ": a workspace of " + std::to_string(workspace.bytes) +
                              " bytes, " + std::to_string(layout.bytes) + " are needed");
}

/// Gives a kernel for windows its scratch memory. Returns the address for the copy of X. Throws std::invalid_argument
/// if the workspace is too small.
template <class Arguments>
std::byte* use_scratch(const char* function, const ScratchLayout& layout, const Scratch& workspace,
                       Arguments& arguments) {
  using Scalar = decltype(decltype(Arguments::product)::alpha);
  expect_scratch(function, layout, workspace);
  arguments.partials = reinterpret_cast<Scalar*>(workspace.data);
  arguments.partials_stride = padded<typename decltype(arguments.product.y)::Element>(arguments.product.x.columns);
  return workspace.data + layout.packed;
}

/// Returns X if a kernel reads it in place, otherwise a row-major copy with this row stride in elements.
template <class Scalar>
Multivector<const Scalar> by_rows(Stream stream, const Multivector<const Scalar>& x, XAccess access, void* packed,
                                  std::ptrdiff_t stride) {
  if (is_read_in_place(x, access)) return x;
  pack_rows(stream, x, static_cast<Scalar*>(packed), stride);
  return {static_cast<const Scalar*>(packed), x.rows, x.columns, stride, 1};
}

/// Gives a kernel for windows its scratch memory and a row-major X. Throws std::invalid_argument if x_rows are given or
/// the workspace is too small.
template <class Arguments>
void prepare_operands(const char* function, Stream stream, Ordinal window_rows, XAccess access,
                      const Scratch& workspace, Arguments& arguments) {
  auto& x = arguments.product.x;
  expect_no_x_rows(function, arguments.product);
  const ScratchLayout layout = window_scratch(arguments.schedule, window_rows, x, access);
  std::byte* const packed = use_scratch(function, layout, workspace, arguments);
  x = by_rows(stream, x, access, packed, arguments.partials_stride);
}

/// Returns a copy of X in 16 bits. Its number of columns includes padding.
template <class Scalar>
Multivector<const std::uint16_t> rounded_by_rows(Stream stream, Precision precision, HalfOrder order,
                                                 const Multivector<const Scalar>& x, void* packed) {
  auto* const rows = static_cast<std::uint16_t*>(packed);
  const std::ptrdiff_t stride = rounded_row_stride(x.columns);
  round_rows(stream, precision, order, x, rows);
  return {rows, x.rows, static_cast<Ordinal>(stride), stride, 1};
}

/// Calls visit.operator()<p>() for precision p. Tensor cores multiply doubles in Native, and floats in Tf32x3, Tf32
/// and, with_half, in Fp16 and Bf16. Throws std::invalid_argument for any other precision.
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

}  // namespace Tessera::Impl::Cuda
