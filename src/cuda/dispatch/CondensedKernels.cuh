// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../agent/CondensedAgent.cuh"

namespace Tessera::Cuda {

/// Warps of a block that share the tiles of an item add up their sums, in order, for the first of them.
template <int split, int block_warps, int count, class Scalar>
__device__ __forceinline__ void add_up_sums(Scalar* sums) {
  constexpr int senders = block_warps - block_warps / split;
  __shared__ Scalar shared[senders][count][32];
  static_assert(sizeof(shared) <= 48 * 1024, "fewer warps a block, or fewer columns a warp");
  const int lane = threadIdx.x % 32, part = threadIdx.x / 32 % split, team = threadIdx.x / 32 / split;
  if (part != 0) {
#pragma unroll
    for (int i = 0; i < count; ++i) shared[team * (split - 1) + part - 1][i][lane] = sums[i];
  }
  __syncthreads();
  if (part == 0) {
#pragma unroll
    for (int other = 0; other < split - 1; ++other) {
#pragma unroll
      for (int i = 0; i < count; ++i) sums[i] += shared[team * (split - 1) + other][i][lane];
    }
  }
}

/// Items times slabs of columns: Policy::split warps each.
template <class Kind, class Policy, int access, class Offset, class MatrixScalar, class Scalar>
__global__ void __launch_bounds__(32 * Policy::block_warps, Policy::min_blocks)
    condensed_kernel(const __grid_constant__ CondensedArguments<Offset, MatrixScalar, Scalar> arguments) {
  using Agent = CondensedAgent<Kind, Policy, access, Offset, MatrixScalar, Scalar>;
  const unsigned warp = threadIdx.x / 32, part = warp % Policy::split;
  const unsigned task = blockIdx.x * (Policy::block_warps / Policy::split) + warp / Policy::split;
  const unsigned items = arguments.schedule.item_count, slabs = arguments.slabs;
  const bool innermost = arguments.order == SlabOrder::Innermost;
  const bool idle = task >= items * slabs;
  if (Policy::split == 1 && idle) return;  // else it is wanted at the barrier
  const unsigned safe_task = idle ? 0 : task;
  const unsigned slab = innermost ? safe_task % slabs : safe_task / items;
  const CondensedItem<Offset> item = arguments.schedule.items[innermost ? safe_task / slabs : safe_task % items];
  const Agent agent(arguments, static_cast<int>(slab), static_cast<int>(threadIdx.x % 32));

  typename Agent::Sums sums = {};
  const auto end_of_part = [&](unsigned p) {
    return item.first_tile + static_cast<Offset>(static_cast<unsigned long long>(item.tiles) * p / Policy::split);
  };
  agent.multiply(end_of_part(part), end_of_part(part + 1), sums);
  if constexpr (Policy::split > 1) {
    add_up_sums<Policy::split, Policy::block_warps, sizeof(sums) / sizeof(Scalar)>(&sums[0][0][0]);
    if (idle || part != 0) return;
  }
  agent.recompute_nonfinite(item, sums);
  if (item.slot == CondensedItem<Offset>::direct) {
    agent.store(item.window, sums);
  } else {
    agent.store_partial(item.slot, sums);
  }
}

/// Y = alpha (sum of partial sums) + beta Y for windows that were split: a thread an element.
template <int strips, class Offset, class MatrixScalar, class Scalar>
__global__ void condensed_sum_kernel(
    const __grid_constant__ CondensedArguments<Offset, MatrixScalar, Scalar> arguments) {
  constexpr int window_rows = CondensedPattern<Offset>::strip_rows * strips;
  const Product<MatrixScalar, Scalar>& product = arguments.product;
  const unsigned columns = product.y.columns;
  const std::size_t index = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::size_t sum_index = index / (columns * window_rows);
  if (sum_index >= std::size_t(arguments.schedule.sum_count)) return;
  const unsigned element = static_cast<unsigned>(index - sum_index * (columns * window_rows));
  const CondensedSum window = arguments.schedule.sums[sum_index];
  const Ordinal r = element / columns, column = element % columns, row = window.window * window_rows + r;
  if (row >= arguments.A.rows) return;

  const Scalar* partial =
      arguments.partials + (std::size_t(window.first_slot) * window_rows + r) * arguments.partials_stride + column;
  Scalar sum = 0;
#pragma unroll 4
  for (int slot = 0; slot < window.slots; ++slot) {
    sum += partial[std::size_t(slot) * window_rows * arguments.partials_stride];
  }
  Scalar& y = product.y(product.y_rows == nullptr ? row : product.y_rows[row], column);
  sum *= product.alpha;
  y = product.beta != Scalar(0) ? sum + product.beta * y : sum;
}

}  // namespace Tessera::Cuda
