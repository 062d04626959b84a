// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/common/RowSearch.hpp>

#include "csr/chunked/Schedule.hpp"
#include "launch/Launch.cuh"

namespace Tessera::Impl::Cuda {
namespace {

constexpr unsigned block_threads = 256;

__global__ void number_rows_kernel(CsrPattern<Offset> A, std::uint64_t* keys, Ordinal* order) {
  const std::size_t index = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index >= static_cast<std::size_t>(A.rows)) return;
  keys[index] = static_cast<std::uint64_t>(A.columns) -
                static_cast<std::uint64_t>(A.row_offsets[index + 1] - A.row_offsets[index]);
  order[index] = static_cast<Ordinal>(index);
}

__global__ void fill_items_kernel(CsrPattern<Offset> A, ChunkedSchedule schedule, const Ordinal* order,
                                  ChunkedItem* items) {
  const std::size_t index = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto rows = static_cast<std::size_t>(A.rows);
  if (index >= rows * static_cast<std::size_t>(schedule.chunks.count)) return;
  const auto chunk = static_cast<Ordinal>(index / rows);
  const Ordinal row = order[index % rows];
  const Offset row_end = A.row_offsets[row + 1];
  const Offset first = first_from(A, A.row_offsets[row], row_end, chunk * schedule.chunks.rows);
  const bool is_last = chunk + 1 == schedule.chunks.count;  // the end of the last chunk may overflow an int
  const Offset end = is_last ? row_end : first_from(A, first, row_end, (chunk + 1) * schedule.chunks.rows);
  items[index] = {static_cast<std::uint64_t>(first), static_cast<std::uint32_t>(end - first), row};
}

}  // namespace

void number_rows_by_length(Stream stream, const CsrPattern<Offset>& A, std::uint64_t* keys, Ordinal* order) {
  if (A.rows == 0) return;
  launch("number_rows_kernel", number_rows_kernel, blocks_for(std::size_t(A.rows), block_threads), block_threads, 0,
         stream, A, keys, order);
}

void fill_chunked_items(Stream stream, const CsrPattern<Offset>& A, const ChunkedSchedule& schedule,
                        const Ordinal* order, ChunkedItem* items) {
  if (schedule.item_count() == 0) return;
  launch("fill_items_kernel", fill_items_kernel, blocks_for(schedule.item_count(), block_threads), block_threads, 0,
         stream, A, schedule, order, items);
}

}  // namespace Tessera::Impl::Cuda
