// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/Product.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

#include "sorted_columns/SortedColumnsView.hpp"

namespace Tessera::Impl {

/// Owns the pattern of a matrix in sorted columns. SortedColumnsPattern describes the arrays.
///
/// Bytes without the values: (blocks + pieces + 2) sizeof(Offset) + 4 (blocks + pieces + positions + nonzeros + regular
/// elements), where positions is the number of nonempty columns.
template <class MemorySpace>
struct SortedColumns {
  static constexpr Format format = Format::SortedColumns;  ///< name of the format

  Ordinal rows = 0;                                           ///< rows of the matrix
  Ordinal columns = 0;                                        ///< columns of the matrix
  std::size_t nonzeros = 0;                                   ///< number of entries
  Ordinal width = 0;                                          ///< columns of a block
  Ordinal height = 0;                                         ///< upper bound on the entries of a column in a block
  Impl::Array<Ordinal*, MemorySpace> column_order;            ///< see SortedColumnsPattern
  Impl::Array<Offset*, MemorySpace> block_offsets;            ///< see SortedColumnsPattern
  Impl::Array<Ordinal*, MemorySpace> block_positions;         ///< see SortedColumnsPattern
  Impl::Array<Ordinal*, MemorySpace> row_indices;             ///< see SortedColumnsPattern
  Impl::Array<std::uint16_t*, MemorySpace> position_indices;  ///< see SortedColumnsPattern
  Impl::Array<std::int16_t*, MemorySpace> segment_lengths;    ///< see SortedColumnsPattern
  Impl::Array<Offset*, MemorySpace> piece_offsets;            ///< see SortedColumnsPattern
  Impl::Array<std::uint32_t*, MemorySpace> piece_columns;     ///< see SortedColumnsPattern

  std::size_t tiles() const { return block_positions.extent(0); }            ///< number of blocks
  std::size_t pieces() const { return piece_columns.extent(0); }             ///< number of pieces
  std::size_t places() const { return nonzeros; }                            ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return position_indices.extent(0); }  ///< number of regular elements
  std::size_t tile_elements() const { return tiled_nonzeros(); }             ///< elements of all blocks, which are full
  auto tile_counts() const { return decltype(block_offsets)(); }             ///< empty: blocks belong to no window
  /// Returns the raw view that kernels use.
  SortedColumnsPattern view() const {
    return {rows,
            columns,
            static_cast<Ordinal>(column_order.extent(0)),
            width,
            height,
            static_cast<Offset>(position_indices.extent(0)),
            static_cast<Offset>(tiles()),
            static_cast<Offset>(pieces()),
            column_order.data(),
            block_offsets.data(),
            block_positions.data(),
            row_indices.data(),
            position_indices.data(),
            segment_lengths.data(),
            piece_offsets.data(),
            piece_columns.data()};
  }
  /// Returns the bytes of the pattern, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this); }

  /// @cond
  template <class ExecutionSpace>
  static Built<SortedColumns, MemorySpace> build(const ExecutionSpace& exec, const Csr<MemorySpace>& rows,
                                                 const FormatParameters& parameters, std::size_t) {
    return build_sorted_columns(exec, rows.view(), rows.nonzeros, parameters.sorted_columns_width,
                                parameters.sorted_columns_height);
  }
  template <class Archive>
  void transfer(Archive& file) {
    file.fields("width and height", width, height);
    file.array("column_order", column_order);
    file.array("block_offsets", block_offsets);
    file.array("block_positions", block_positions);
    file.array("row_indices", row_indices);
    file.array("position_indices", position_indices);
    file.array("segment_lengths", segment_lengths);
    file.array("piece_offsets", piece_offsets);
    file.array("piece_columns", piece_columns);
  }
  /// @endcond
};

/// A newly built pattern in sorted columns, and the map that says where its values come from.
template <class MemorySpace>
using BuiltSortedColumns = Built<SortedColumns<MemorySpace>, MemorySpace>;

/// Builds sorted columns from a canonical pattern. The arrays are the same on every backend and for any number of
/// threads.
///
/// \param exec     [in] the instance to run on
/// \param A        [in] a canonical pattern
/// \param nonzeros [in] number of entries
/// \param width    [in] columns of a block, from 1 to 1024; 0 means 32
/// \param height   [in] upper bound on the entries of a column in a block; 0 means 32
/// \throws std::invalid_argument for any other width, or a negative height
///
/// Cost: three radix sorts: of the entries by column, of the columns by length, and of the regular elements by set and
/// row. The host computes the layers serially. Their number is at most the number of different lengths, plus one for
/// each `height` entries of the longest column.
template <class ExecutionSpace>
BuiltSortedColumns<typename ExecutionSpace::memory_space> build_sorted_columns(const ExecutionSpace& exec,
                                                                               const CsrPattern<Offset>& A,
                                                                               std::size_t nonzeros, Ordinal width,
                                                                               Ordinal height);

/// Converts back to canonical rows without loss. The map gives the place of each value, in the order of the rows. Cost:
/// a radix sort of the entries.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const SortedColumns<typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format, in memory that `exec` can read. Returns an empty text, or the first broken
/// invariant and its position. Cost: about that of a build.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const SortedColumns<typename ExecutionSpace::memory_space>& A);

/// Computes Y = alpha A X + beta Y for A in sorted columns: scales Y, then adds alpha A X column by column of A. Each
/// thread adds to all rows of Y, for its own columns of X and Y. `scratch` is not used.
template <class ExecutionSpace, class MatrixScalar, class VectorScalar>
void portable_spmm(const ExecutionSpace& exec, const SortedColumnsPattern& A, std::size_t nonzeros,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch scratch);

}  // namespace Tessera::Impl
