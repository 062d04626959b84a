// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../condensed/Launch.cuh"
#include "Agent.cuh"

namespace Tessera::Cuda {

/// Items times slabs of columns, a warp each; the warps of a block have adjacent items and the same slab.
template <class Kind, class Policy, int access, class Offset, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps, Policy::warps / Policy::block_warps)
    brp_kernel(const __grid_constant__ BrpArguments<Offset, Scalar> arguments) {
  using Agent = BrpAgent<Kind, Policy, access, Offset, Scalar>;
  const unsigned slabs = arguments.slabs;
  const unsigned index = blockIdx.x / slabs * Policy::block_warps + threadIdx.x / 32;
  if (index >= static_cast<unsigned>(arguments.schedule.item_count)) return;

  const BrpItem<Offset> item = arguments.items[index];
  alignas(16) __shared__ std::byte memory[Policy::block_warps][Agent::memory_bytes];
  const Agent agent(arguments, static_cast<int>(blockIdx.x % slabs), static_cast<int>(threadIdx.x % 32),
                    memory[threadIdx.x / 32]);
  typename Agent::Sums sums = {};
  agent.multiply_groups(item, sums);
  agent.multiply_residual(item, sums);
  agent.finish(item, sums);
}

/// Columns first, first + 1, ..., last - 1 of a product.
template <class Kind, class Policy, int access, class Offset, class Scalar>
void launch_brp_columns(Stream stream, BrpArguments<Offset, Scalar> arguments, Ordinal first, Ordinal last) {
  if (first == last || arguments.schedule.item_count == 0) return;
  choose_columns<Kind::precision>(arguments, first, last);
  arguments.slabs = slab_count(last - first, Policy::columns);
  const unsigned blocks = launch_count(std::size_t(window_count(arguments.schedule.item_count, Policy::block_warps)) *
                                       static_cast<unsigned>(arguments.slabs));
  launch("brp_kernel", brp_kernel<Kind, Policy, access, Offset, Scalar>, blocks, 32 * Policy::block_warps, 0, stream,
         arguments);
}

/// A whole product with a given policy. Needs product.x.column_stride == 1 and, if the schedule has slots, partials.
template <class Kind, class Policy, class Offset, class Scalar>
void launch_brp(Stream stream, const BrpArguments<Offset, Scalar>& arguments) {
  using Operands = CondensedOperands<Kind::precision, Scalar, Policy::columns, Policy::reads>;
  constexpr int vector = Operands::Elements::vector;
  const Ordinal columns = arguments.product.y.columns;
  const Ordinal wide = vector_columns<Operands>(arguments.product, vector);
  launch_brp_columns<Kind, Policy, vector>(stream, arguments, 0, wide);
  launch_brp_columns<Kind, NarrowBrpPolicy, 1>(stream, arguments, wide, columns);
  launch_piece_sums(stream, arguments, arguments.partition.window_rows());
}

}  // namespace Tessera::Cuda
