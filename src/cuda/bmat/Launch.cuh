// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/PackRows.hpp>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/Stream.hpp>

#include "../epilogue/PieceSums.cuh"
#include "../launch/RowBytes.hpp"
#include "Consumer.cuh"
#include "Producer.cuh"

namespace Tessera::Cuda {

/// Blocks that stay: each takes its tasks, its producer runs ahead of its consumers as far as the ring is long.
template <Precision precision, class Policy, class Offset, class Scalar>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks)
    bmat_kernel(const __grid_constant__ BmatArguments<Offset, Scalar> arguments) {
  using Buffers = BmatBuffers<Scalar, Policy>;
  const Buffers buffers = {dynamic_memory()};
  if (threadIdx.x == 0) {
    for (int buffer = 0; buffer < Policy::buffers; ++buffer) {
      mbarrier_init(buffers.full(buffer), Buffers::full_arrivals);
      mbarrier_init(buffers.empty(buffer), Policy::consumers);
    }
    if constexpr (Policy::copy == BmatCopy::Bulk) fence_mbarrier_init();
  }
  __syncthreads();
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (warp < Policy::consumers) {
    BmatConsumer<precision, Policy, Offset, Scalar>(arguments, buffers, warp, lane).run();
  } else {
    BmatProducer<Policy, Offset, Scalar>(arguments, buffers, lane).run();
  }
}

/// Columns up to the next 16 bytes.
template <class Scalar>
int columns_to_copy(Ordinal columns) {
  constexpr int vector = 16 / static_cast<int>(sizeof(Scalar));
  return (columns + vector - 1) / vector * vector;
}

/// Whether rows can be copied where they are: they begin and end at multiples of 16 bytes.
template <class Scalar>
bool rows_can_be_copied(const Multivector<const Scalar>& x) {
  return rows_are_aligned(x) && x.columns == columns_to_copy<Scalar>(x.columns);
}

/// A whole product with a given policy. Needs rows of product.x that can be copied up to columns_to_copy and, if the
/// schedule has slots, partials.
template <Precision precision, class Policy, class Offset, class Scalar>
void launch_bmat(Stream stream, BmatArguments<Offset, Scalar> arguments) {
  using Buffers = BmatBuffers<Scalar, Policy>;
  const Ordinal columns = arguments.product.y.columns;
  if (columns == 0 || arguments.schedule.item_count == 0) return;
  arguments.x_row_bytes = row_bytes(arguments.product.x);
  static_cast<void>(slab_count(columns, Policy::columns));  // which the kernel counts itself
  arguments.copied_columns = columns_to_copy<Scalar>(columns);
  arguments.y_vectors = rows_are_aligned(arguments.product.y);
  constexpr auto kernel = &bmat_kernel<precision, Policy, Offset, Scalar>;
  allow_shared_memory<kernel>("bmat_kernel: shared memory", Buffers::bytes, cudaSharedmemCarveoutMaxShared);
  const unsigned blocks = launch_count(std::size_t(arguments.schedule.multiprocessors) * Policy::blocks);
  launch("bmat_kernel", kernel, blocks, Policy::threads, Buffers::bytes, stream, arguments);
  launch_piece_sums(stream, arguments, arguments.A.window_rows());
}

/// The same for any X: by rows in `packed` (rows of X x stride) where its own rows do not do.
template <Precision precision, class Policy, class Offset, class Scalar>
void launch_bmat_any(Stream stream, BmatArguments<Offset, Scalar> arguments, Scalar* packed, std::ptrdiff_t stride) {
  Multivector<const Scalar>& x = arguments.product.x;
  if (!rows_can_be_copied(x)) {
    pack_rows(stream, x, packed, stride);
    x = {packed, x.rows, x.columns, stride, 1};
  }
  launch_bmat<precision, Policy>(stream, arguments);
}

}  // namespace Tessera::Cuda
