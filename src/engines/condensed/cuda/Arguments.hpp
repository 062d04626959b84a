// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/Format.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/HalfOperands.hpp>
#include <tessera/cuda/Stream.hpp>
#include <type_traits>

#include "Policy.hpp"
#include "condensed/cuda/Schedule.hpp"
#include "condensed/cuda/View.hpp"
#include "fragments/Layout.hpp"
#include "launch/WindowArguments.hpp"

namespace Tessera::Impl::Cuda {

/// The arguments of the kernels for condensed windows. product.x has column_stride 1, unless `x` is a copy in 16 bits.
template <class MatrixScalar, class Scalar>
struct CondensedArguments : WindowArguments<CondensedPattern, CondensedSchedule, MatrixScalar, Scalar> {
  const void* x = nullptr;  // the rows of X that are multiplied: product.x.data, or a copy in 16 bits
  Ordinal x_columns = 0;    // columns of x, with padding that may be read; set by the caller for 16-bit operands
  int x_elements = 0;       // number of elements of a row of x (CondensedOperands)
  const std::uint16_t* rounded_values = nullptr;  // whole blocks in 16 bits, for TileValues::Rounded
};

/// The elements of X and of the sums that a lane holds, for a slab of slab_columns columns.
///
/// Lanes gather rows of X by elements. An element is one Scalar, or two adjacent columns of 16 bits each, for the two
/// rows of the left operand that a lane holds.
template <Precision precision, class Scalar, int slab_columns, int most_reads>
struct CondensedOperands {
  static constexpr bool half = is_half(precision);

  using Element = std::conditional_t<half, std::uint32_t, Scalar>;
  using Sum = std::conditional_t<half, float, Scalar>;
  static constexpr int element_columns = half ? 2 : 1;

  using Elements = FragmentLayout<Element, slab_columns / element_columns, most_reads>;
  static constexpr int lane_elements = Elements::lane_columns;  // elements of a row of X that a lane holds
  static constexpr int lane_columns = element_columns * lane_elements;
  static constexpr int products = slab_columns / 16;  // number of m16n8k8 next to each other

  /// Returns the column of the slab that the lane holds as its column q.
  static TESSERA_FUNCTION constexpr int column(int lane, int q) {
    return element_columns * Elements::column(lane, q / element_columns) + q % element_columns;
  }

  /// Number of elements of X that a lane reads at once, and of columns of Y that it reads or writes at once, if
  /// alignment allows `access` columns.
  static constexpr int x_access(int access) { return access <= element_columns ? 1 : access / element_columns; }
  static constexpr int y_access(int access) {
    constexpr int widest = 16 / static_cast<int>(sizeof(sum_of_t<Scalar>));
    return access <= element_columns ? 1 : access < widest ? access : widest;
  }
};

/// Starts condensed_spmm in a 16-bit precision. arguments.x has 16-bit rows with the columns of X: X itself, or the
/// copy by round_rows. The function has its own source file because it compiles slowly.
template <class MatrixScalar, class Scalar>
void launch_condensed_half(Stream stream, TileValues values, Precision precision,
                           const CondensedArguments<MatrixScalar, Scalar>& arguments);

}  // namespace Tessera::Impl::Cuda
