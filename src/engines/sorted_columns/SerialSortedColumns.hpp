// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "HostPattern.hpp"
#include "sorted_columns/SortedColumnsView.hpp"

namespace Tessera::Impl::Test {

/// Sorted columns (SortedColumnsView.hpp) on the host. slots has the canonical entry at each place.
struct HostSortedColumns {
  int rows = 0, columns = 0, width = 32, height = 32;
  std::vector<Offset> block_offsets{0}, piece_offsets, slots;
  std::vector<int> column_order, block_positions, row_indices;
  std::vector<std::uint16_t> position_indices;
  std::vector<std::int16_t> segment_lengths;
  std::vector<std::uint32_t> piece_columns;

  SortedColumnsPattern view() const {
    SortedColumnsPattern A;
    A.rows = rows;
    A.columns = columns;
    A.positions = static_cast<int>(column_order.size());
    A.width = width;
    A.height = height;
    A.regular = block_offsets.back();
    A.blocks = static_cast<Offset>(block_positions.size());
    A.pieces = static_cast<Offset>(piece_columns.size());
    A.column_order = column_order.data();
    A.block_offsets = block_offsets.data();
    A.block_positions = block_positions.data();
    A.row_indices = row_indices.data();
    A.position_indices = position_indices.data();
    A.segment_lengths = segment_lengths.data();
    A.piece_offsets = piece_offsets.data();
    A.piece_columns = piece_columns.data();
    return A;
  }

  /// Calls visit(name, array) for each array of the pattern.
  template <class Visit>
  void for_each_array(const Visit& visit) const {
    visit("column_order", column_order);
    visit("block_offsets", block_offsets);
    visit("block_positions", block_positions);
    visit("row_indices", row_indices);
    visit("position_indices", position_indices);
    visit("segment_lengths", segment_lengths);
    visit("piece_offsets", piece_offsets);
    visit("piece_columns", piece_columns);
  }
};

/// The entries by columns, each with its row and its index in row order.
template <class From>
struct HostColumns {
  std::vector<From> offsets, entries;
  std::vector<int> rows;

  explicit HostColumns(const HostPattern<From>& A) {
    offsets.assign(A.columns + 1, 0);
    rows.resize(A.nonzeros());
    entries.resize(A.nonzeros());
    for (const int column : A.column_indices) ++offsets[column + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<From> next(offsets.begin(), offsets.end() - 1);
    for (int row = 0; row < A.rows; ++row) {
      for (From k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
        const From place = next[A.column_indices[k]]++;
        rows[place] = row;
        entries[place] = k;
      }
    }
  }
  int length(int column) const { return static_cast<int>(offsets[column + 1] - offsets[column]); }
};

/// Removes layer after layer from the columns: the next `height` entries of every position from `first` on. Entries
/// that are in no block are at the end of a column, or are stored in `skipped_` by position.
template <class From>
class SortedColumnsBuilder {
 public:
  SortedColumnsBuilder(const HostPattern<From>& A, HostSortedColumns& B) : B_(B), columns_(A) {
    for (int j = 0; j < A.columns; ++j) {
      if (columns_.length(j) > 0) B_.column_order.push_back(j);
    }
    std::stable_sort(B_.column_order.begin(), B_.column_order.end(),
                     [&](int a, int b) { return columns_.length(a) < columns_.length(b); });
    skipped_.resize(B_.column_order.size());
    B_.row_indices.reserve(A.nonzeros());
    B_.slots.reserve(A.nonzeros());
  }

  void build() {
    const int positions = static_cast<int>(skipped_.size());
    int first = 0, taken = 0;  // taken: number of entries removed from each column from `first` on
    while (true) {
      while (first < positions && length(first) == taken) ++first;
      if (positions - first < B_.width) break;
      const int height = std::min(length(first) - taken, B_.height);
      add_layer(first, taken, height);
      taken += height;
    }
    add_pieces(taken);
  }

 private:
  int length(int position) const { return columns_.length(B_.column_order[position]); }
  From place(int position, int step) const { return columns_.offsets[B_.column_order[position]] + From(step); }

  void add_element(From place) {
    B_.row_indices.push_back(columns_.rows[place]);
    B_.slots.push_back(static_cast<Offset>(columns_.entries[place]));
  }

  void add_layer(int first, int taken, int height) {
    const int positions = static_cast<int>(skipped_.size());
    int position = first;
    for (; position + B_.width <= positions; position += B_.width) {
      B_.block_positions.push_back(position);
      for (int step = taken; step < taken + height; ++step) {
        for (int c = 0; c < B_.width; ++c) add_element(place(position + c, step));
      }
      B_.block_offsets.push_back(static_cast<Offset>(B_.slots.size()));
    }
    for (; position < positions; ++position) {
      for (int step = taken; step < taken + height; ++step) skipped_[position].push_back(place(position, step));
    }
  }

  void add_pieces(int taken) {
    const int positions = static_cast<int>(skipped_.size());
    B_.piece_offsets = {static_cast<Offset>(B_.slots.size())};
    for (int from_right = 0; from_right < positions; ++from_right) {
      const int position = positions - 1 - from_right;
      std::vector<From>& places = skipped_[position];
      for (int step = taken; step < length(position); ++step) places.push_back(place(position, step));
      const auto count = static_cast<int>(places.size());
      for (int begin = 0; begin < count; begin += B_.width) {
        const int end = std::min(begin + B_.width, count);
        for (int i = begin; i < end; ++i) add_element(places[i]);
        B_.piece_columns.push_back(static_cast<std::uint32_t>(from_right) |
                                   (count > B_.width ? SortedColumnsPattern::split_bit : 0u));
        B_.piece_offsets.push_back(static_cast<Offset>(B_.slots.size()));
      }
    }
  }

  HostSortedColumns& B_;
  HostColumns<From> columns_;
  std::vector<std::vector<From>> skipped_;  // for each position, the places of its irregular entries, ascending
};

/// Sorts each set by row.
inline void sort_sets(HostSortedColumns& B) {
  const auto regular = static_cast<std::size_t>(B.block_offsets.back());
  const auto set_size = static_cast<std::size_t>(SortedColumnsPattern::steps_of_set * B.width);
  B.position_indices.resize(regular);
  B.segment_lengths.assign(regular, 0);
  for (std::size_t begin = 0; begin < regular; begin += set_size) {
    std::vector<std::size_t> set(std::min(set_size, regular - begin));
    std::iota(set.begin(), set.end(), begin);
    std::stable_sort(set.begin(), set.end(),
                     [&](std::size_t a, std::size_t b) { return B.row_indices[a] < B.row_indices[b]; });
    std::size_t head = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      B.position_indices[set[i]] = static_cast<std::uint16_t>(i);
      if (B.row_indices[set[i]] != B.row_indices[set[head]]) head = i;
      std::int16_t& length = B.segment_lengths[begin + head];
      length = i == head ? std::int16_t(-1) : static_cast<std::int16_t>(i - head);
    }
  }
}

/// Builds sorted columns step by step (SortedColumnsView.hpp). Cost: sorts of the columns by length and of sets by row.
template <class From>
HostSortedColumns serial_sorted_columns(const HostPattern<From>& A, int width = 32, int height = 32) {
  HostSortedColumns B;
  B.rows = A.rows;
  B.columns = A.columns;
  B.width = width;
  B.height = height;
  SortedColumnsBuilder<From>(A, B).build();
  sort_sets(B);
  return B;
}

}  // namespace Tessera::Impl::Test
