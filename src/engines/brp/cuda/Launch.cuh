// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Agent.cuh"
#include "condensed/cuda/Launch.cuh"

namespace Tessera::Impl::Cuda {

/// Multiplies items by slabs of columns: a warp has one item and one slab (launch_items).
template <class Kind, class Policy, int access, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps, Policy::warps / Policy::block_warps)
    brp_kernel(const __grid_constant__ BrpArguments<Scalar> arguments) {
  using Agent = BrpAgent<Kind, Policy, access, Scalar>;
  const unsigned slabs = arguments.slabs;
  const unsigned index = blockIdx.x / slabs * Policy::block_warps + threadIdx.x / 32;
  const bool has_item = index < static_cast<unsigned>(arguments.schedule.item_count);
  const BrpItem item = has_item ? arguments.items[index] : BrpItem{};
  wait_for_previous_kernels();
  if (!has_item) return;

  alignas(16) __shared__ std::byte memory[Policy::block_warps][Agent::memory_bytes];
  const Agent agent(arguments, static_cast<int>(blockIdx.x % slabs), static_cast<int>(threadIdx.x % 32),
                    memory[threadIdx.x / 32]);
  typename Agent::Sums sums = {};
  agent.multiply_groups(item, sums);
  agent.multiply_residual(item, sums);
  let_next_kernel_begin();
  agent.finish(item, sums);
}

/// Runs a product with a given policy. Needs product.x.column_stride == 1, and partials if the schedule has slots.
template <class Kind, class Policy, class Scalar>
void launch_brp(Stream stream, const BrpArguments<Scalar>& arguments) {
  if (arguments.schedule.item_count == 0) return;
  const auto start = [&]<class Chosen, int access>(BrpArguments<Scalar> part) {
    part.slabs = slab_count(part.product.y.columns, Chosen::columns);
    launch_items<Chosen, &brp_kernel<Kind, Chosen, access, Scalar>>("brp_kernel", 0, stream, part);
  };
  launch_parts<Kind::precision, Policy, NarrowBrpPolicy>(stream, arguments, start);
}

}  // namespace Tessera::Impl::Cuda
