// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/Stream.hpp>

#include "csr/chunked/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// The entries of each row in each chunk of a single column X, and the thread blocks of each chunk: raw pointers to
/// device memory that the caller owns. Results depend on the chunks, but not on the blocks or the order of the rows.
struct ColumnChunks {
  ChunkedSchedule entries;                ///< its chunks are Chunks::of_column()
  const Ordinal* first_blocks = nullptr;  ///< chunk c has blocks first_blocks[c] to first_blocks[c + 1] - 1

  /// The number of thread blocks: one for each multiprocessor, and at least one for each chunk.
  Ordinal block_count() const {
    const Ordinal blocks = entries.multiprocessors, chunks = entries.chunks.count;
    return blocks < chunks ? chunks : blocks;
  }
};

/// Gives each chunk a number of thread blocks in proportion to its work.
///
/// \param chunks       [in]      with entries; first_blocks is not read
/// \param counts       [scratch] a number for each chunk, in device memory
/// \param first_blocks [out]     a number for each chunk, and one more, in device memory
/// \throws std::runtime_error for errors of CUDA
void assign_chunk_blocks(Stream stream, const ColumnChunks& chunks, std::uint64_t* counts, Ordinal* first_blocks);

/// Returns the bytes of scratch memory for a product: a sum for each row and chunk.
template <class Scalar>
std::size_t column_chunks_bytes(const ColumnChunks& chunks) {
  return chunks.entries.item_count() * sizeof(Scalar);
}

/// Computes Y = alpha A X + beta Y for a single column, in float or double, for large matrices whose rows have many
/// entries all over X (column_chunks_pay()). X and Y have any stride.
///
/// Elements of X are gathered from a copy in shared memory. If they came from L2, each entry would fetch 32 bytes.
/// A thread block copies one chunk of X. Groups of 16 lanes multiply the entries of a row in that chunk; lane l adds
/// entries l, l + 16, ... in order, by fused multiply-adds to 0, and the lanes are added in a tree. A second kernel
/// adds the chunks of a row from the first to the last. So each element has the same bits in every run.
///
/// \param A      [in]     canonical
/// \param chunks [in]     of A
/// \param scratch [in,out] column_chunks_bytes() bytes of device memory at a multiple of the size of an element
/// \throws std::invalid_argument if operands, chunks or scratch do not fit
/// \throws std::runtime_error for errors of CUDA
///
/// Cost: reads A once, in pieces of rows. Each row and chunk has 16 bytes of the schedule, and a sum that is written
/// and read. Each thread block copies its chunk of X.
template <class Scalar>
void column_chunks_spmm(Stream stream, const CsrPattern<Offset>& A, const ColumnChunks& chunks,
                        const Product<Scalar, Scalar>& product, const Scratch& scratch);

}  // namespace Tessera::Impl::Cuda
