// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Agent.cuh"
#include "Policy.hpp"
#include "launch/Launch.cuh"
#include "launch/Operands.hpp"

namespace Tessera::Impl::Cuda {

/// Multiplies items by slabs of columns. All blocks of a slab precede those of the next slab, so only one slab of X is
/// in use at a time.
template <class Policy, class InMemory>
__global__ void __maxnreg__(Policy::registers)
    row_groups_kernel(const __grid_constant__ RowGroupsArguments<InMemory> arguments) {
  const unsigned slab = blockIdx.x / arguments.slab_blocks, block = blockIdx.x % arguments.slab_blocks;
  const unsigned index = block * (Policy::threads / Policy::lanes) + threadIdx.x / Policy::lanes;
  const bool has_item = index < static_cast<unsigned>(arguments.schedule.item_count);
  const RowGroupItem item = has_item ? arguments.schedule.items[index] : RowGroupItem{};
  wait_for_previous_kernels();
  if (!has_item) return;
  const int lane = static_cast<int>(threadIdx.x) % Policy::lanes;
  RowGroupsAgent<Policy, InMemory>(arguments, static_cast<int>(slab), lane).run(item);
}

/// Adds the pieces of groups that are cut, from the first to the last. A warp adds 32 columns of a row of Y.
template <class InMemory>
__global__ void row_group_sums_kernel(const __grid_constant__ RowGroupsArguments<InMemory> arguments) {
  using Scalar = typename RowGroupsArguments<InMemory>::Scalar;
  wait_for_previous_kernels();
  const unsigned warps_of_row = (static_cast<unsigned>(arguments.product.y.columns) + 31) / 32;
  const std::size_t warp = std::size_t(blockIdx.x) * blockDim.y + threadIdx.y, row = warp / warps_of_row;
  const auto column = static_cast<Ordinal>(warp % warps_of_row * 32 + threadIdx.x);
  const std::size_t sum = row / RowGroupsSchedule::slot_rows;
  if (sum >= std::size_t(arguments.schedule.sum_count) || column >= arguments.product.y.columns) return;
  const RowGroupSum group = arguments.schedule.sums[sum];
  const int r = static_cast<int>(row % RowGroupsSchedule::slot_rows);
  if (r >= group.height) return;
  const std::ptrdiff_t slot_stride = RowGroupsSchedule::slot_rows * arguments.partials_stride;
  const Scalar* partial = arguments.partials + group.first_slot * slot_stride + r * arguments.partials_stride + column;
  Scalar total = *partial;
#pragma unroll 4
  for (int slot = 1; slot < group.slots; ++slot) total += partial[slot * slot_stride];
  store_element(arguments.product, group.first_row + r, column, total);
}

/// Launches the second step of a product, if groups are cut.
template <class InMemory>
void launch_row_group_sums(Stream stream, const RowGroupsArguments<InMemory>& arguments) {
  if (arguments.schedule.sum_count == 0) return;
  const dim3 threads(32, 8);
  const std::size_t rows = std::size_t(arguments.schedule.sum_count) * RowGroupsSchedule::slot_rows;
  const std::size_t warps = rows * static_cast<std::size_t>(window_count(arguments.product.y.columns, 32));
  launch_early<&row_group_sums_kernel<InMemory>>("row_groups_spmm: sums of pieces", blocks_for(warps, threads.y),
                                                 threads, 0, stream, arguments);
}

/// Launches a product. Rows of X must be whole vectors.
template <class Policy, class InMemory>
void launch_row_groups(Stream stream, RowGroupsArguments<InMemory> arguments) {
  if (arguments.schedule.item_count == 0 || arguments.product.y.columns == 0) return;
  constexpr int slab_columns = Policy::slab_vectors * Vector<InMemory, true>::size;
  const unsigned slabs = slab_count(arguments.product.y.columns, slab_columns);
  arguments.slab_blocks = blocks_for(std::size_t(arguments.schedule.item_count), Policy::threads / Policy::lanes);
  launch_early<&row_groups_kernel<Policy, InMemory>>("row_groups_spmm",
                                                     launch_count(std::size_t(arguments.slab_blocks) * slabs),
                                                     Policy::threads, 0, stream, arguments);
  launch_row_group_sums(stream, arguments);
}

/// Returns the arguments of a product: X with rows of whole vectors, copied if necessary, and the parts of the scratch
/// memory. Throws std::invalid_argument if operands or workspace do not fit.
template <class InMemory>
RowGroupsArguments<InMemory> row_groups_arguments(Stream stream, const RowGroupsPattern& A,
                                                  const RowGroupsSchedule& schedule,
                                                  const Product<sum_of_t<InMemory>, InMemory>& product,
                                                  const Scratch& workspace) {
  expect_extents("row_groups_spmm", A.rows, A.columns, product);
  RowGroupsArguments<InMemory> arguments{
      .schedule = schedule, .group_columns = A.group_columns, .column_masks = A.column_masks, .product = product};
  arguments.y_vectors = rows_are_whole(product.y);
  prepare_operands("row_groups_spmm", stream, RowGroupsSchedule::slot_rows, row_groups_x_access, workspace, arguments);
  arguments.x_row_bytes = row_bytes(arguments.product.x);
  return arguments;
}

}  // namespace Tessera::Impl::Cuda
