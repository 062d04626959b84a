// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Agent.cuh"
#include "Policy.hpp"

namespace Tessera::Cuda {

/// Items times slabs of columns, a warp each; the warps of a block have adjacent items and the same slab.
template <class Kind, class Policy, int access, class Offset, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps, Policy::warps / Policy::block_warps)
    brp_kernel(const __grid_constant__ BrpArguments<Offset, Scalar> arguments) {
  using Agent = BrpAgent<Kind, Policy, access, Offset, Scalar>;
  const unsigned slabs = arguments.windows.slabs;
  const unsigned index = blockIdx.x / slabs * Policy::block_warps + threadIdx.x / 32;
  if (index >= static_cast<unsigned>(arguments.windows.schedule.item_count)) return;

  const BrpItem<Offset> item = arguments.items[index];
  if (Kind::part == BrpPart::Residual && item.residual_rows == 0 && item.slot == BrpItem<Offset>::direct) return;
  alignas(16) __shared__ std::byte memory[Policy::block_warps][Agent::memory_bytes];
  const Agent agent(arguments, static_cast<int>(blockIdx.x % slabs), static_cast<int>(threadIdx.x % 32),
                    memory[threadIdx.x / 32]);
  typename Agent::Sums sums = {};
  if constexpr (Kind::has_groups) agent.multiply_groups(item, sums);
  if constexpr (Kind::has_residual) agent.multiply_residual(item, sums);
  agent.finish(item, sums);
}

}  // namespace Tessera::Cuda
