// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../agent/CondensedAgent.cuh"

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
  y = scaled_and_added(product.alpha, sum, product.beta, [&] { return y; });
}

}  // namespace Tessera::Cuda
