// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

#include "staged/StagedView.hpp"

namespace Tessera::Impl {

/// The sizes of a matrix in staged windows.
struct StagedCounts {
  std::size_t columns = 0;      ///< distinct columns, summed over the windows: rows of X that a product gathers
  std::size_t chunks = 0;       ///< number of chunks
  std::size_t tiles = 0;        ///< number of tiles of all strips
  std::size_t tile_bytes = 0;   ///< bytes of all tiles and of the headers of chunks
  std::size_t value_bytes = 0;  ///< bytes of all values, including gaps between chunks
  int most_tile_bytes = 0;      ///< see StagedPattern
  int most_value_bytes = 0;     ///< see StagedPattern

  /// Whether all numbers are equal.
  friend bool operator==(const StagedCounts&, const StagedCounts&) = default;
};

/// Returns the shape for the parameters. Parameters that are 0 have the default of StagedShape.
inline StagedShape staged_shape(const FormatParameters& parameters) {
  StagedShape shape;
  if (parameters.staged_chunk_values != 0) shape.most_values = parameters.staged_chunk_values;
  if (parameters.staged_piece_chunks != 0) shape.piece_chunks = parameters.staged_piece_chunks;
  return shape;
}

/// Owns the pattern of a matrix in staged windows. StagedPattern describes the arrays. Places of values have the type
/// Offset. Numbers of chunks are int; positions of tiles and values are in units of 16 bytes.
///
/// Bytes without the values: 4 (windows + 1) + (4 chunk_slots + 8) chunks + 8 + tile_data.
template <class MemorySpace>
struct StagedWindows {
  static constexpr Format format = Format::Staged;  ///< name of the format

  Ordinal rows = 0;            ///< rows of the matrix
  Ordinal columns = 0;         ///< columns of the matrix
  std::size_t nonzeros = 0;    ///< number of entries
  std::size_t value_size = 8;  ///< bytes of a value: the values of each chunk begin at multiples of 16 bytes
  StagedShape shape;           ///< how the matrix is cut
  StagedCounts counts;         ///< sizes of the parts
  Impl::Array<int*, MemorySpace> window_offsets;     ///< see StagedPattern
  Impl::Array<Ordinal*, MemorySpace> chunk_columns;  ///< see StagedPattern
  Impl::Array<StagedChunk*, MemorySpace> chunks;     ///< see StagedPattern
  Impl::Array<std::byte*, MemorySpace> tile_data;    ///< headers and tiles of the chunks, see StagedPattern

  std::size_t tiles() const { return counts.tiles; }                      ///< number of tiles
  std::size_t places() const { return counts.value_bytes / value_size; }  ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return nonzeros; }                 ///< number of entries in tiles
  std::size_t tile_elements() const { return tiles() * 64; }              ///< elements of all tiles
  /// Returns the raw view that kernels use.
  StagedWindowsPattern view() const {
    return {{rows, columns, shape.window_rows, shape.chunk_slots, shape.piece_chunks, counts.most_tile_bytes,
             counts.most_value_bytes, window_offsets.data(), chunk_columns.data(), chunks.data(), tile_data.data()},
            static_cast<int>(16 / value_size)};
  }
  /// Returns the bytes of the pattern, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this); }

  /// @cond
  template <class ExecutionSpace>
  static Built<StagedWindows, MemorySpace> build(const ExecutionSpace& exec, const Csr<MemorySpace>& rows,
                                                 const FormatParameters& parameters, std::size_t value_bytes) {
    return build_staged(exec, rows.view(), rows.nonzeros, staged_shape(parameters), value_bytes);
  }
  template <class Archive>
  void transfer(Archive& file) {
    file.fields("shape", shape.window_rows, shape.chunk_slots, shape.piece_chunks, shape.most_values);
    file.fields("counts", counts.columns, counts.chunks, counts.tiles, counts.tile_bytes, counts.value_bytes,
                counts.most_tile_bytes, counts.most_value_bytes);
    file.array("window_offsets", window_offsets);
    file.array("chunk_columns", chunk_columns);
    file.array("chunks", chunks);
    file.array("tile_data", tile_data);
  }
  /// @endcond
};

/// A newly built pattern in staged windows, and the map that says where its values come from.
template <class MemorySpace>
using BuiltStagedWindows = Built<StagedWindows<MemorySpace>, MemorySpace>;

/// Returns the sizes of the result of build_staged(), without building it.
///
/// \throws std::invalid_argument and TooManyPlaces like build_staged(), except that sizes need not fit
///
/// Cost: most of the cost of a build.
template <class ExecutionSpace>
StagedCounts count_staged(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                          const StagedShape& shape, std::size_t value_bytes);

/// Builds staged windows from a canonical pattern. The arrays are the same on every backend and for any number of
/// threads. Gaps between the values of two chunks have no source in the map.
///
/// \param shape       [in] chunk_slots should be a multiple of 4, which aligns rows of chunk_columns
/// \param value_bytes [in] bytes of a value of A: 1, 2, 4, 8 or 16
/// \throws std::invalid_argument for an invalid shape or value_bytes
/// \throws TooManyPlaces for 2^31 or more chunks, for 2^32 or more units of 16 bytes of tiles or of values, or for more
///         places than offsets can count. It is thrown before anything of that size is allocated.
///
/// Cost: four passes over the entries, or more in windows whose columns reach farther than about 30,000 columns; then
/// passes over the distinct columns of the windows.
template <class ExecutionSpace>
BuiltStagedWindows<typename ExecutionSpace::memory_space> build_staged(const ExecutionSpace& exec,
                                                                       const CsrPattern<Offset>& A,
                                                                       std::size_t nonzeros, const StagedShape& shape,
                                                                       std::size_t value_bytes);

/// Converts back to canonical rows without loss. The map gives the place of each value, in the order of the rows. Cost:
/// a radix sort of the places.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const StagedWindows<typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format.
///
/// \param exec [in] the instance to run on
/// \param A    [in] the pattern, in memory that `exec` can read
/// \return an empty string, or the first broken invariant and its position. Cost: a few passes over the pattern.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const StagedWindows<typename ExecutionSpace::memory_space>& A);

/// Computes the first tile of each window, and the end.
///
/// \param exec [in] the instance to run on
/// \param A    [in] the pattern
///
/// Cost: a pass over the chunks.
template <class ExecutionSpace>
Impl::Array<Offset*, typename ExecutionSpace::memory_space> tile_counts(
    const ExecutionSpace& exec, const StagedWindows<typename ExecutionSpace::memory_space>& A);

/// \param most_places [in] upper bound on places that offsets can count
/// \throws TooManyPlaces like build_staged()
void check_staged_size(const StagedCounts& counts, std::size_t value_bytes, std::size_t most_places);

}  // namespace Tessera::Impl
