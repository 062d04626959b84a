// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Agent.cuh"
#include "Policy.hpp"
#include "condensed/cuda/Launch.cuh"

namespace Tessera::Impl::Cuda {

/// The policy for columns that cannot be read in vectors because they are few or not aligned.
using NarrowBitTcfPolicy = BitTcfPolicy<2, 16, 12, 2>;

/// Multiplies a block of the schedule by a slab of columns in each thread block.
template <class Kind, class Policy, int access, class Scalar>
__global__ void __launch_bounds__(32 * Policy::warps, Policy::blocks)
    bittcf_kernel(const __grid_constant__ BitTcfArguments<Scalar> arguments) {
  using Agent = BitTcfAgent<Kind, Policy, access, Scalar>;
  const unsigned slabs = arguments.slabs, slab = blockIdx.x % slabs, block = blockIdx.x / slabs;
  auto& memory = *reinterpret_cast<typename Agent::Tiles::Memory*>(dynamic_memory());
  Agent agent(arguments, memory, static_cast<int>(slab), static_cast<int>(threadIdx.x));
  agent.run(arguments.block_items[block], arguments.block_items[block + 1]);
}

/// Runs a product with a given policy. Needs product.x.column_stride == 1, and partials if the schedule has slots.
template <Precision precision, class Policy, class Scalar>
void launch_bittcf(Stream stream, const BitTcfArguments<Scalar>& arguments) {
  if (arguments.block_count == 0) return;
  const auto start = [&]<class Chosen, int access>(BitTcfArguments<Scalar> part) {
    using Kind = CondensedKind<precision, TileValues::Compact, 1>;
    part.slabs = slab_count(part.product.y.columns, Chosen::block_columns);
    launch("bittcf_kernel", bittcf_kernel<Kind, Chosen, access, Scalar>,
           launch_count(std::size_t(part.block_count) * part.slabs), 32 * Chosen::warps,
           sizeof(typename BitTcfTiles<Scalar>::Memory), stream, part);
  };
  launch_parts<precision, Policy, NarrowBitTcfPolicy>(stream, arguments, start);
}

}  // namespace Tessera::Impl::Cuda
