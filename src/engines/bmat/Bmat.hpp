// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

#include "bmat/BmatView.hpp"

namespace Tessera {

/// The pattern of a matrix in BMat (see BmatPattern for what the arrays hold) that owns its arrays.
///
/// Bytes without the values: 2 (ceil(rows / 16) + 1) sizeof(Offset) + tiles * (8 * 4 + 4 * 4).
template <class Offset, class MemorySpace>
struct Bmat {
  static constexpr Format format = Format::Bmat;  ///< its name
  /// @cond
  /// @endcond

  Ordinal rows = 0;                                     ///< rows of the matrix
  Ordinal columns = 0;                                  ///< columns of the matrix
  std::size_t nonzeros = 0;                             ///< number of entries
  Impl::Array<Offset*, MemorySpace> window_offsets;     ///< see BmatPattern
  Impl::Array<Offset*, MemorySpace> value_offsets;      ///< see BmatPattern
  Impl::Array<Ordinal*, MemorySpace> tile_columns;      ///< see BmatPattern
  Impl::Array<std::uint32_t*, MemorySpace> tile_words;  ///< see BmatPattern

  std::size_t tiles() const {
    return tile_words.extent(0) / BmatPattern<Offset>::tile_words_count;
  }                                                            ///< number of tiles
  std::size_t places() const { return nonzeros; }              ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return nonzeros; }      ///< number of entries in tiles
  std::size_t tile_elements() const { return tiles() * 128; }  ///< elements of all tiles
  const auto& tile_counts() const { return window_offsets; }   ///< the first tile of each window, and the end
  /// The raw view that kernels take.
  BmatPattern<Offset> view() const {
    return {rows, columns, window_offsets.data(), value_offsets.data(), tile_columns.data(), tile_words.data()};
  }
  /// Bytes of the pattern, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this); }

  /// @cond
  template <class ExecutionSpace>
  static Built<Bmat, Offset, MemorySpace> build(const ExecutionSpace& exec, const Csr<Offset, MemorySpace>& rows,
                                                const FormatParameters&, std::size_t) {
    return build_bmat(exec, rows.view(), rows.nonzeros);
  }
  template <class Archive>
  void transfer(Archive& file) {
    file.array("window_offsets", window_offsets);
    file.array("value_offsets", value_offsets);
    file.array("tile_columns", tile_columns);
    file.array("tile_words", tile_words);
  }
  /// @endcond
};

/// A pattern in BMat as it was built, and where its values come from.
template <class Offset, class MemorySpace>
using BuiltBmat = Built<Bmat<Offset, MemorySpace>, Offset, MemorySpace>;

/// Counts the tiles that the matrix would have, without building them. Cost: one pass over the pattern.
template <class ExecutionSpace, class Offset>
std::size_t count_bmat_tiles(const ExecutionSpace& exec, const CsrPattern<Offset>& A);

/// Builds BMat from a canonical pattern. Windows are built in parallel, each by one thread that merges the 16 sorted
/// rows of the window. The arrays are the same on every backend and for any number of threads.
///
/// Cost: three passes over the pattern, two of them with 16 comparisons for each distinct column of a window.
template <class ExecutionSpace, class Offset>
BuiltBmat<Offset, typename ExecutionSpace::memory_space> build_bmat(const ExecutionSpace& exec,
                                                                    const CsrPattern<Offset>& A, std::size_t nonzeros);

/// Converts back to canonical rows without loss. The map takes values from BMat's order to that of the rows.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const Bmat<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format, in memory that `exec` can read. Returns an empty text, or the first invariant
/// that is broken and where. Cost: a few passes over the pattern.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const Bmat<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
