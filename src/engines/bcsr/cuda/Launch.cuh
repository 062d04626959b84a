// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>

#include "Agent.cuh"
#include "epilogue/PieceSums.cuh"
#include "launch/Launch.cuh"

namespace Tessera::Impl::Cuda {

/// Multiplies items by slabs of columns: a warp has one item and one slab (launch_items).
template <class Kind, class Policy, bool gathers, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps, Policy::warps / Policy::block_warps)
    bcsr_kernel(const __grid_constant__ BcsrArguments<Scalar, typename Kind::Operand> arguments) {
  using Agent = BcsrAgent<Kind, Policy, gathers, Scalar>;
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / 32), 0);
  const unsigned slab = blockIdx.x % arguments.slabs;
  const unsigned index = blockIdx.x / arguments.slabs * Policy::block_warps + static_cast<unsigned>(warp);
  const bool has_item = index < static_cast<unsigned>(arguments.schedule.item_count);
  CondensedItem item = has_item ? arguments.schedule.items[index] : CondensedItem{};
  wait_for_previous_kernels();
  if (!has_item) return;

  auto* const ring = reinterpret_cast<uint4*>(dynamic_memory() + warp * Agent::shared_bytes);
  item.tiles = __shfl_sync(0xffffffffu, item.tiles, 0);
  const Agent agent(arguments, ring, slab, static_cast<int>(threadIdx.x % 32));
  typename Agent::Sums sums = {};
  agent.multiply(item, sums);
  let_next_kernel_begin();
  agent.finish(item, sums);
}

/// Runs the first step of a product with a given policy.
template <class Kind, class Policy, bool gathers, class Scalar>
void launch_bcsr_items(Stream stream, const BcsrArguments<Scalar, typename Kind::Operand>& arguments) {
  using Agent = BcsrAgent<Kind, Policy, gathers, Scalar>;
  constexpr auto kernel = &bcsr_kernel<Kind, Policy, gathers, Scalar>;
  constexpr std::size_t shared_bytes = std::size_t(Agent::shared_bytes) * Policy::block_warps;
  allow_shared_memory<kernel>("bcsr_kernel: shared memory", static_cast<int>(shared_bytes));
  launch_items<Policy, kernel>("bcsr_kernel", shared_bytes, stream, arguments);
}

/// Runs a product with a given policy. x and values are as described at BcsrArguments, blocks have the size of Kind,
/// and partials are set if the schedule has slots. may_gather says whether x_rows may be given.
template <class Kind, class Policy, bool may_gather = true, class Scalar>
void launch_bcsr(Stream stream, BcsrArguments<Scalar, typename Kind::Operand> arguments) {
  const Product<Scalar, Scalar>& product = arguments.product;
  const Ordinal columns = product.y.columns;
  if (columns == 0 || arguments.schedule.item_count == 0) return;
  arguments.y_vectors = rows_are_aligned(product.y);
  arguments.slabs = slab_count(columns, Policy::columns);
  if (product.x_rows == nullptr) {
    launch_bcsr_items<Kind, Policy, false>(stream, arguments);
  } else if constexpr (may_gather) {
    launch_bcsr_items<Kind, Policy, true>(stream, arguments);
  } else {
    throw std::invalid_argument("launch_bcsr: x_rows must be null with this policy");
  }

  launch_piece_sums(stream, arguments, Kind::height);
}

}  // namespace Tessera::Impl::Cuda
