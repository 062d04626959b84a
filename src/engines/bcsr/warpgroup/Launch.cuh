// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Consumer.cuh"
#include "Producer.cuh"
#include "epilogue/PieceSums.cuh"
#include "launch/Launch.cuh"
#include "launch/Operands.hpp"

namespace Tessera::Impl::Cuda {

/// Multiplies items by slabs of columns in blocks that stay on their multiprocessors. While the warps that multiply
/// write the sums of a task, the others already copy the next one's strips. All slabs of an item are adjacent tasks.
template <class Policy>
__global__ void __launch_bounds__(Policy::threads, 1)
    warpgroup_kernel(const __grid_constant__ WarpgroupArguments<typename Policy::Operand> arguments) {
  std::byte* memory = dynamic_memory();
  memory += (atom_bytes - reinterpret_cast<std::uintptr_t>(memory) % atom_bytes) % atom_bytes;
  const WarpgroupBuffers<Policy> buffers = {{memory}};
  if (threadIdx.x == 0) {
    for (int buffer = 0; buffer < Policy::buffers; ++buffer) {
      mbarrier_init(buffers.full(buffer), 1 + Policy::producers);
      mbarrier_init(buffers.empty(buffer), Policy::freeing_lanes * Policy::consumers / 32);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / 32), 0);
  const unsigned tasks = static_cast<unsigned>(arguments.schedule.item_count) * arguments.slabs;
  const auto for_each_task = [&](const auto& visit) {
    for (unsigned task = blockIdx.x; task < tasks; task += gridDim.x) {
      visit(arguments.schedule.items[task / arguments.slabs],
            static_cast<int>(task % arguments.slabs) * Policy::columns);
    }
  };
  if (warp >= Policy::consumers / 32) {
    release_registers<Policy::producer_registers>();
    WarpgroupProducer<Policy> producer(arguments, buffers, static_cast<int>(threadIdx.x) - Policy::consumers);
    for_each_task([&](const CondensedItem& item, int first_column) { producer.run(item, first_column); });
    wait_copies<0>();
  } else {
    take_registers<Policy::consumer_registers>();
    WarpgroupConsumer<Policy> consumer(arguments, buffers, warp, static_cast<int>(threadIdx.x % 32));
    for_each_task([&](const CondensedItem& item, int first_column) { consumer.run(item, first_column); });
  }
}

/// Runs a product with a given policy. x is as described at WarpgroupArguments, and partials are set if the schedule
/// has slots.
template <class Policy>
void launch_warpgroups(Stream stream, WarpgroupArguments<typename Policy::Operand> arguments) {
  const Ordinal columns = arguments.product.y.columns;
  if (columns == 0 || arguments.schedule.item_count == 0) return;
  arguments.y_vectors = rows_are_aligned(arguments.product.y);
  arguments.slabs = slab_count(columns, Policy::columns);
  constexpr auto kernel = &warpgroup_kernel<Policy>;
  allow_shared_memory<kernel>("warpgroup_kernel: shared memory", Policy::shared_bytes, cudaSharedmemCarveoutMaxShared);
  const unsigned tasks = launch_count(std::size_t(arguments.schedule.item_count) * arguments.slabs);
  launch("warpgroup_kernel", kernel, std::min(tasks, static_cast<unsigned>(multiprocessors())), Policy::threads,
         Policy::shared_bytes, stream, arguments);
  launch_piece_sums(stream, arguments, panel_rows);
}

}  // namespace Tessera::Impl::Cuda
