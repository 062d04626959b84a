// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/FormatParameters.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Array.hpp>

#include "row_groups/RowGroupsView.hpp"

namespace Tessera::Impl {

/// The sizes of several groups.
struct RowGroupCounts {
  std::size_t groups = 0;   ///< number of groups
  std::size_t columns = 0;  ///< columns of all groups, including those that repeat the last one
  std::size_t values = 0;   ///< values of all groups, including zeros

  /// Adds the sizes of other groups.
  KOKKOS_INLINE_FUNCTION RowGroupCounts& operator+=(const RowGroupCounts& other) {
    groups += other.groups;
    columns += other.columns;
    values += other.values;
    return *this;
  }
};

/// Owns the pattern of a matrix in row groups. RowGroupsPattern describes the arrays. As in other formats, a tile is
/// the part of A that reads a row of X; here it is a column of a group.
///
/// Bytes without the values: 4 (ceil(rows / 256) + 1) + (groups + 1) (4 + 2 sizeof(Offset)) + tiles * (4 + 1).
template <class MemorySpace>
struct RowGroups {
  static constexpr Format format = Format::RowGroups;  ///< name of the format

  Ordinal rows = 0;                                      ///< rows of the matrix
  Ordinal columns = 0;                                   ///< columns of the matrix
  std::size_t nonzeros = 0;                              ///< number of entries
  std::size_t stored = 0;                                ///< values of all groups, including zeros
  Impl::Array<Ordinal*, MemorySpace> chunk_groups;       ///< see RowGroupsPattern
  Impl::Array<Ordinal*, MemorySpace> first_rows;         ///< see RowGroupsPattern
  Impl::Array<Offset*, MemorySpace> column_offsets;      ///< see RowGroupsPattern
  Impl::Array<Ordinal*, MemorySpace> group_columns;      ///< see RowGroupsPattern
  Impl::Array<std::uint8_t*, MemorySpace> column_masks;  ///< see RowGroupsPattern
  Impl::Array<Offset*, MemorySpace> value_offsets;       ///< see RowGroupsPattern

  /// Returns the number of groups.
  Ordinal groups() const { return first_rows.extent(0) > 0 ? static_cast<Ordinal>(first_rows.extent(0) - 1) : 0; }
  std::size_t tiles() const { return group_columns.extent(0); }  ///< number of columns of all groups
  std::size_t places() const { return stored; }                  ///< elements of an array of values
  std::size_t tiled_nonzeros() const { return nonzeros; }        ///< number of entries in tiles
  std::size_t tile_elements() const { return stored; }           ///< elements of all tiles
  const auto& tile_counts() const { return column_offsets; }     ///< the first column of each group, and the end
  /// Returns the raw view that kernels use.
  RowGroupsPattern view() const {
    return {rows,
            columns,
            groups(),
            chunk_groups.data(),
            first_rows.data(),
            column_offsets.data(),
            value_offsets.data(),
            group_columns.data(),
            column_masks.data()};
  }
  /// Returns the bytes of the pattern, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this); }

  /// @cond
  template <class ExecutionSpace>
  static Built<RowGroups, MemorySpace> build(const ExecutionSpace& exec, const Csr<MemorySpace>& rows,
                                             const FormatParameters& parameters, std::size_t) {
    return build_row_groups(exec, rows.view(), rows.nonzeros, parameters.group_rows);
  }
  template <class Archive>
  void transfer(Archive& file) {
    file.fields("stored", stored);
    file.array("chunk_groups", chunk_groups);
    file.array("first_rows", first_rows);
    file.array("column_offsets", column_offsets);
    file.array("group_columns", group_columns);
    file.array("column_masks", column_masks);
    file.array("value_offsets", value_offsets);
  }
  /// @endcond
};

/// A newly built pattern in row groups, and the map that says where its values come from.
template <class MemorySpace>
using BuiltRowGroups = Built<RowGroups<MemorySpace>, MemorySpace>;

/// Returns the sizes of the groups that build_row_groups() makes from the same arguments. Throws std::invalid_argument
/// if group_rows is not from 0 to 4.
///
/// Cost: a search for the column of each entry in up to group_rows - 1 previous rows. Memory: 12 bytes per row.
template <class ExecutionSpace>
RowGroupCounts count_row_groups(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros,
                                int group_rows = 0);

/// Builds row groups from a canonical pattern. Lanes count the entries of each row that are new to its group. Then a
/// thread for each chunk of 256 rows cuts it into groups, and a thread for each group fills it. The arrays are the same
/// on every backend and for any number of threads. Places without an entry have no source in the map.
///
/// \param exec       [in] the instance to run on
/// \param A          [in] a canonical pattern
/// \param nonzeros   [in] number of entries
/// \param group_rows [in] upper bound on the rows of a group, from 1 to 4; 0 means 4
/// \throws std::invalid_argument for any other group_rows
/// \throws TooManyPlaces before anything as large as the values is allocated
///
/// Cost: a search for the column of each entry in up to group_rows - 1 previous rows; then a merge of rows.
template <class ExecutionSpace>
BuiltRowGroups<typename ExecutionSpace::memory_space> build_row_groups(const ExecutionSpace& exec,
                                                                       const CsrPattern<Offset>& A,
                                                                       std::size_t nonzeros, int group_rows);

/// Converts back to canonical rows without loss. The map gives the place of each value, in the order of the rows.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const RowGroups<typename ExecutionSpace::memory_space>& A);

/// Checks every invariant of the format except that groups have minimal cost, in memory that `exec` can read. Returns
/// an empty text, or the first broken invariant and its position. Cost: a few passes over the pattern.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const RowGroups<typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera::Impl
