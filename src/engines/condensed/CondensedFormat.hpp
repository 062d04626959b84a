// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

#include "bittcf/BitTcfView.hpp"
#include "bmat/BmatView.hpp"
#include "condensed/CondensedNames.hpp"

namespace Tessera::Impl {

/// Owns the pattern of a matrix in condensed windows. CondensedTiles describes the arrays. BitTcf has windows of one
/// strip, Bmat windows of two.
///
/// Bytes without the values: (windows + 1 + tiles + 1) sizeof(Offset) + tiles * (8 * 4 + strips * 8). For BitTcf with
/// int offsets this is the paper's (ceil(rows / 8) + 11 tiles + 2) * 4 (Acc-SpMM, section 3.3).
template <class MemorySpace, int strips>
struct CondensedFormat {
  static constexpr Format format = strips == 1 ? Format::BitTcf : Format::Bmat;  ///< the name of the format
  using View = CondensedTiles<strips>;                                           ///< the raw view of the arrays

  Ordinal rows = 0;                                     ///< rows of the matrix
  Ordinal columns = 0;                                  ///< columns of the matrix
  std::size_t nonzeros = 0;                             ///< number of entries
  Impl::Array<Offset*, MemorySpace> window_offsets;     ///< see CondensedTiles
  Impl::Array<Offset*, MemorySpace> tile_offsets;       ///< see CondensedTiles
  Impl::Array<Ordinal*, MemorySpace> tile_columns;      ///< see CondensedTiles
  Impl::Array<std::uint64_t*, MemorySpace> tile_masks;  ///< see CondensedTiles

  std::size_t tiles() const { return tile_masks.extent(0) / strips; }  ///< number of tiles
  std::size_t places() const { return nonzeros; }                      ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return nonzeros; }              ///< number of entries in tiles
  std::size_t tile_elements() const { return tiles() * 64 * strips; }  ///< elements of all tiles
  const auto& tile_counts() const { return window_offsets; }           ///< first tile of each window, then tiles()
  /// Returns the raw view that kernels read.
  View view() const {
    return {rows, columns, window_offsets.data(), tile_offsets.data(), tile_columns.data(), tile_masks.data()};
  }
  /// Returns the bytes of the pattern, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this); }

  /// @cond
  template <class ExecutionSpace>
  static Built<CondensedFormat, MemorySpace> build(const ExecutionSpace& exec, const Csr<MemorySpace>& rows,
                                                   const FormatParameters&, std::size_t) {
    return build_condensed<strips>(exec, rows.view(), rows.nonzeros);
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

/// A newly built condensed pattern, and the map that says where its values come from.
template <int strips, class MemorySpace>
using BuiltCondensed = Built<CondensedFormat<MemorySpace, strips>, MemorySpace>;

/// Counts the tiles of BitTCF that the matrix would have, without building them. Cost: one pass over the pattern.
template <class ExecutionSpace>
std::size_t count_bittcf_tiles(const ExecutionSpace& exec, const CsrPattern<Offset>& A);

/// Builds condensed windows of `strips` strips from a canonical pattern: 1 for BitTCF, 2 for BMat. Windows are built in
/// parallel, each by one thread that merges the sorted rows of the window. The arrays are the same on every backend and
/// for any number of threads.
///
/// Cost: two passes over the pattern, with 8 * strips comparisons for each distinct column of a window.
template <int strips, class ExecutionSpace>
BuiltCondensed<strips, typename ExecutionSpace::memory_space> build_condensed(const ExecutionSpace& exec,
                                                                              const CsrPattern<Offset>& A,
                                                                              std::size_t nonzeros);

/// Converts back to canonical rows without loss. The map reorders values from the format's order to row order.
template <class ExecutionSpace, int strips>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const CondensedFormat<typename ExecutionSpace::memory_space, strips>& A);

/// Checks every invariant of the format, in memory that `exec` can read. Returns an empty text, or the first broken
/// invariant and its position. Cost: one pass over the pattern.
template <class ExecutionSpace, int strips>
std::string validate(const ExecutionSpace& exec,
                     const CondensedFormat<typename ExecutionSpace::memory_space, strips>& A);

}  // namespace Tessera::Impl
