// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/SortedColumnsView.hpp>
#include <tessera/format/Csr.hpp>

namespace Tessera {

/// The pattern of a matrix in sorted columns (see SortedColumnsPattern for what the arrays hold) that owns its arrays.
///
/// Bytes, values left out: (blocks + pieces + 2) sizeof(Offset) + 4 (blocks + pieces + positions + nonzeros +
/// regular elements), where positions counts the columns that are not empty.
template <class Offset, class MemorySpace>
struct SortedColumns {
  static constexpr Format format = Format::SortedColumns;
  static constexpr bool to_csr_sorts = true;

  Ordinal rows = 0;
  Ordinal columns = 0;
  std::size_t nonzeros = 0;
  Ordinal width = 0;   ///< columns of a block
  Ordinal height = 0;  ///< entries of a column in a block, at most
  Kokkos::View<Ordinal*, MemorySpace> column_order;
  Kokkos::View<Offset*, MemorySpace> block_offsets;
  Kokkos::View<Ordinal*, MemorySpace> block_positions;
  Kokkos::View<Ordinal*, MemorySpace> row_indices;
  Kokkos::View<std::uint16_t*, MemorySpace> position_indices;
  Kokkos::View<std::int16_t*, MemorySpace> segment_lengths;
  Kokkos::View<Offset*, MemorySpace> piece_offsets;
  Kokkos::View<std::uint32_t*, MemorySpace> piece_columns;

  std::size_t tiles() const { return block_positions.extent(0); }  ///< blocks
  std::size_t pieces() const { return piece_columns.extent(0); }
  std::size_t places() const { return nonzeros; }  ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return position_indices.extent(0); }
  std::size_t tile_elements() const { return tiled_nonzeros(); }  ///< blocks are full
  auto tile_counts() const { return decltype(block_offsets)(); }  ///< empty: blocks belong to no window
  SortedColumnsPattern<Offset> view() const {
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
  std::size_t bytes() const {
    return (block_offsets.extent(0) + piece_offsets.extent(0)) * sizeof(Offset) +
           (column_order.extent(0) + block_positions.extent(0) + row_indices.extent(0)) * sizeof(Ordinal) +
           piece_columns.extent(0) * sizeof(std::uint32_t) + position_indices.extent(0) * sizeof(std::uint16_t) +
           segment_lengths.extent(0) * sizeof(std::int16_t);
  }

  template <class ExecutionSpace>
  static Built<SortedColumns, Offset, MemorySpace> build(const ExecutionSpace& exec,
                                                         const Csr<Offset, MemorySpace>& rows,
                                                         const FormatParameters& parameters, std::size_t) {
    return build_sorted_columns(exec, rows.view(), rows.nonzeros, parameters.sorted_columns_width,
                                parameters.sorted_columns_height);
  }
  template <class ExecutionSpace>
  static FormatMemory memory(const ExecutionSpace& exec, const Csr<Offset, MemorySpace>& rows,
                             const FormatParameters& parameters, std::size_t value_bytes, double tiles);
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
};
template <class Offset, class MemorySpace>
using BuiltSortedColumns = Built<SortedColumns<Offset, MemorySpace>, Offset, MemorySpace>;

/// Builds sorted columns from a canonical pattern; the arrays are the same on every backend and number of threads.
///
/// \param width  [in] columns of a block, from 1 to 1024; 0 is 32
/// \param height [in] entries of a column in a block, at most; 0 is 32
/// \throws std::invalid_argument at any other width, or a negative height
///
/// Cost: three radix sorts, of the entries by their columns, of the columns by their lengths and of the regular
/// elements by sets and rows. The layers, as many as the different lengths and the longest column over `height`
/// together at most, are laid out serially on the host.
template <class ExecutionSpace, class Offset>
BuiltSortedColumns<Offset, typename ExecutionSpace::memory_space> build_sorted_columns(const ExecutionSpace& exec,
                                                                                       const CsrPattern<Offset>& A,
                                                                                       std::size_t nonzeros,
                                                                                       Ordinal width, Ordinal height);

/// Back to canonical rows without loss; the map takes values from the order here to that of the rows. Cost: a radix
/// sort of the entries.
template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const SortedColumns<Offset, typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format in memory that `exec` can read.
///
/// \return an empty string, or the first invariant that is broken and where. Cost: about that of a build.
template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const SortedColumns<Offset, typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera
