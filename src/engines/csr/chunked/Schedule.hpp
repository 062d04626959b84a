// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/ChunkedRows.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Types.hpp>
#include <tessera/cuda/Stream.hpp>

namespace Tessera::Impl::Cuda {

/// The entries of a row in the columns of one chunk. One 16-byte load reads all that lanes need to begin.
struct alignas(16) ChunkedItem {
  std::uint64_t first = 0;   ///< the first entry
  std::uint32_t length = 0;  ///< number of entries
  Ordinal row = -1;          ///< the row of A; -1: none
};

/// The entries of each row in each chunk of X: raw pointers to device memory that the caller owns.
///
/// All chunks list the rows of A in the same given order. Results do not depend on it. If the longest rows are first,
/// adjacent lanes have equal work, and so do blocks.
struct ChunkedSchedule {
  Ordinal rows = 0;                    ///< rows of A
  Ordinal columns = 0;                 ///< columns of A
  Chunks chunks;                       ///< chunks of the rows of X
  std::size_t nonzeros = 0;            ///< entries of A
  int multiprocessors = 1;             ///< multiprocessors of the GPU that share the work
  const ChunkedItem* items = nullptr;  ///< chunks.count x rows

  /// The number of items.
  std::size_t item_count() const { return static_cast<std::size_t>(chunks.count) * static_cast<std::size_t>(rows); }
};

/// Returns a schedule without items, for chunks that fit in the shared memory of a GPU.
inline ChunkedSchedule chunked_schedule(const CsrPattern<Offset>& A, std::size_t nonzeros,
                                        const ChunkedMachine& machine) {
  return {A.rows, A.columns, Chunks::of(A.columns, machine.shared_bytes), nonzeros, machine.multiprocessors, nullptr};
}

/// Writes the indices of the rows, and keys that sort them by decreasing length. Keys are at most A.columns.
///
/// \param keys, order [out] A.rows elements of device memory
/// \throws std::runtime_error for errors of CUDA
void number_rows_by_length(Stream stream, const CsrPattern<Offset>& A, std::uint64_t* keys, Ordinal* order);

/// Writes the items of a schedule. The call does not wait for the stream.
///
/// \param A        [in]  canonical: a binary search finds a row's first entry in a chunk
/// \param order    [in]  the rows of A in the order of the items
/// \param items    [out] schedule.item_count() items of device memory
/// \throws std::runtime_error for errors of CUDA
void fill_chunked_items(Stream stream, const CsrPattern<Offset>& A, const ChunkedSchedule& schedule,
                        const Ordinal* order, ChunkedItem* items);

}  // namespace Tessera::Impl::Cuda
