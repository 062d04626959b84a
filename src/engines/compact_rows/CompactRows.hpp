// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/FormatParameters.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

#include "compact_rows/CompactRowsView.hpp"

namespace Tessera::Impl {

/// Owns the pattern of a matrix in compact rows. CompactRowsPattern describes the arrays. Each entry counts as a tile,
/// because each reads a row of X.
///
/// Bytes without the values: (rows + 1) sizeof(Offset) + 2 nonzeros + 4
/// ceil(nonzeros / 64) + 128 wide blocks.
template <class MemorySpace>
struct CompactRows {
  static constexpr Format format = Format::CompactRows;  ///< name of the format

  Ordinal rows = 0;                                       ///< rows of the matrix
  Ordinal columns = 0;                                    ///< columns of the matrix
  std::size_t nonzeros = 0;                               ///< number of entries
  Impl::Array<Offset*, MemorySpace> row_offsets;          ///< see CompactRowsPattern
  Impl::Array<Ordinal*, MemorySpace> block_columns;       ///< see CompactRowsPattern
  Impl::Array<std::uint16_t*, MemorySpace> low_columns;   ///< see CompactRowsPattern
  Impl::Array<std::uint16_t*, MemorySpace> high_columns;  ///< see CompactRowsPattern
  RowSummary summary = {};                                ///< of the rows, if they were counted

  std::size_t places() const { return nonzeros; }          ///< elements of an array of values
  std::size_t tiles() const { return nonzeros; }           ///< number of entries
  std::size_t tiled_nonzeros() const { return nonzeros; }  ///< number of entries in tiles
  std::size_t tile_elements() const { return nonzeros; }   ///< elements of all tiles
  const auto& tile_counts() const { return row_offsets; }  ///< the first entry of each row, and the end
  /// Returns the raw view that kernels use.
  CompactRowsPattern view() const {
    return {rows, columns, row_offsets.data(), block_columns.data(), low_columns.data(), high_columns.data()};
  }
  /// Returns the bytes of the pattern, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this); }

  /// @cond
  template <class ExecutionSpace>
  static Built<CompactRows, MemorySpace> build(const ExecutionSpace& exec, const Csr<MemorySpace>& rows,
                                               const FormatParameters&, std::size_t) {
    auto built = build_compact_rows(exec, rows.view(), rows.nonzeros);
    built.pattern.summary = rows.summary;
    return built;
  }
  template <class Archive>
  void transfer(Archive& file) {
    file.array("row_offsets", row_offsets);
    file.array("block_columns", block_columns);
    file.array("low_columns", low_columns);
    file.array("high_columns", high_columns);
  }
  /// @endcond
};

/// A newly built pattern in compact rows, and the map that says where its values come from: the identity.
template <class MemorySpace>
using BuiltCompactRows = Built<CompactRows<MemorySpace>, MemorySpace>;

/// Returns the number of wide blocks of a pattern. Waits for `exec`. Cost: a pass over the columns, or none if no block
/// can be wide.
template <class ExecutionSpace>
std::size_t count_wide_blocks(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros);

/// Builds compact rows from a canonical pattern. The arrays are the same on every backend.
///
/// \param exec     [in] the instance to run on; waits for it
/// \param A        [in] a canonical pattern
/// \param nonzeros [in] number of entries
///
/// Cost: two or three passes over the columns.
template <class ExecutionSpace>
BuiltCompactRows<typename ExecutionSpace::memory_space> build_compact_rows(const ExecutionSpace& exec,
                                                                           const CsrPattern<Offset>& A,
                                                                           std::size_t nonzeros);

/// Converts back to canonical rows without loss. The map is the identity.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const CompactRows<typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format, in memory that `exec` can read. Returns an empty text, or the first broken
/// invariant and its position. Cost: a few passes over the pattern.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const CompactRows<typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera::Impl
