// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "Agent.cuh"
#include "epilogue/PieceSums.cuh"
#include "launch/Launch.cuh"
#include "launch/Operands.hpp"

namespace Tessera::Impl::Cuda {

/// The policy for columns that cannot be read in vectors, because they are few or not aligned.
template <class Kind>
using NarrowCondensedPolicy = CondensedPolicy<is_half(Kind::precision) ? 32 : 16, 32, 4>;

/// Multiplies items by slabs of columns: a warp has one item and one slab (launch_items).
template <class Kind, class Policy, int access, class MatrixScalar, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps, Policy::warps / Policy::block_warps)
    condensed_kernel(const __grid_constant__ CondensedArguments<MatrixScalar, Scalar> arguments) {
  using Agent = CondensedAgent<Kind, Policy, access, MatrixScalar, Scalar>;
  const unsigned slabs = arguments.slabs, slab = blockIdx.x % slabs;
  const unsigned index = blockIdx.x / slabs * Policy::block_warps + threadIdx.x / 32;
  const bool has_item = index < static_cast<unsigned>(arguments.schedule.item_count);
  const CondensedItem item = has_item ? arguments.schedule.items[index] : CondensedItem{};
  wait_for_previous_kernels();
  if (!has_item) return;
  const Agent agent(arguments, static_cast<int>(slab), static_cast<int>(threadIdx.x % 32));
  typename Agent::Sums sums = {};
  agent.multiply(item.first_tile, item.first_tile + static_cast<Offset>(item.tiles), sums);
  let_next_kernel_begin();
  agent.finish(item, sums);
}

/// Calls visit.operator()<values, strips>(). Throws std::invalid_argument unless windows have 1 or 2 strips.
///
/// \tparam whole  how whole blocks of one strip are stored: Dense or Rounded
template <TileValues whole = TileValues::Dense, class Visit>
void for_kind(TileValues values, int strips, const Visit& visit) {
  const auto with_values = [&]<int s>() {
    constexpr TileValues blocks = s == 1 ? whole : TileValues::Dense;
    if (values == blocks) return visit.template operator()<blocks, s>();
    if (values == TileValues::Compact) return visit.template operator()<TileValues::Compact, s>();
    throw std::invalid_argument("condensed_spmm: no products of values that are stored in this way");
  };
  if (strips == 1) return with_values.template operator()<1>();
  if (strips == 2) return with_values.template operator()<2>();
  throw std::invalid_argument("condensed_spmm: windows of " + std::to_string(strips) + " strips; expected 1 or 2");
}

/// Restricts a product to columns first, first + 1, ..., last - 1. In 16 bits, the caller has already set x, x_columns
/// and x_row_bytes.
template <Precision precision, class Arguments>
void choose_columns(Arguments& arguments, Ordinal first, Ordinal last) {
  auto& product = arguments.product;
  product = columns_of(product, first, last - first);
  if (arguments.partials != nullptr) arguments.partials += first;
  if constexpr (is_half(precision)) {
    constexpr int column_bytes = 2, element_columns = 2;
    arguments.x = static_cast<const std::byte*>(arguments.x) + first * column_bytes;
    arguments.x_elements = (arguments.x_columns - first) / element_columns;
  } else {
    arguments.x = product.x.data;
    arguments.x_row_bytes = row_bytes(product.x);
    arguments.x_elements = last - first;
  }
}

/// Returns how many of the first columns can be read and written in vectors.
template <class Operands, class Product>
Ordinal vector_columns(const Product& product, int vector) {
  constexpr std::size_t size = sizeof(*product.y.data);
  const bool possible = (Operands::half || rows_are_aligned(product.x, vector * size)) &&
                        rows_are_aligned(product.y, Operands::y_access(vector) * size);
  return possible ? product.y.columns - product.y.columns % vector : 0;
}

/// Runs a product in two parts: with Policy for the columns that can be read in vectors, and with Narrow for the
/// others. launch.operator()<policy, number of columns read at once>(arguments of a part) starts the kernel of a part.
template <Precision precision, class Policy, class Narrow, class Arguments, class Launch>
void launch_parts(Stream stream, const Arguments& arguments, const Launch& launch) {
  using Scalar = decltype(decltype(Arguments::product)::alpha);
  using Operands = CondensedOperands<precision, Scalar, Policy::columns, Policy::reads>;
  constexpr int vector = Operands::element_columns * Operands::Elements::vector;
  const Ordinal columns = arguments.product.y.columns, wide = vector_columns<Operands>(arguments.product, vector);
  const auto launch_part = [&]<class PartPolicy, int access>(Ordinal first, Ordinal last) {
    if (first == last) return;
    Arguments part = arguments;
    choose_columns<precision>(part, first, last);
    launch.template operator()<PartPolicy, access>(part);
  };
  launch_part.template operator()<Policy, vector>(0, wide);
  launch_part.template operator()<Narrow, 1>(wide, columns);
  launch_piece_sums(stream, arguments, arguments.A.window_rows());
}

/// Runs a product with a given policy. Needs product.x.column_stride == 1, or x, x_columns and x_row_bytes in 16 bits.
/// Needs partials if the schedule has slots.
template <class Kind, class Policy, class MatrixScalar, class Scalar>
void launch_condensed(Stream stream, const CondensedArguments<MatrixScalar, Scalar>& arguments) {
  if (arguments.schedule.item_count == 0) return;
  const auto start = [&]<class Chosen, int access>(CondensedArguments<MatrixScalar, Scalar> part) {
    part.slabs = slab_count(part.product.y.columns, Chosen::columns);
    launch_items<Chosen, &condensed_kernel<Kind, Chosen, access, MatrixScalar, Scalar>>("condensed_kernel", 0, stream,
                                                                                        part);
  };
  launch_parts<Kind::precision, Policy, NarrowCondensedPolicy<Kind>>(stream, arguments, start);
}

}  // namespace Tessera::Impl::Cuda
