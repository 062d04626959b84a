// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>

#include "Consumer.cuh"
#include "Producer.cuh"
#include "epilogue/PieceSums.cuh"

namespace Tessera::Impl::Cuda {

/// Multiplies staged windows. The grid has exactly the number of blocks that are resident, and each runs several tasks.
/// The producers of a block are ahead of its consumers by at most the number of buffers.
template <Precision precision, class Policy, class Scalar>
__global__ void __launch_bounds__(Policy::threads, Policy::min_blocks)
    staged_kernel(const __grid_constant__ StagedArguments<Scalar> arguments) {
  const StagedBuffers<Scalar, Policy> buffers = {
      {}, {dynamic_memory()}, arguments.A.most_tile_bytes, arguments.A.most_value_bytes};
  if (threadIdx.x == 0) {
    for (int buffer = 0; buffer < Policy::buffers; ++buffer) {
      mbarrier_init(buffers.full(buffer), 32 * Policy::producers);
      mbarrier_init(buffers.empty(buffer), Policy::freeing_lanes * Policy::strips);
    }
  }
  __syncthreads();
  wait_for_previous_kernels();
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (warp < Policy::strips) {
    StagedConsumer<precision, Policy, Scalar>(arguments, buffers, warp, lane).run();
  } else {
    StagedProducer<Policy, Scalar>(arguments, buffers, warp - Policy::strips, lane).run();
  }
}

/// Launches a product with a given policy. Needs rows_are_aligned(product.x), and partials if the schedule has slots.
template <Precision precision, class Policy, class Scalar>
void launch_staged(Stream stream, StagedArguments<Scalar> arguments) {
  static_assert(StagedMemory<Scalar, Policy>::most_values(sizeof(Scalar)) >= 8 * Policy::strips,
                "a column of a window must fit");
  const StagedPattern& A = arguments.A;
  if (A.window_rows != 8 * Policy::strips || A.chunk_slots != Policy::slots) {
    throw std::invalid_argument("staged product: windows of " + std::to_string(A.window_rows) + " rows and chunks of " +
                                std::to_string(A.chunk_slots) + " are not those of the policy");
  }
  const Ordinal columns = arguments.product.y.columns;
  if (columns == 0 || arguments.schedule.item_count == 0) return;
  arguments.x_row_bytes = row_bytes(arguments.product.x);
  arguments.slabs = slab_count(columns, Policy::columns);
  arguments.y_vectors = rows_are_aligned(arguments.product.y);
  const std::size_t shared_bytes = StagedMemory<Scalar, Policy>::bytes(A.most_tile_bytes, A.most_value_bytes);
  constexpr auto kernel = &staged_kernel<precision, Policy, Scalar>;
  allow_shared_memory<kernel>("staged_kernel: shared memory", most_shared_bytes(), cudaSharedmemCarveoutMaxShared);
  const unsigned tasks = launch_count(std::size_t(arguments.schedule.item_count) * arguments.slabs);
  const unsigned blocks = std::min(tasks, resident_blocks<kernel>(Policy::threads, shared_bytes));
  launch_early<kernel>("staged_kernel", blocks, Policy::threads, shared_bytes, stream, arguments);
  launch_piece_sums(stream, arguments, A.window_rows);
}

}  // namespace Tessera::Impl::Cuda
