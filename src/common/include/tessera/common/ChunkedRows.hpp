// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tessera/common/H200.hpp>
#include <tessera/common/Types.hpp>

/// The product of compressed rows with chunks of rows of X in shared memory: how thread blocks share the work, and when
/// chunks pay off. The kernel, plans and models call the same functions.
///
/// X is cut into *slabs* of 128 bytes of each row, and into chunks of rows. A thread block holds one chunk at a time.
/// Chunks depend on A and the GPU alone, and so does the order of sums, whichever thread block adds them.
namespace Tessera::Impl {

/// Bytes of a row of X in a slab.
inline constexpr int slab_row_bytes = 128;

/// The numbers that determine the time of a product with chunks.
struct ChunkedProblem {
  double rows = 0;            ///< rows of A
  double columns = 0;         ///< columns of A
  double nonzeros = 0;        ///< entries of A
  double vector_columns = 0;  ///< columns of X
  double element_bytes = 8;   ///< bytes of an element of A, X and Y
};

/// The properties of a GPU that chunks depend on.
struct ChunkedMachine {
  int multiprocessors = H200::multiprocessors;          ///< number of multiprocessors
  std::size_t shared_bytes = H200::block_shared_bytes;  ///< bytes of a thread block's shared memory; 0 without a kernel
};

/// Returns the bytes of shared memory of a thread block: the rows of a chunk, a row of zeros, and a counter.
constexpr std::size_t chunk_shared_bytes(Ordinal chunk_rows) {
  return (static_cast<std::size_t>(chunk_rows) + 1) * slab_row_bytes + 16;
}

/// Chunks of equal length, and at least one.
struct Chunks {
  Ordinal rows = 0;   ///< rows of X in a chunk; 0 if none fits
  Ordinal count = 1;  ///< number of chunks

  /// Returns the fewest chunks that fit in shared memory for this many rows of X.
  static Chunks of(Ordinal x_rows, std::size_t shared_bytes) {
    if (shared_bytes < chunk_shared_bytes(1)) return {};
    return of_most(x_rows, static_cast<Ordinal>((shared_bytes - chunk_shared_bytes(0)) / slab_row_bytes));
  }
  /// Returns the fewest chunks of a single column that fit in shared memory.
  static Chunks of_column(Ordinal x_rows, std::size_t element_bytes, std::size_t shared_bytes) {
    if (shared_bytes < element_bytes) return {};
    return of_most(x_rows, static_cast<Ordinal>(std::min<std::size_t>(shared_bytes / element_bytes, 1 << 30)));
  }

 private:
  static Chunks of_most(Ordinal x_rows, Ordinal most) {
    const Ordinal count = std::max(window_count(x_rows, most), 1);
    return {std::max(window_count(x_rows, count), 1), count};
  }
};

/// How thread blocks share a product. Rows of A are distributed over `parts`. Each part of a slab has one thread block
/// for all chunks, one after the other, or one thread block for each chunk.
struct ChunkedBlocks {
  int slabs = 0;           ///< number of slabs
  bool are_split = false;  ///< whether each chunk has thread blocks of its own; another kernel then adds their sums
  int parts = 1;           ///< number of parts of the rows
  double seconds = 0;      ///< predicted time of the product
};

/// Returns the largest number of slabs for which chunks have thread blocks of their own. With more slabs, a thread
/// block would have few rows, and there would be many sums to add. Measured on an H100: 12 and 16 pairs of slab and
/// chunk gained 2 to 40 %, 24 and more lost.
constexpr int most_split_slabs(int chunks, int multiprocessors) {
  return chunks == 1 ? 0 : multiprocessors / (8 * chunks);
}

/// Chooses how thread blocks share a product, and predicts its time. Constants were fitted by hand to a prototype's
/// times for five matrices of 4,039 to 12,000 columns on an H100 (32, 128 and 512 columns of float, 128 and 512 of
/// double). The constant for an entry was fitted to the kernel's times for the densest of these matrices.
///
/// A thread block needs time for each chunk that it copies, for each entry, whose 128 bytes of X it reads from shared
/// memory, and for each pair of row and chunk. In the same time A is read from L2, which takes at most two thirds of
/// it.
inline ChunkedBlocks choose_chunked_blocks(const ChunkedProblem& p, Ordinal chunks, int multiprocessors) {
  constexpr double launch = 2e-6, chunk = 2e-6, copied_row = 2.1e-9, added_bytes = 2.5e12;
  const double entry = p.element_bytes > 4 ? 0.68e-9 : 0.61e-9;
  const double row = p.element_bytes > 4 ? 25e-9 : 15e-9, row_bytes = p.vector_columns * p.element_bytes;
  ChunkedBlocks best;
  best.slabs = static_cast<int>(std::ceil(row_bytes / slab_row_bytes));
  best.are_split = best.slabs <= most_split_slabs(chunks, multiprocessors);
  const double chunks_of_block = best.are_split ? 1 : chunks, blocks_of_part = best.slabs * (chunks / chunks_of_block);
  const double copy = chunks_of_block * (chunk + copied_row * p.columns / chunks);
  const double work = (entry * p.nonzeros + row * p.rows * chunks) * chunks_of_block / chunks;
  const double sums = best.are_split ? launch + (chunks + 1) * p.rows * row_bytes / added_bytes : 0;
  for (int waves = 1; waves <= 4; ++waves) {
    const double parts = std::max(1.0, std::floor(waves * multiprocessors / std::max(blocks_of_part, 1.0)));
    const double rounds = std::ceil(parts * blocks_of_part / multiprocessors);
    const double seconds = launch + rounds * (copy + work / parts) + sums;
    if (waves > 1 && seconds > 0.98 * best.seconds) continue;  // more blocks copy more
    best.parts = static_cast<int>(parts);
    best.seconds = seconds;
  }
  return best;
}

/// Returns whether plans multiply compressed rows by chunks. They do if an average row has enough entries in each
/// chunk, and the predicted time is clearly less than without chunks, even if rows are alike and share few columns. The
/// result depends on numbers that a plan always knows, so a loaded plan decides like the saved one.
inline bool chunks_pay(const ChunkedProblem& p, const ChunkedMachine& machine) {
  constexpr double least_entries = 72, gain = 1.15;
  constexpr double launch = 2e-6, gathered = 14.4e12, entry_bytes = 38;  // constants for rows without chunks
  const Chunks chunks = Chunks::of(static_cast<Ordinal>(p.columns), machine.shared_bytes);
  if (chunks.rows == 0 || p.vector_columns == 0 || p.nonzeros < least_entries * p.rows * chunks.count) return false;
  const double rows = launch + p.nonzeros * (p.vector_columns * p.element_bytes + entry_bytes) / gathered;
  return gain * choose_chunked_blocks(p, chunks.count, machine.multiprocessors).seconds <= rows;
}

/// Returns whether plans for a single column multiply compressed rows by chunks of it, each in the shared memory of
/// some multiprocessors. They do if an average row has enough entries in each chunk, and A is large: otherwise a
/// multiprocessor would wait for too many short parts of rows; and if there are several chunks: caches hold much of a
/// smaller X. On an H200, products took .65 to .95 of the time with 5 and 9 chunks, and 1.8 times as long with 2.
///
/// \param span [in] the mean distance of the last column of a row from the first. Entries that are close together share
///                  lines of a cache, which is as fast
inline bool column_chunks_pay(const ChunkedProblem& p, double span, const ChunkedMachine& machine) {
  constexpr double least_entries = 16, least_chunks = 4, most_chunks = 64, least_span = 0.5;
  constexpr double many_entries = 5e4;  // of a multiprocessor
  const Chunks chunks = Chunks::of_column(static_cast<Ordinal>(p.columns), static_cast<std::size_t>(p.element_bytes),
                                          machine.shared_bytes);
  return chunks.count >= least_chunks && chunks.count <= most_chunks && span >= least_span * p.columns &&
         p.nonzeros >= least_entries * p.rows * chunks.count && p.nonzeros >= many_entries * machine.multiprocessors;
}

}  // namespace Tessera::Impl
