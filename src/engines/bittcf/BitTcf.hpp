// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

#include "bittcf/BitTcfView.hpp"

namespace Tessera {

/// The pattern of a matrix in BitTCF (see BitTcfPattern for what the arrays hold) that owns its arrays.
///
/// Bytes without the values: (ceil(rows / 8) + 1 + tiles + 1) sizeof(Offset) + 8 tiles * 4 + tiles * 8, which for int
/// offsets is the paper's (ceil(rows / 8) + 11 tiles + 2) * 4 (Acc-SpMM, section 3.3).
template <class Offset, class MemorySpace>
struct BitTcf {
  static constexpr Format format = Format::BitTcf;  ///< its name
  /// @cond
  /// @endcond

  Ordinal rows = 0;                                     ///< rows of the matrix
  Ordinal columns = 0;                                  ///< columns of the matrix
  std::size_t nonzeros = 0;                             ///< number of entries
  Impl::Array<Offset*, MemorySpace> window_offsets;     ///< see BitTcfPattern
  Impl::Array<Offset*, MemorySpace> tile_offsets;       ///< see BitTcfPattern
  Impl::Array<Ordinal*, MemorySpace> tile_columns;      ///< see BitTcfPattern
  Impl::Array<std::uint64_t*, MemorySpace> tile_masks;  ///< see BitTcfPattern

  std::size_t tiles() const { return tile_masks.extent(0); }  ///< number of tiles
  std::size_t places() const { return nonzeros; }             ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return nonzeros; }     ///< number of entries in tiles
  std::size_t tile_elements() const { return tiles() * 64; }  ///< elements of all tiles
  const auto& tile_counts() const { return window_offsets; }  ///< the first tile of each window, and the end
  /// The raw view that kernels take.
  BitTcfPattern<Offset> view() const {
    return {rows, columns, window_offsets.data(), tile_offsets.data(), tile_columns.data(), tile_masks.data()};
  }
  /// Bytes of the pattern, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this); }

  /// @cond
  template <class ExecutionSpace>
  static Built<BitTcf, Offset, MemorySpace> build(const ExecutionSpace& exec, const Csr<Offset, MemorySpace>& rows,
                                                  const FormatParameters&, std::size_t) {
    return build_bittcf(exec, rows.view(), rows.nonzeros);
  }
  template <class Archive>
  void transfer(Archive& file) {
    file.array("window_offsets", window_offsets);
    file.array("tile_offsets", tile_offsets);
    file.array("tile_columns", tile_columns);
    file.array("tile_masks", tile_masks);
  }
  /// @endcond
};

/// A pattern in BitTCF as it was built, and where its values come from.
template <class Offset, class MemorySpace>
using BuiltBitTcf = Built<BitTcf<Offset, MemorySpace>, Offset, MemorySpace>;

/// Counts the tiles that the matrix would have, without building them. Cost: one pass over the pattern.
template <class ExecutionSpace, class Offset>
std::size_t count_bittcf_tiles(const ExecutionSpace& exec, const CsrPattern<Offset>& A);

/// Builds BitTCF from a canonical pattern. Windows are built in parallel, each by one thread that merges the 8 sorted
/// rows of the window. The arrays are the same on every backend and for any number of threads.
///
/// Cost: two passes over the pattern, with 8 comparisons for each distinct column of a window.
template <class ExecutionSpace, class Offset>
BuiltBitTcf<Offset, typename ExecutionSpace::memory_space> build_bittcf(const ExecutionSpace& exec,
                                                                        const CsrPattern<Offset>& A,
                                                                        std::size_t nonzeros);

/// Converts back to canonical rows without loss. The map takes values from BitTCF's order to that of the rows.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const BitTcf<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format, in memory that `exec` can read. Returns an empty text, or the first invariant
/// that is broken and where. Cost: one pass over the pattern.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const BitTcf<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
