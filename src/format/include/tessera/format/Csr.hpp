// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/FormatParameters.hpp>
#include <tessera/MemoryLimit.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/format/ForEachArray.hpp>
#include <tessera/format/ValueMap.hpp>
#include <tessera/parallel/Array.hpp>
#include <tessera/parallel/RadixSort.hpp>

namespace Tessera::Impl {

/// A pattern that was built from another one, and the sources of its values.
template <class Pattern, class MemorySpace>
struct Built {
  Pattern pattern;               ///< the pattern
  ValueMap<MemorySpace> values;  ///< the source of each value
};

/// What the first look at a pattern finds out about its rows, for schedules of kernels.
struct RowSummary {
  Offset longest = 0;             ///< entries of the longest row; 0 if nothing is known, or there are no entries
  Ordinal rows_with_entries = 0;  ///< rows that are not empty
  std::int64_t spans = 0;         ///< distances from the first to the last column of a row, plus 1, summed over rows

  KOKKOS_FUNCTION void operator+=(const RowSummary& other) {
    longest = longest < other.longest ? other.longest : longest;
    rows_with_entries += other.rows_with_entries;
    spans += other.spans;
  }
};

/// A canonical pattern in compressed rows (see CsrPattern). It owns its arrays, which are in a memory space, or shares
/// those of the pattern that it was built from.
///
/// Bytes: (rows + 1) sizeof(Offset) + nonzeros * 4.
template <class MemorySpace>
struct Csr {
  static constexpr Format format = Format::Csr;  ///< name of the format
  /// @cond
  /// @endcond

  Ordinal rows = 0;                                   ///< rows of the matrix
  Ordinal columns = 0;                                ///< columns of the matrix
  std::size_t nonzeros = 0;                           ///< number of entries
  Impl::Array<Offset*, MemorySpace> row_offsets;      ///< see CsrPattern
  Impl::Array<Ordinal*, MemorySpace> column_indices;  ///< see CsrPattern
  std::size_t shared_bytes = 0;                       ///< bytes of these arrays that belong to somebody else
  RowSummary summary = {};                            ///< of the rows, if the arrays were those of the user

  std::size_t places() const { return nonzeros; }  ///< elements of an array of values
  /// Returns the raw view that kernels use.
  CsrPattern<Offset> view() const { return {rows, columns, row_offsets.data(), column_indices.data()}; }
  /// Returns the bytes of the pattern that this object owns, without the values.
  std::size_t bytes() const { return Impl::bytes_of_arrays(*this) - shared_bytes; }

  /// @cond
  template <class ExecutionSpace>
  static Built<Csr, MemorySpace> build(const ExecutionSpace&, const Csr& rows, const FormatParameters&, std::size_t) {
    return {rows, {}};
  }
  template <class Archive>
  void transfer(Archive& file) {
    file.array("row_offsets", row_offsets);
    file.array("column_indices", column_indices);
  }
  /// @endcond
};

/// The canonical rows that were built from another pattern, and the sources of their values.
template <class MemorySpace>
using BuiltCsr = Built<Csr<MemorySpace>, MemorySpace>;

/// Converts any compressed rows to canonical form: columns are sorted, and duplicates become one entry, whose value is
/// their sum in the order of the input. A canonical input is copied, and its map is the identity.
///
/// \param exec    [in] the instance to run on
/// \param input   [in] any compressed rows
/// \param entries [in] number of entries of the input
/// \throws std::invalid_argument that names the first wrong row or entry: offsets do not start at 0, descend, or end
///         beyond `entries`; a column is outside [0, columns)
///
/// Cost: one pass and one wait if the input is canonical; otherwise a radix sort of its entries.
///
/// \param owner   [in] keeps the arrays of the input alive; null: they are copied. Arrays of a canonical input are
///                     shared if it has an owner and its columns are aligned to 16 bytes, as kernels need
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> build_csr(const ExecutionSpace& exec, const CsrPattern<Offset>& input,
                                                          std::size_t entries,
                                                          const std::shared_ptr<const void>& owner = nullptr);

/// Returns rows whose offsets and columns are trusted to be right, without a look at them. Columns need not ascend.
///
/// \param nonzeros [in] the last offset
/// \param owner    [in] as for build_csr()
///
/// Cost: none if the arrays are shared; otherwise that of copying them.
template <class ExecutionSpace>
Csr<typename ExecutionSpace::memory_space> trusted_csr(const ExecutionSpace& exec, const CsrPattern<Offset>& input,
                                                       std::size_t nonzeros, const std::shared_ptr<const void>& owner);

/// Checks offsets for build_csr(). They may be a user's offsets that exceed the range of an int.
///
/// \throws std::invalid_argument for the first row whose offsets are wrong
template <class ExecutionSpace, class Offset>
void check_row_offsets(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t entries);
/// \throws std::invalid_argument for the first column out of range
template <class ExecutionSpace, class Offset>
void check_columns(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t entries);

/// Checks the offsets and the range of the columns of rows that were trusted until now.
template <class ExecutionSpace>
void check_bounds(const ExecutionSpace& exec, const Csr<typename ExecutionSpace::memory_space>& A) {
  if (A.rows == 0) return;
  check_row_offsets(exec, A.view(), A.nonzeros);
  check_columns(exec, A.view(), A.nonzeros);
}

/// Returns the pattern of A's transpose, also canonical. Cost: a radix sort of the entries by column.
template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> transpose(const ExecutionSpace& exec, const CsrPattern<Offset>& A,
                                                          std::size_t nonzeros);

/// Checks every invariant of a canonical pattern. Returns the first broken one and its position, or an empty text.
template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const Csr<typename ExecutionSpace::memory_space>& A);

}  // namespace Tessera::Impl
