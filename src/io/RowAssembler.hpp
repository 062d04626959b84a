// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <span>
#include <tessera/io/HostCsr.hpp>
#include <tessera/system/impl/Parallel.hpp>
#include <utility>
#include <vector>

#include "SortRow.hpp"

namespace Tessera::Impl {

/// An element of a matrix; indices start at 0.
template <class Scalar>
struct Entry {
  Ordinal row;
  Ordinal column;
  Scalar value;
};

/// Builds canonical CSR from entries in any order. They are added in numbered pieces, possibly by several threads.
///
/// Sorts by counting, twice: each piece by block of rows when it is added, then each block by row. Blocks are small
/// enough to keep the rows of a block in cache while entries are written to them, and are independent of each other.
/// Both sorts are stable: duplicates are summed in the order of the pieces, for any number of threads.
template <class Scalar>
class RowAssembler {
 public:
  RowAssembler(Ordinal rows, Ordinal columns, std::size_t pieces)
      : rows_(rows), columns_(columns), shift_(shift_of(rows)), blocks_(blocks_of(rows)), pieces_(pieces) {}

  /// Returns the peak bytes for `entries` entries, except the row that each thread sorts.
  static double bytes(Ordinal rows, double entries, std::size_t pieces, int threads) {
    constexpr double offset = sizeof(std::size_t);
    const double rows_of_block = static_cast<double>(std::size_t{1} << shift_of(rows));
    return bytes_of_pieces(rows, entries, pieces) + entries * static_cast<double>(sizeof(Ordinal) + sizeof(Scalar)) +
           offset * (static_cast<double>(rows) + 1) + useful_threads(threads, entries) * offset * (rows_of_block + 1);
  }

  /// Returns the bytes that are allocated before assemble().
  static double bytes_of_pieces(Ordinal rows, double entries, std::size_t pieces) {
    const double filled = std::min(static_cast<double>(pieces), entries);
    return entries * static_cast<double>(sizeof(Entry<Scalar>)) + static_cast<double>(pieces) * sizeof(Piece) +
           filled * sizeof(std::size_t) * (static_cast<double>(blocks_of(rows)) + 1);
  }

  /// Adds a piece. Several pieces may be added concurrently, each only once. Entries are copied and must be in range.
  void add(std::size_t number, std::span<const Entry<Scalar>> entries) {
    if (entries.empty()) return;
    Piece& piece = pieces_[number];
    piece.offsets.assign(blocks_ + 1, 0);
    for (const auto& entry : entries) ++piece.offsets[block_of(entry.row) + 1];
    std::partial_sum(piece.offsets.begin(), piece.offsets.end(), piece.offsets.begin());
    piece.entries = std::make_unique_for_overwrite<Entry<Scalar>[]>(entries.size());
    std::vector<std::size_t> next(piece.offsets.begin(), piece.offsets.end() - 1);
    for (const auto& entry : entries) piece.entries[next[block_of(entry.row)]++] = entry;
  }

  HostCsr<Scalar> assemble(int threads, const Progress& progress = {}) {
    std::vector<std::size_t> begins(blocks_ + 1, 0);
    for (const Piece& piece : pieces_) {
      for (std::size_t block = 1; block < piece.offsets.size(); ++block) {
        begins[block] += piece.offsets[block] - piece.offsets[block - 1];
      }
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());

    HostCsr<Scalar> matrix;
    matrix.rows = rows_;
    matrix.columns = columns_;
    matrix.row_offsets.assign(static_cast<std::size_t>(rows_) + 1, 0);
    matrix.column_indices.resize(begins.back());
    matrix.values.resize(begins.back());
    std::vector<std::size_t> kept(blocks_);
    parallel_for(
        useful_threads(threads, static_cast<double>(begins.back())), blocks_,
        [&](std::size_t block, int) { kept[block] = assemble_block(block, begins[block], matrix); }, progress);
    close_gaps(begins, kept, matrix);
    std::partial_sum(matrix.row_offsets.begin(), matrix.row_offsets.end(), matrix.row_offsets.begin());
    return matrix;
  }

 private:
  static constexpr Ordinal most_blocks = 512;

  struct Piece {
    std::unique_ptr<Entry<Scalar>[]> entries;  // sorted by block
    std::vector<std::size_t> offsets;          // first entry of each block; empty if the piece was not added
  };

  static int useful_threads(int threads, double entries) {
    constexpr double entries_worth_a_thread = 1 << 16;
    return static_cast<int>(std::min<double>(threads, 1 + entries / entries_worth_a_thread));
  }
  static int shift_of(Ordinal rows) {
    int shift = 0;
    while ((rows >> shift) >= most_blocks) ++shift;
    return shift;
  }
  static std::size_t blocks_of(Ordinal rows) {
    return rows == 0 ? 0 : static_cast<std::size_t>((rows - 1) >> shift_of(rows)) + 1;
  }
  std::size_t block_of(Ordinal row) const { return static_cast<std::size_t>(row >> shift_); }

  std::span<const Entry<Scalar>> part(const Piece& piece, std::size_t block) const {
    if (piece.offsets.empty()) return {};
    return {piece.entries.get() + piece.offsets[block], piece.offsets[block + 1] - piece.offsets[block]};
  }

  /// Stores the length of row i in row_offsets[i + 1]. Returns the number of remaining entries, which begin at `begin`.
  std::size_t assemble_block(std::size_t block, std::size_t begin, HostCsr<Scalar>& matrix) {
    const std::size_t first = block << shift_;
    const std::size_t last = std::min(first + (std::size_t{1} << shift_), static_cast<std::size_t>(rows_));
    std::vector<std::size_t> ends(last - first + 1, 0);
    for (const Piece& piece : pieces_) {
      for (const auto& entry : part(piece, block)) ++ends[static_cast<std::size_t>(entry.row) - first + 1];
    }
    ends[0] = begin;
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    for (const Piece& piece : pieces_) {
      for (const auto& entry : part(piece, block)) {
        const std::size_t position = ends[static_cast<std::size_t>(entry.row) - first]++;
        matrix.column_indices[position] = entry.column;
        matrix.values[position] = entry.value;
      }
    }

    // ends[i] is now the end of row first + i.
    std::vector<std::pair<Ordinal, Scalar>> scratch;
    std::size_t written = begin;
    for (std::size_t row = first, row_begin = begin; row < last; ++row) {
      const std::size_t row_end = ends[row - first];
      Ordinal* columns = matrix.column_indices.data() + row_begin;
      Scalar* values = matrix.values.data() + row_begin;
      const std::size_t length = sort_row(columns, values, row_end - row_begin, scratch);
      if (written != row_begin) {
        std::copy(columns, columns + length, matrix.column_indices.data() + written);
        std::copy(values, values + length, matrix.values.data() + written);
      }
      matrix.row_offsets[row + 1] = length;
      written += length;
      row_begin = row_end;
    }
    return written - begin;
  }

  /// Closes the gaps that summing duplicates has left between blocks.
  void close_gaps(const std::vector<std::size_t>& begins, const std::vector<std::size_t>& kept,
                  HostCsr<Scalar>& matrix) const {
    std::size_t end = 0;
    for (std::size_t block = 0; block < blocks_; ++block) {
      if (end != begins[block]) {
        const auto move = [&](auto& array) {
          const auto begin = array.begin() + static_cast<std::ptrdiff_t>(begins[block]);
          std::copy(begin, begin + static_cast<std::ptrdiff_t>(kept[block]),
                    array.begin() + static_cast<std::ptrdiff_t>(end));
        };
        move(matrix.column_indices);
        move(matrix.values);
      }
      end += kept[block];
    }
    matrix.column_indices.resize(end);
    matrix.values.resize(end);
  }

  Ordinal rows_;
  Ordinal columns_;
  int shift_;
  std::size_t blocks_;
  std::vector<Piece> pieces_;
};

}  // namespace Tessera::Impl
