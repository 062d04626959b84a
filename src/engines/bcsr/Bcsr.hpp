// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/FormatParameters.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

#include "bcsr/BcsrView.hpp"

namespace Tessera::Impl {

/// The shape of the blocks of a matrix, and the number of blocks.
struct BcsrBlocks {
  BlockShape shape;        ///< shape of all blocks
  std::size_t blocks = 0;  ///< number of blocks with at least one entry
};

/// Returns the bytes of a pattern and its values.
inline std::size_t bcsr_bytes(Ordinal rows, const BcsrBlocks& counted, std::size_t offset_bytes,
                              std::size_t value_bytes) {
  const BlockShape& shape = counted.shape;
  const std::size_t block_bytes =
      sizeof(Ordinal) + shape.mask_words() * sizeof(std::uint64_t) + shape.size() * value_bytes;
  return (shape.windows(rows) + std::size_t(1)) * offset_bytes + counted.blocks * block_bytes;
}
/// Owns the pattern of a matrix in BCSR. BcsrPattern describes the arrays.
///
/// Bytes without the values, with blocks of h x w: (ceil(rows / h) + 1) sizeof(Offset) + blocks * (4 + 8 ceil(h w /
/// 64)). The values take another blocks * h w * sizeof(value) bytes.
template <class MemorySpace>
struct Bcsr {
  static constexpr Format format = Format::Bcsr;  ///< its name

  Ordinal rows = 0;                                      ///< rows of the matrix
  Ordinal columns = 0;                                   ///< columns of the matrix
  std::size_t nonzeros = 0;                              ///< number of entries
  BlockShape block;                                      ///< the shape of all blocks
  Impl::Array<Offset*, MemorySpace> block_offsets;       ///< see BcsrPattern
  Impl::Array<Ordinal*, MemorySpace> block_columns;      ///< see BcsrPattern
  Impl::Array<std::uint64_t*, MemorySpace> block_masks;  ///< see BcsrPattern

  std::size_t tiles() const { return block_columns.extent(0); }  ///< number of blocks
  std::size_t places() const { return tiles() * block.size(); }  ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return nonzeros; }        ///< number of entries in tiles
  std::size_t tile_elements() const { return places(); }         ///< elements of all blocks
  const auto& tile_counts() const { return block_offsets; }      ///< the first block of each window, and the end
  /// Returns the raw view that kernels read.
  BcsrPattern view() const {
    return {rows, columns, block, block_offsets.data(), block_columns.data(), block_masks.data()};
  }
  /// Returns the bytes of the pattern, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this); }

  /// @cond
  template <class ExecutionSpace>
  static Built<Bcsr, MemorySpace> build(const ExecutionSpace& exec, const Csr<MemorySpace>& rows,
                                        const FormatParameters& parameters, std::size_t value_bytes) {
    return build_bcsr(exec, rows.view(), rows.nonzeros, parameters, value_bytes);
  }
  template <class Archive>
  void transfer(Archive& file) {
    file.fields("block", block.height, block.width);
    file.array("block_offsets", block_offsets);
    file.array("block_columns", block_columns);
    file.array("block_masks", block_masks);
  }
  /// @endcond
};

/// A newly built pattern in BCSR, and the map that says where its values come from.
template <class MemorySpace>
using BuiltBcsr = Built<Bcsr<MemorySpace>, MemorySpace>;

/// Counts the blocks that the matrix would have, without building them.
///
/// \param nonzeros [in] the number of A's entries
/// \throws std::invalid_argument unless height and width are from 1 to 64
///
/// Cost: one pass over the pattern. Hosts compare `height` columns for each block. Devices mark blocks in bitmaps if a
/// window has at least 1024 entries on average, or more if the matrix is wide. Else they search up to height - 1 rows
/// by bisection for each entry that is the first of a block in its row. Nothing is allocated.
template <class ExecutionSpace>
std::size_t count_bcsr_blocks(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros, int height,
                              int width);

/// Returns the shape of the blocks that build_bcsr() makes. If the parameters name none, the candidates are the shapes
/// of operands of tensor core instructions: 16x16 for values of 2 bytes; 16x8 or 8x8 for 4; 16x8, 8x8 or 8x4 for 8 and
/// more. The candidate that needs the fewest bytes for pattern and values is chosen; if several do, the largest.
///
/// \param exec        [in] the instance to run on
/// \param A           [in] a canonical pattern
/// \param nonzeros    [in] the number of its entries
/// \param parameters  [in] the shape, or 0 for both sides
/// \param value_bytes [in] bytes of a value of A
/// \throws std::invalid_argument if the parameters name only one side of a block, or a side outside 1 to 64
///
/// Cost: counts the blocks for each candidate shape.
template <class ExecutionSpace>
BlockShape bcsr_block_shape(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                            const FormatParameters& parameters, std::size_t value_bytes);

/// Returns the shape and the number of blocks. Cost: counts the blocks even if the parameters name the shape.
template <class ExecutionSpace>
BcsrBlocks bcsr_blocks(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                       const FormatParameters& parameters, std::size_t value_bytes);

/// Builds BCSR from a canonical pattern. Windows are built in parallel, each by one thread that merges the sorted rows
/// of the window, or on devices, if a window has at least 128 entries on average, by a team that marks blocks in a
/// bitmap. The arrays are the same on every backend and for any number of threads. In the map, elements of blocks
/// without an entry have no source.
///
/// \param exec        [in] the instance to run on
/// \param A           [in] a canonical pattern
/// \param nonzeros    [in] the number of its entries
/// \param parameters  [in] the shape of a block, or 0 for both sides
/// \param value_bytes [in] bytes of a value of A
/// \throws std::invalid_argument as bcsr_block_shape()
/// \throws TooManyPlaces before anything as large as the blocks is allocated
///
/// Cost: the choice of the shape, and two passes over the pattern. With merges, each makes one comparison for each row
/// of each block. With bitmaps, a pass reads a window once for every 32768 block columns between its first and its
/// last.
template <class ExecutionSpace>
BuiltBcsr<typename ExecutionSpace::memory_space> build_bcsr(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                            std::size_t nonzeros, const FormatParameters& parameters,
                                                            std::size_t value_bytes);

/// Converts back to canonical rows without loss. The map reorders values from BCSR's order to the order of the rows.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const Bcsr<typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format, in memory that `exec` can read. Returns an empty text, or the first broken
/// invariant and where it is broken. Cost: a few passes over the pattern.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const Bcsr<typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera::Impl
