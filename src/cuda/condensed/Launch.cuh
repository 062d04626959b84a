// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/cuda/Stream.hpp>

#include "../epilogue/PieceSums.cuh"
#include "../launch/Launch.cuh"
#include "../launch/LaunchCount.hpp"
#include "../launch/RowBytes.hpp"
#include "Agent.cuh"

namespace Tessera::Cuda {

/// For columns that cannot be read in vectors: few, or badly aligned.
template <class Kind>
using NarrowCondensedPolicy = CondensedPolicy<is_half(Kind::precision) ? 32 : 16, 32, 4>;

/// Items times slabs of columns, a warp each, all slabs of some items one after the other: their tiles are read from
/// memory once. The warps of a block have adjacent items and the same slab.
template <class Kind, class Policy, int access, class Offset, class MatrixScalar, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps, Policy::warps / Policy::block_warps)
    condensed_kernel(const __grid_constant__ CondensedArguments<Offset, MatrixScalar, Scalar> arguments) {
  using Agent = CondensedAgent<Kind, Policy, access, Offset, MatrixScalar, Scalar>;
  const unsigned slabs = arguments.slabs, slab = blockIdx.x % slabs;
  const unsigned index = blockIdx.x / slabs * Policy::block_warps + threadIdx.x / 32;
  if (index >= static_cast<unsigned>(arguments.schedule.item_count)) return;

  const CondensedItem<Offset> item = arguments.schedule.items[index];
  const Agent agent(arguments, static_cast<int>(slab), static_cast<int>(threadIdx.x % 32));
  typename Agent::Sums sums = {};
  agent.multiply(item.first_tile, item.first_tile + static_cast<Offset>(item.tiles), sums);
  agent.finish(item, sums);
}

/// Leaves of a product the columns first, first + 1, ..., last - 1. In 16 bits, x and x_row_bytes are there already.
template <Precision precision, class Offset, class MatrixScalar, class Scalar>
void choose_columns(CondensedArguments<Offset, MatrixScalar, Scalar>& arguments, Ordinal first, Ordinal last) {
  Product<MatrixScalar, Scalar>& product = arguments.product;
  product.x.data += first * product.x.column_stride;
  product.y.data += first * product.y.column_stride;
  product.x.columns = product.y.columns = last - first;
  if (arguments.partials != nullptr) arguments.partials += first;
  if constexpr (is_half(precision)) {
    constexpr int column_bytes = 2, element_bytes = 4;
    arguments.x = static_cast<const std::byte*>(arguments.x) + first * column_bytes;
    arguments.x_elements = static_cast<int>(arguments.x_row_bytes - first * column_bytes) / element_bytes;
  } else {
    arguments.x = product.x.data;
    arguments.x_row_bytes = row_bytes(product.x);
    arguments.x_elements = last - first;
  }
}

/// The product's columns first, first + 1, ..., last - 1.
template <class Kind, class Policy, int access, class Offset, class MatrixScalar, class Scalar>
void launch_condensed_columns(Stream stream, CondensedArguments<Offset, MatrixScalar, Scalar> arguments, Ordinal first,
                              Ordinal last) {
  if (first == last || arguments.schedule.item_count == 0) return;
  choose_columns<Kind::precision>(arguments, first, last);
  arguments.slabs = slab_count(last - first, Policy::columns);
  const unsigned blocks = launch_count(std::size_t(window_count(arguments.schedule.item_count, Policy::block_warps)) *
                                       static_cast<unsigned>(arguments.slabs));
  launch("condensed_kernel", condensed_kernel<Kind, Policy, access, Offset, MatrixScalar, Scalar>, blocks,
         32 * Policy::block_warps, 0, stream, arguments);
}

/// How many of the columns, from the first on, can be read and written `vector` at a time, or as many as one can.
template <class Operands, class MatrixScalar, class Scalar>
Ordinal vector_columns(const Product<MatrixScalar, Scalar>& product, int vector) {
  const auto aligned = [](const auto& rows, int columns) {
    return rows.column_stride == 1 && rows.row_stride % columns == 0 &&
           reinterpret_cast<std::uintptr_t>(rows.data) % (columns * sizeof(Scalar)) == 0;
  };
  const bool possible =
      (Operands::half || aligned(product.x, vector)) && aligned(product.y, Operands::y_access(vector));
  return possible ? product.y.columns - product.y.columns % vector : 0;
}

/// A whole product with a given policy. Needs product.x.column_stride == 1 or, in 16 bits, rows of round_rows with
/// their columns in order in x; if the schedule has slots, partials.
template <class Kind, class Policy, class Offset, class MatrixScalar, class Scalar>
void launch_condensed(Stream stream, const CondensedArguments<Offset, MatrixScalar, Scalar>& arguments) {
  using Operands = CondensedOperands<Kind::precision, Scalar, Policy::columns, Policy::reads>;
  constexpr int vector = Operands::element_columns * Operands::Elements::vector;
  const Ordinal columns = arguments.product.y.columns;
  const Ordinal wide = vector_columns<Operands>(arguments.product, vector);
  launch_condensed_columns<Kind, Policy, vector>(stream, arguments, 0, wide);
  launch_condensed_columns<Kind, NarrowCondensedPolicy<Kind>, 1>(stream, arguments, wide, columns);
  launch_piece_sums(stream, arguments, arguments.A.window_rows());
}

}  // namespace Tessera::Cuda
