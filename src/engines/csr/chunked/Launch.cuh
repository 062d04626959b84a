// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "Agent.cuh"
#include "csr/chunked/Spmm.hpp"
#include "launch/Launch.cuh"
#include "launch/Operands.hpp"

namespace Tessera::Impl::Cuda {

/// Multiplies chunks. Blocks that compute different slabs of the same rows are adjacent, so A is read from memory once.
template <class Scalar>
__global__ void __launch_bounds__(ChunkedPolicy::threads, 1)
    chunked_kernel(const __grid_constant__ ChunkedArguments<Scalar> arguments) {
  const auto& [slabs, are_split, parts, seconds] = arguments.blocks;
  const Ordinal chunks = arguments.schedule.chunks.count;
  const auto block = static_cast<int>(blockIdx.x);
  const int slab = block % slabs, part = block / slabs % parts, chunk = block / slabs / parts;
  ChunkedAgent<Scalar>(arguments, dynamic_memory(), slab, part).run(chunk, are_split ? chunk + 1 : chunks);
}

/// Adds the sums of chunks, from the first to the last. Each thread adds one vector of a row of Y.
template <class Scalar>
__global__ void chunk_sums_kernel(const __grid_constant__ ChunkedArguments<Scalar> arguments) {
  using Lane = Vector<Scalar, true>;
  wait_for_previous_kernels();
  const unsigned row_vectors = (static_cast<unsigned>(arguments.product.y.columns) + Lane::size - 1) / Lane::size;
  const std::size_t index = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= std::size_t(arguments.schedule.rows) * row_vectors) return;
  const auto row = static_cast<Ordinal>(index / row_vectors);
  const auto column = static_cast<Ordinal>(index % row_vectors * Lane::size);
  Lane sum = load_vector_once<true>(arguments.partial_row(0, row) + column);
#pragma unroll 4
  for (Ordinal chunk = 1; chunk < arguments.schedule.chunks.count; ++chunk)
    add(sum, load_vector_once<true>(arguments.partial_row(chunk, row) + column));
  store_chunked_row(arguments, row, column, sum);
}

/// Launches a product with the blocks that its arguments name. Rows of X must begin at multiples of 16 bytes.
template <class Scalar>
void launch_chunked(Stream stream, const ChunkedArguments<Scalar>& arguments) {
  const auto& blocks = arguments.blocks;
  const Ordinal rows = arguments.schedule.rows, chunks = arguments.schedule.chunks.count;
  if (rows == 0 || arguments.product.y.columns == 0) return;
  const std::size_t shared_bytes = chunk_shared_bytes(arguments.schedule.chunks.rows);
  allow_shared_memory<&chunked_kernel<Scalar>>("chunked_spmm: shared memory", most_shared_bytes(),
                                               cudaSharedmemCarveoutMaxShared);
  const std::size_t pairs = std::size_t(blocks.slabs) * std::size_t(blocks.are_split ? chunks : 1);
  launch("chunked_spmm", chunked_kernel<Scalar>, launch_count(pairs * std::size_t(blocks.parts)),
         ChunkedPolicy::threads, shared_bytes, stream, arguments);
  if (!blocks.are_split) return;
  constexpr int threads = 256, size = Vector<Scalar, true>::size;
  const std::size_t vectors = std::size_t(rows) * std::size_t(window_count(arguments.product.y.columns, size));
  launch_early<&chunk_sums_kernel<Scalar>>("chunked_spmm: sums of chunks", blocks_for(vectors, threads), threads, 0,
                                           stream, arguments);
}

/// Returns the arguments of a product: X as a row-major copy or in place, and the parts of the scratch memory. Throws
/// std::invalid_argument if operands, schedule or workspace do not fit.
template <class Scalar>
ChunkedArguments<Scalar> chunked_arguments(Stream stream, const CsrPattern<Offset>& A, const ChunkedSchedule& schedule,
                                           const Product<Scalar, Scalar>& product, const Scratch& workspace) {
  constexpr auto function = "chunked_spmm";
  expect_no_x_rows(function, product);
  expect_extents(function, A.rows, A.columns, product);
  if (schedule.rows != A.rows || schedule.columns != A.columns || (schedule.chunks.rows < 1 && A.rows > 0)) {
    throw std::invalid_argument("chunked_spmm: A is " + std::to_string(A.rows) + " x " + std::to_string(A.columns) +
                                ", its schedule is for " + std::to_string(schedule.rows) + " x " +
                                std::to_string(schedule.columns) + " and chunks of " +
                                std::to_string(schedule.chunks.rows) + " rows of X");
  }
  slab_count(product.y.columns, 1);  // throws if there are more columns than blocks can count
  ChunkedArguments<Scalar> arguments{
      .schedule = schedule, .column_indices = A.column_indices, .product = product, .blocks = {}};
  const ChunkedProblem problem = {double(A.rows), double(A.columns), double(schedule.nonzeros),
                                  double(product.y.columns), sizeof(Scalar)};
  arguments.blocks = choose_chunked_blocks(problem, schedule.chunks.count, schedule.multiprocessors);
  const auto is_aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  arguments.entry_vectors = is_aligned(A.column_indices) && is_aligned(product.values);
  arguments.y_vectors = rows_are_whole(product.y);
  auto& x = arguments.product.x;
  std::byte* const packed = use_scratch(function, chunked_scratch(schedule, x), workspace, arguments);
  x = by_rows(stream, x, chunked_x_access, packed, arguments.partials_stride);
  return arguments;
}

}  // namespace Tessera::Impl::Cuda
