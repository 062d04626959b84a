// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Agent.cuh"

namespace Tessera::Cuda {

/// Items times slabs of columns, a warp each; the warps of a block have adjacent items and the same slab.
template <class Kind, class Policy, int access, class Offset, class MatrixScalar, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps, Policy::warps / Policy::block_warps)
    condensed_kernel(const __grid_constant__ CondensedArguments<Offset, MatrixScalar, Scalar> arguments) {
  using Agent = CondensedAgent<Kind, Policy, access, Offset, MatrixScalar, Scalar>;
  const unsigned slabs = arguments.slabs, groups = gridDim.x / slabs;
  const bool innermost = arguments.order == SlabOrder::Innermost;
  const unsigned slab = innermost ? blockIdx.x % slabs : blockIdx.x / groups;
  const unsigned group = innermost ? blockIdx.x / slabs : blockIdx.x % groups;
  const unsigned index = group * Policy::block_warps + threadIdx.x / 32;
  if (index >= static_cast<unsigned>(arguments.schedule.item_count)) return;

  const CondensedItem<Offset> item = arguments.schedule.items[index];
  const Agent agent(arguments, static_cast<int>(slab), static_cast<int>(threadIdx.x % 32));
  typename Agent::Sums sums = {};
  agent.multiply(item.first_tile, item.first_tile + static_cast<Offset>(item.tiles), sums);
  agent.finish(item, sums);
}

}  // namespace Tessera::Cuda
