// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "RowSums.cuh"
#include "launch/Operands.hpp"
#include "sorted_columns/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {

/// Multiplies by X. A thread block has a chunk of columns, and a group or several pieces. Groups are first.
template <class Policy, class Scalar>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks)
    sorted_columns_product_kernel(const __grid_constant__ SortedColumnsArguments<Scalar> arguments) {
  const unsigned chunk = blockIdx.x % arguments.chunks;
  const auto unit = static_cast<Offset>(blockIdx.x / arguments.chunks);
  if (unit < arguments.schedule.groups) {
    SortedColumnsSegments<Policy, Scalar>(arguments, chunk).multiply_group(unit);
  } else {
    SortedColumnsPieces<Policy, Scalar>::multiply(arguments, unit - arguments.schedule.groups, chunk);
  }
}

/// Sums slots. A thread block has a chunk of columns, and a long row or several other rows. Long rows are first.
template <class Policy, bool aligned, class Scalar>
__global__ void __launch_bounds__(Policy::row_threads)
    sorted_columns_sum_kernel(const __grid_constant__ SortedColumnsArguments<Scalar> arguments) {
  using Agent = SortedColumnsRowSums<Policy, aligned, Scalar>;
  wait_for_previous_kernels();
  const Agent agent(arguments, blockIdx.x % arguments.chunks);
  const auto unit = static_cast<Ordinal>(blockIdx.x / arguments.chunks);
  if (unit < arguments.schedule.long_row_count) {
    agent.sum_long_row(arguments.schedule.long_rows[unit]);
  } else {
    agent.sum_rows((unit - arguments.schedule.long_row_count) * Agent::rows_of_block);
  }
}

/// Number of scalars that are read at once.
template <class Scalar>
inline constexpr Ordinal sorted_columns_vector = Vector<Scalar, true>::size;

/// Returns the number of columns of scratch memory, whose rows are whole vectors.
template <class Scalar>
std::ptrdiff_t sorted_columns_padded(Ordinal columns) {
  return std::ptrdiff_t(window_count(columns, sorted_columns_vector<Scalar>)) * sorted_columns_vector<Scalar>;
}

/// Launches the first step, which writes sums of segments and irregular products to their slots.
template <class Policy, class Scalar>
void launch_sorted_columns_products(Stream stream, const SortedColumnsArguments<Scalar>& arguments) {
  using Segments = SortedColumnsSegments<Policy, Scalar>;
  constexpr std::size_t pieces_of_block = SortedColumnsPieces<Policy, Scalar>::pieces_of_block;
  const std::size_t piece_blocks = ceil_divide(std::size_t(arguments.A.pieces), pieces_of_block);
  const std::size_t units = std::size_t(arguments.schedule.groups) + piece_blocks;
  if (units == 0) return;
  const int group_elements = arguments.schedule.groups == 0 ? 0 : arguments.schedule.group_steps * arguments.A.width;
  launch("sorted_columns_product_kernel", sorted_columns_product_kernel<Policy, Scalar>,
         launch_count(units * arguments.chunks), Policy::threads, Segments::shared_bytes(group_elements), stream,
         arguments);
}

/// Launches the second step, which sums rows of Y from their slots.
template <class Policy, class Scalar>
void launch_sorted_columns_sums(Stream stream, const SortedColumnsArguments<Scalar>& arguments) {
  const auto start = [&]<bool aligned>() {
    using Agent = SortedColumnsRowSums<Policy, aligned, Scalar>;
    const std::size_t blocks = std::size_t(arguments.schedule.long_row_count) +
                               std::size_t(window_count(arguments.A.rows, Agent::rows_of_block));
    launch_early<&sorted_columns_sum_kernel<Policy, aligned, Scalar>>(
        "sorted_columns_sum_kernel", launch_count(blocks * arguments.chunks), Policy::row_threads,
        Agent::shared_bytes(), stream, arguments);
  };
  rows_are_whole(arguments.product.y) ? start.template operator()<true>() : start.template operator()<false>();
}

/// Launches a product with a given policy, one slab of columns after another. arguments.partials has a row for each
/// slot, as long as a padded row of a slab; `packed` has such a row for each row of X. Slabs of X that are read in
/// place do not use `packed`.
template <class Policy, class Scalar>
void launch_sorted_columns(Stream stream, SortedColumnsArguments<Scalar> arguments, Ordinal slab_columns,
                           Scalar* packed) {
  if (arguments.schedule.places == nullptr) arguments.schedule.places = arguments.A.position_indices;
  const Product<Scalar, Scalar> whole = arguments.product;
  if (arguments.A.rows == 0) return;
  for (Ordinal first = 0; first < whole.y.columns; first += slab_columns) {
    const Ordinal columns = std::min(slab_columns, whole.y.columns - first);
    arguments.product = columns_of(whole, first, columns);
    arguments.partials_stride = sorted_columns_padded<Scalar>(columns);
    Multivector<const Scalar>& x = arguments.product.x;
    x = by_rows(stream, x, sorted_columns_x_access, packed, arguments.partials_stride);
    arguments.x_row_bytes = static_cast<std::uint32_t>(std::size_t(x.row_stride) * sizeof(Scalar));
    arguments.chunks = static_cast<unsigned>(window_count(columns, Policy::lanes * sorted_columns_vector<Scalar>));
    launch_sorted_columns_products<Policy>(stream, arguments);
    launch_sorted_columns_sums<Policy>(stream, arguments);
    if (first > whole.y.columns - slab_columns) break;
  }
}

}  // namespace Tessera::Impl::Cuda
