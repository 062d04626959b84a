// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ScratchLayout.hpp>
#include <tessera/cuda/Stream.hpp>

#include "csr/chunked/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// How chunked_spmm() reads X: it copies vectors of 16 bytes to shared memory; the last copy of a row stops at its end.
inline constexpr XAccess chunked_x_access = XAccess::Vectors;

/// Returns the scratch memory of a product with x: for each element of Y the running sum, or a sum per chunk if each
/// chunk has blocks of its own; and a copy of X, if needed. The size never falls if columns are added.
template <class Scalar>
ScratchLayout chunked_scratch(const ChunkedSchedule& schedule, const Multivector<const Scalar>& x) {
  const Ordinal chunks = schedule.chunks.count;
  const Ordinal most_split = most_split_slabs(chunks, schedule.multiprocessors) * (slab_row_bytes / sizeof(Scalar));
  const auto row = static_cast<std::size_t>(padded<Scalar>(x.columns));
  const auto split_row = static_cast<std::size_t>(padded<Scalar>(std::min(x.columns, most_split)));
  const std::size_t sums = chunks == 1 ? 0 : std::max(row, static_cast<std::size_t>(chunks) * split_row);
  const std::size_t packed = is_read_in_place(x, chunked_x_access) ? 0 : static_cast<std::size_t>(x.rows) * row;
  return {static_cast<std::size_t>(schedule.rows) * sums * sizeof(Scalar), packed * sizeof(Scalar)};
}

/// Returns the bytes of scratch memory for a product with x.
template <class Scalar>
std::size_t chunked_workspace_bytes(const ChunkedSchedule& schedule, const Multivector<const Scalar>& x) {
  return chunked_scratch(schedule, x).bytes;
}

/// Computes Y = alpha A X + beta Y on CUDA cores, in float or double, for matrices with many entries in few columns.
/// Operands and errors are as for condensed_spmm(). The values may have any address. Like the column indices, they are
/// read fastest at multiples of 16 bytes.
///
/// A thread block copies a chunk of rows of X, a slab of 128 bytes of each, to shared memory. It multiplies the entries
/// of its rows of A in the columns of that chunk. Four teams of two lanes share a row, and alternate in steps of four
/// entries. Lanes that read shared memory at the same time never have bank conflicts, whatever the columns: each team
/// begins with another part of the row of X. The number of columns of X decides whether a block continues with the next
/// chunk, or each chunk has its own blocks (choose_chunked_blocks()). The sums do not depend on this.
///
/// The order of sums depends on A, its canonical order of entries and the number of columns of a chunk. Entries 4 q,
/// ..., 4 q + 3 of A are quad q. The quads of a row in a chunk are numbered from 0; team t adds the entries of quads t,
/// t + 4, ..., in order, by fused multiply-adds to 0. The sum of a chunk is (team 0 + team 1) + (team 2 + team 3), the
/// sum of a row ((chunk 0 + chunk 1) + chunk 2) + ... A column of Y does not depend on the number of columns, layout,
/// alignment or other columns of X, and is the same in every run. Exception: a zero that underflowed has the sign of
/// the last addition.
///
/// Cost: 2 nonzeros N operations. Each entry reads 128 bytes of shared memory in each slab. A and its items are read
/// once per slab, X once per part of the rows. Sums of chunks are written and read.
template <class Scalar>
void chunked_spmm(Stream stream, const CsrPattern<Offset>& A, const ChunkedSchedule& schedule,
                  const Product<Scalar, Scalar>& product, const Scratch& workspace);

}  // namespace Tessera::Impl::Cuda
