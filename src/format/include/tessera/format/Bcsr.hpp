// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/BcsrView.hpp>
#include <tessera/common/FormatParameters.hpp>
#include <tessera/format/Csr.hpp>

namespace Tessera {

/// The pattern of a matrix in BCSR (see BcsrPattern for what the arrays hold) that owns its arrays.
///
/// Bytes with blocks of h x w, values left out: (ceil(rows / h) + 1) sizeof(Offset) + blocks * (4 + 8 ceil(h w / 64)).
/// Values take blocks * h w * sizeof(value) besides.
template <class Offset, class MemorySpace>
struct Bcsr {
  static constexpr Format format = Format::Bcsr;
  static constexpr bool to_csr_sorts = false;

  Ordinal rows = 0;
  Ordinal columns = 0;
  std::size_t nonzeros = 0;
  BlockShape block;
  Kokkos::View<Offset*, MemorySpace> block_offsets;
  Kokkos::View<Ordinal*, MemorySpace> block_columns;
  Kokkos::View<std::uint64_t*, MemorySpace> block_masks;

  std::size_t tiles() const { return block_columns.extent(0); }
  std::size_t places() const { return tiles() * block.size(); }  ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return nonzeros; }
  std::size_t tile_elements() const { return places(); }     ///< of all blocks
  const auto& tile_counts() const { return block_offsets; }  ///< the first block of each window, and the end
  BcsrPattern<Offset> view() const {
    return {rows, columns, block, block_offsets.data(), block_columns.data(), block_masks.data()};
  }
  std::size_t bytes() const {
    return block_offsets.extent(0) * sizeof(Offset) + block_columns.extent(0) * sizeof(Ordinal) +
           block_masks.extent(0) * sizeof(std::uint64_t);
  }

  template <class ExecutionSpace>
  static Built<Bcsr, Offset, MemorySpace> build(const ExecutionSpace& exec, const Csr<Offset, MemorySpace>& rows,
                                                const FormatParameters& parameters, std::size_t value_bytes) {
    return build_bcsr(exec, rows.view(), rows.nonzeros, parameters, value_bytes);
  }
  template <class ExecutionSpace>
  static FormatMemory memory(const ExecutionSpace& exec, const Csr<Offset, MemorySpace>& rows,
                             const FormatParameters& parameters, std::size_t value_bytes, double tiles);
  template <class Archive>
  void transfer(Archive& file) {
    file.fields("block", block.height, block.width);
    file.array("block_offsets", block_offsets);
    file.array("block_columns", block_columns);
    file.array("block_masks", block_masks);
  }
};
template <class Offset, class MemorySpace>
using BuiltBcsr = Built<Bcsr<Offset, MemorySpace>, Offset, MemorySpace>;

/// How many blocks the matrix would have, without building them.
///
/// \throws std::invalid_argument unless height and width are from 1 to 64
///
/// Cost: one pass over the pattern, `height` comparisons a block. Nothing is allocated.
template <class ExecutionSpace, class Offset>
std::size_t count_bcsr_blocks(const ExecutionSpace& exec, const CsrPattern<Offset>& A, int height, int width);

/// The blocks that build_bcsr makes: those of the parameters or, if they name none, that operand of a
/// tensor core instruction for values of this size with which pattern and values take the fewest bytes: 16x16 for
/// values of 2 bytes; 16x8 or 8x8 for 4; 16x8, 8x8 or 8x4 for 8 and more. Of equals, the largest.
///
/// \param value_bytes [in] of a value of A
/// \throws std::invalid_argument if the parameters name one side of a block alone, or a side beyond 1 to 64
///
/// Cost: a count for each of the shapes to choose from.
template <class ExecutionSpace, class Offset>
BlockShape bcsr_block_shape(const ExecutionSpace& exec, const CsrPattern<Offset>& A, const FormatParameters& parameters,
                            std::size_t value_bytes);

/// Builds BCSR from a canonical pattern. Windows are built side by side, each by one thread that merges the window's
/// sorted rows; the arrays are the same on every backend and number of threads. Places without an entry have no source
/// in the map.
///
/// \param value_bytes [in] of a value of A
/// \throws std::invalid_argument as bcsr_block_shape()
/// \throws FormatTooLarge if the places are too many for Offset. Nothing as large as the blocks is allocated before.
///
/// Cost: three passes over the pattern besides the choice of the shape, with block height comparisons a block in two.
template <class ExecutionSpace, class Offset>
BuiltBcsr<Offset, typename ExecutionSpace::memory_space> build_bcsr(const ExecutionSpace& exec,
                                                                    const CsrPattern<Offset>& A, std::size_t nonzeros,
                                                                    const FormatParameters& parameters,
                                                                    std::size_t value_bytes);

/// Back to canonical rows without loss; the map takes values from BCSR's order to that of the rows.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const Bcsr<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format in memory that `exec` can read.
///
/// \return an empty string, or the first invariant that is broken and where. Cost: a few passes over the pattern.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const Bcsr<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
