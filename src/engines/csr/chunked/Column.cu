// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdexcept>
#include <string>

#include "ColumnAgent.cuh"
#include "epilogue/Epilogue.cuh"
#include "launch/Operands.hpp"

namespace Tessera::Impl::Cuda {
namespace {

constexpr unsigned sum_threads = 256;

/// Counts the entries of a chunk, with one block for each.
__global__ void count_chunk_entries_kernel(ChunkedSchedule schedule, std::uint64_t* counts) {
  constexpr int warps = sum_threads / 32;
  __shared__ unsigned long long parts[warps];
  const ChunkedItem* const items = schedule.items + std::size_t(blockIdx.x) * std::size_t(schedule.rows);
  unsigned long long count = 0;
  for (Ordinal i = static_cast<Ordinal>(threadIdx.x); i < schedule.rows; i += sum_threads) count += items[i].length;
  count = warp_sum(count);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = count;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < warps; ++warp) count += parts[warp];
  counts[blockIdx.x] = count;
}

/// Deals out blocks. A chunk has at least one.
__global__ void assign_chunk_blocks_kernel(ChunkedSchedule schedule, const std::uint64_t* counts, Ordinal blocks,
                                           Ordinal* first_blocks) {
  if (threadIdx.x > 0 || schedule.rows == 0) return;
  constexpr std::uint64_t row_entries = 8;  // entries that take as long as the rest of an item
  const Ordinal chunks = schedule.chunks.count;
  const std::uint64_t rows = row_entries * static_cast<std::uint64_t>(schedule.rows);
  std::uint64_t all = 0, done = 0;
  for (Ordinal c = 0; c < chunks; ++c) all += counts[c] + rows;
  Ordinal first = 0;
  for (Ordinal c = 0; c < chunks; ++c) {
    first_blocks[c] = first;
    done += counts[c] + rows;
    const auto share = static_cast<Ordinal>(static_cast<double>(done) / static_cast<double>(all) * blocks + 0.5);
    first = min(max(share, first + 1), blocks - (chunks - 1 - c));
  }
  first_blocks[chunks] = blocks;
}

template <class Scalar>
__global__ void __launch_bounds__(ColumnChunkAgent<Scalar>::threads, 1)
    column_chunks_kernel(const __grid_constant__ ColumnChunksArguments<Scalar> arguments) {
  const Ordinal* const first_blocks = arguments.chunks.first_blocks;
  const auto block = static_cast<Ordinal>(blockIdx.x);
  Ordinal chunk = 0;
  while (first_blocks[chunk + 1] <= block) ++chunk;
  const Ordinal first = first_blocks[chunk];
  ColumnChunkAgent<Scalar>(arguments, reinterpret_cast<Scalar*>(dynamic_memory()), chunk, first,
                           first_blocks[chunk + 1] - first)
      .run();
}

/// Adds the chunks of a row in each thread.
template <class Scalar>
__global__ void column_chunk_sums_kernel(const __grid_constant__ ColumnChunksArguments<Scalar> arguments) {
  wait_for_previous_kernels();
  const ChunkedSchedule& schedule = arguments.chunks.entries;
  const std::size_t rows = static_cast<std::size_t>(schedule.rows);
  const std::size_t row = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  Scalar sum = arguments.sums[row];
#pragma unroll 4
  for (Ordinal chunk = 1; chunk < schedule.chunks.count; ++chunk)
    sum += arguments.sums[std::size_t(chunk) * rows + row];
  store_element(arguments.product, static_cast<Ordinal>(row), 0, sum);
}

}  // namespace

void assign_chunk_blocks(Stream stream, const ColumnChunks& chunks, std::uint64_t* counts, Ordinal* first_blocks) {
  const ChunkedSchedule& schedule = chunks.entries;
  launch("count_chunk_entries_kernel", count_chunk_entries_kernel, static_cast<unsigned>(schedule.chunks.count),
         sum_threads, 0, stream, schedule, counts);
  launch("assign_chunk_blocks_kernel", assign_chunk_blocks_kernel, 1, 32, 0, stream, schedule, counts,
         chunks.block_count(), first_blocks);
}

template <class Scalar>
void column_chunks_spmm(Stream stream, const CsrPattern<Offset>& A, const ColumnChunks& chunks,
                        const Product<Scalar, Scalar>& product, const Scratch& scratch) {
  constexpr auto function = "column_chunks_spmm";
  const ChunkedSchedule& schedule = chunks.entries;
  expect_extents(function, A.rows, A.columns, product);
  if (product.y.columns != 1)
    throw std::invalid_argument("column_chunks_spmm: X has " + std::to_string(product.y.columns) +
                                " columns; expected 1");
  if (A.rows == 0) return;
  if (schedule.rows != A.rows || schedule.columns != A.columns || schedule.chunks.rows < 1 ||
      chunks.first_blocks == nullptr) {
    throw std::invalid_argument("column_chunks_spmm: A is " + std::to_string(A.rows) + " x " +
                                std::to_string(A.columns) + ", its chunks are for " + std::to_string(schedule.rows) +
                                " x " + std::to_string(schedule.columns) + ", or were not built");
  }
  if (scratch.bytes < column_chunks_bytes<Scalar>(chunks) ||
      reinterpret_cast<std::uintptr_t>(scratch.data) % sizeof(Scalar) != 0) {
    throw std::invalid_argument("column_chunks_spmm: " + std::to_string(column_chunks_bytes<Scalar>(chunks)) +
                                " bytes of aligned scratch wanted, " + std::to_string(scratch.bytes) + " given");
  }
  const ColumnChunksArguments<Scalar> arguments{chunks, A.column_indices, product,
                                                reinterpret_cast<Scalar*>(scratch.data)};
  constexpr auto kernel = &column_chunks_kernel<Scalar>;
  allow_shared_memory<kernel>("column_chunks_spmm: shared memory", most_shared_bytes(), cudaSharedmemCarveoutMaxShared);
  launch_early<kernel>(function, static_cast<unsigned>(chunks.block_count()), ColumnChunkAgent<Scalar>::threads,
                       static_cast<std::size_t>(schedule.chunks.rows) * sizeof(Scalar), stream, arguments);
  launch_early<&column_chunk_sums_kernel<Scalar>>("column_chunks_spmm: sums of chunks",
                                                  blocks_for(std::size_t(A.rows), sum_threads), sum_threads, 0, stream,
                                                  arguments);
}

#define TESSERA_COLUMN_CHUNKS(Scalar)                                                      \
  template void column_chunks_spmm(Stream, const CsrPattern<Offset>&, const ColumnChunks&, \
                                   const Product<Scalar, Scalar>&, const Scratch&);

TESSERA_COLUMN_CHUNKS(float)
TESSERA_COLUMN_CHUNKS(double)

}  // namespace Tessera::Impl::Cuda
