// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../condensed/Launch.cuh"
#include "Agent.cuh"
#include "Policy.hpp"

namespace Tessera::Cuda {

/// For columns that cannot be read in vectors: few, or badly aligned.
using NarrowBitTcfPolicy = BitTcfPolicy<2, 16, 12, 2>;

/// Blocks of the schedule times slabs of columns, a block of threads each.
template <class Kind, class Policy, int access, class Offset, class Scalar>
__global__ void __launch_bounds__(32 * Policy::warps, Policy::blocks)
    bittcf_kernel(const __grid_constant__ BitTcfArguments<Offset, Scalar> arguments) {
  using Agent = BitTcfAgent<Kind, Policy, access, Offset, Scalar>;
  const unsigned slabs = arguments.slabs, slab = blockIdx.x % slabs, block = blockIdx.x / slabs;
  auto& memory = *reinterpret_cast<typename Agent::Tiles::Memory*>(dynamic_memory());
  Agent agent(arguments, memory, static_cast<int>(slab), static_cast<int>(threadIdx.x));
  agent.run(arguments.block_items[block], arguments.block_items[block + 1]);
}

/// Columns first, first + 1, ..., last - 1 of a product.
template <class Kind, class Policy, int access, class Offset, class Scalar>
void launch_bittcf_columns(Stream stream, BitTcfArguments<Offset, Scalar> arguments, Ordinal first,
                           Ordinal last) {
  if (first == last || arguments.block_count == 0) return;
  choose_columns<Kind::precision>(arguments, first, last);
  arguments.slabs = slab_count(last - first, Policy::block_columns);
  launch("bittcf_kernel", bittcf_kernel<Kind, Policy, access, Offset, Scalar>,
         launch_count(std::size_t(arguments.block_count) * static_cast<unsigned>(arguments.slabs)), 32 * Policy::warps,
         sizeof(typename BitTcfTiles<Offset, Scalar>::Memory), stream, arguments);
}

/// A whole product with a given policy. Needs product.x.column_stride == 1 and, if the schedule has slots, partials.
template <Precision precision, class Policy, class Offset, class Scalar>
void launch_bittcf(Stream stream, const BitTcfArguments<Offset, Scalar>& arguments) {
  using Kind = CondensedKind<precision, TileValues::Compact, 1>;
  using Operands = CondensedOperands<precision, Scalar, Policy::columns, Policy::reads>;
  constexpr int vector = Operands::Elements::vector;
  const Ordinal columns = arguments.product.y.columns;
  const Ordinal wide = vector_columns<Operands>(arguments.product, vector);
  launch_bittcf_columns<Kind, Policy, vector>(stream, arguments, 0, wide);
  launch_bittcf_columns<Kind, NarrowBitTcfPolicy, 1>(stream, arguments, wide, columns);
  launch_piece_sums(stream, arguments, arguments.A.window_rows());
}

}  // namespace Tessera::Cuda
