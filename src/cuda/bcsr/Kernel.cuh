// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../launch/Launch.cuh"
#include "Agent.cuh"

namespace Tessera::Cuda {

/// Items times slabs of columns, a warp each, all slabs of some items one after the other: their blocks are read from
/// memory once. The warps of a block have adjacent items and the same slab.
template <class Kind, class Policy, bool gathers, class Offset, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps, Policy::warps / Policy::block_warps)
    bcsr_kernel(const __grid_constant__ BcsrArguments<Offset, Scalar, typename Kind::Operand> arguments) {
  using Agent = BcsrAgent<Kind, Policy, gathers, Offset, Scalar>;
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / 32), 0);
  const unsigned slab = blockIdx.x % arguments.slabs;
  const unsigned index = blockIdx.x / arguments.slabs * Policy::block_warps + static_cast<unsigned>(warp);
  if (index >= static_cast<unsigned>(arguments.schedule.item_count)) return;

  auto* const ring = reinterpret_cast<uint4*>(dynamic_memory() + warp * Agent::shared_bytes);
  CondensedItem<Offset> item = arguments.schedule.items[index];
  item.tiles = __shfl_sync(0xffffffffu, item.tiles, 0);
  const Agent agent(arguments, ring, slab, static_cast<int>(threadIdx.x % 32));
  typename Agent::Sums sums = {};
  agent.multiply(item, sums);
  agent.finish(item, sums);
}

}  // namespace Tessera::Cuda
