// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Consumer.cuh"
#include "Producer.cuh"
#include "epilogue/PieceSums.cuh"

namespace Tessera::Impl::Cuda {

/// Multiplies in blocks that stay on their multiprocessors and run their tasks one after another. The producer of a
/// block is ahead of its consumers by at most the number of buffers in the ring.
template <Precision precision, class Policy, class Scalar>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks)
    bmat_kernel(const __grid_constant__ BmatArguments<Scalar> arguments) {
  using Buffers = BmatBuffers<Scalar, Policy>;
  const Buffers buffers = {{dynamic_memory()}};
  if (threadIdx.x == 0) {
    for (int buffer = 0; buffer < Policy::buffers; ++buffer) {
      mbarrier_init(buffers.full(buffer), Buffers::full_arrivals);
      mbarrier_init(buffers.empty(buffer), Policy::freeing_lanes * Policy::consumers);
    }
    if constexpr (Policy::copy == BmatCopy::Bulk) fence_mbarrier_init();
  }
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (warp < Policy::consumers) {
    BmatConsumer<precision, Policy, Scalar>(arguments, buffers, warp, lane).run();
  } else {
    BmatProducer<Policy, Scalar>(arguments, buffers, lane).run();
  }
}

/// Runs a product with a given policy. Needs rows_are_whole(product.x) with its columns rounded up to 16 bytes, and
/// partials if the schedule has slots.
template <Precision precision, class Policy, class Scalar>
void launch_bmat(Stream stream, BmatArguments<Scalar> arguments) {
  using Buffers = BmatBuffers<Scalar, Policy>;
  const Ordinal columns = arguments.product.y.columns;
  if (columns == 0 || arguments.schedule.item_count == 0) return;
  arguments.x_row_bytes = row_bytes(arguments.product.x);
  static_cast<void>(slab_count(columns, Policy::columns));  // throws for too many slabs; the kernel also counts them
  constexpr Ordinal vector = 16 / sizeof(Scalar);
  arguments.copied_columns = ceil_divide(columns, vector) * vector;
  arguments.y_vectors = rows_are_aligned(arguments.product.y);
  constexpr auto kernel = &bmat_kernel<precision, Policy, Scalar>;
  allow_shared_memory<kernel>("bmat_kernel: shared memory", Buffers::bytes, cudaSharedmemCarveoutMaxShared);
  const unsigned blocks = launch_count(std::size_t(arguments.schedule.multiprocessors) * Policy::blocks);
  launch("bmat_kernel", kernel, blocks, Policy::threads, Buffers::bytes, stream, arguments);
  launch_piece_sums(stream, arguments, arguments.A.window_rows());
}

}  // namespace Tessera::Impl::Cuda
