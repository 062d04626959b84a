// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tessera/common/Types.hpp>

namespace Tessera::Impl {

/// How a device shares compressed rows among lanes, and which rows are cut into pieces: raw pointers into memory that
/// the caller owns. Everything depends on the matrix and on the vectors that a plan expects, never on those of a
/// product. Therefore a column of Y has the same bits whatever the others are.
///
/// Rows with more than piece_length entries are *long*. Their pieces have piece_length entries; the last may have
/// fewer. The sums of the pieces are added by a second kernel.
struct RowSchedule {
  int parts = 1;         ///< lanes of a row for each column of Y; lane p adds every parts-th entry, from p on
  int column_lanes = 1;  ///< lanes of a row for a single column, which may have an order of its own; a power of two
  int column_rows = 1;   ///< rows that these lanes sum one after another
  Ordinal piece_length = std::numeric_limits<Ordinal>::max();  ///< entries of a piece
  Ordinal long_rows = 0;                                       ///< number of long rows
  Ordinal pieces = 0;                                          ///< number of pieces of all long rows
  Ordinal most_pieces = 0;                                     ///< pieces of the longest row
  const Ordinal* rows = nullptr;                               ///< the long rows, in any order: long_rows numbers
  const Ordinal* piece_offsets = nullptr;  ///< first piece of each long row, and their number: long_rows + 1
  const Ordinal* piece_rows = nullptr;     ///< the long row of each piece, counted among long rows: pieces

  static constexpr int most_lanes = 32;  ///< upper bound on both numbers of lanes
};

/// Returns the number of pieces that a row is cut into; 0 for a row that is not cut.
TESSERA_FUNCTION Ordinal pieces_of_row(Offset length, Ordinal piece_length) {
  return length <= piece_length ? 0 : (length - 1) / piece_length + 1;
}

/// Long rows and their pieces, for several lengths of pieces at once. Default-constructed, it counts no row.
struct LongRowCounts {
  static constexpr int lengths = 8;
  Ordinal longest = 0;  ///< entries of the longest row
  Ordinal rows[lengths] = {};
  Ordinal pieces[lengths] = {};  ///< each has an entry, so an Ordinal can count them

  /// Returns a length of pieces.
  static TESSERA_FUNCTION Ordinal length(int i) { return 64 << i; }

  TESSERA_FUNCTION void add_row(Offset entries) {
    if (entries > longest) longest = entries;
    for (int i = 0; i < lengths; ++i) {
      const Ordinal count = pieces_of_row(entries, length(i));
      rows[i] += count > 0;
      pieces[i] += count;
    }
  }
  TESSERA_FUNCTION void operator+=(const LongRowCounts& other) {
    if (other.longest > longest) longest = other.longest;
    for (int i = 0; i < lengths; ++i) {
      rows[i] += other.rows[i];
      pieces[i] += other.pieces[i];
    }
  }
};

/// Chooses the least length of pieces, as a number of LongRowCounts: short pieces keep lanes evenly busy, but most rows
/// are not cut. This threshold and the next were measured on an H200.
///
/// \param columns [in] columns of a typical X
inline int least_pieces(double rows, double nonzeros, Ordinal columns) {
  constexpr double short_row = 32, column_times = 4, longest_of_column = 512;
  const double length = nonzeros / std::max(rows, 1.0);
  if (columns != 1) return length > short_row ? 1 : 0;
  int i = 0;
  while (LongRowCounts::length(i) < std::min(column_times * length, longest_of_column)) ++i;
  return i;
}

/// Returns the entries of the longest row with which no row is cut. In small matrices, a second kernel takes longer
/// than a lane that waits for another.
inline Ordinal uncut_length(double rows, double nonzeros, Ordinal columns) {
  constexpr double small_rows = 5e4, small_entries = 1e6, few_entries = 2e6;
  constexpr Ordinal of_small = 160, of_column = 512;
  Ordinal uncut = LongRowCounts::length(least_pieces(rows, nonzeros, columns));
  if (columns == 1 && nonzeros < few_entries) uncut = std::max(uncut, of_column);
  if (rows < small_rows && nonzeros < small_entries) uncut = std::max(uncut, of_small);
  return uncut;
}

/// Chooses the length of pieces. They are longer if a row would have very many.
inline void cut_long_rows(Ordinal rows, double nonzeros, const LongRowCounts& counts, Ordinal columns,
                          RowSchedule& schedule) {
  constexpr Ordinal many_pieces = 1 << 14;
  constexpr Ordinal most_items = std::numeric_limits<Ordinal>::max();
  if (counts.longest <= uncut_length(rows, nonzeros, columns)) return;
  int i = least_pieces(rows, nonzeros, columns);
  while (i + 1 < LongRowCounts::lengths && pieces_of_row(counts.longest, LongRowCounts::length(i)) > many_pieces) ++i;
  if (counts.pieces[i] > most_items - rows) return;  // rows and pieces are counted together
  schedule.piece_length = LongRowCounts::length(i);
  schedule.long_rows = counts.rows[i];
  schedule.pieces = counts.pieces[i];
  schedule.most_pieces = pieces_of_row(counts.longest, schedule.piece_length);
}

/// Returns the least power of two that is at least `count`, but not more than most_lanes.
inline int lanes_for_count(double count) {
  int lanes = 1;
  while (lanes < count && lanes < RowSchedule::most_lanes) lanes *= 2;
  return lanes;
}

/// Chooses how many lanes share a row for each of several columns. Few rows, or rows of X of few bytes, have more
/// lanes, so that these fill a device; then a lane may have fewer entries. The thresholds were measured on an H200.
///
/// \param items     [in] rows and pieces
/// \param row_bytes [in] bytes of a row of a typical X
inline int choose_parts(double items, double nonzeros, std::size_t row_bytes) {
  constexpr double filled = 1 << 17;  // lanes that fill a device
  constexpr double few_entries = 4, many_entries = 32;
  constexpr std::size_t lane_bytes = 16, slab_bytes = 256;
  const double length = nonzeros / std::max(items, 1.0);
  const auto width = static_cast<double>((std::min(row_bytes, slab_bytes) + lane_bytes - 1) / lane_bytes);
  int parts = 1;
  const auto wants_more = [&] {
    const double entries = length / (2 * parts);
    return entries >= many_entries || (entries >= few_entries && items * width * parts < filled);
  };
  while (parts < RowSchedule::most_lanes && wants_more()) parts *= 2;
  return parts;
}

/// Chooses the lanes of a row for a single column. Lanes wait for those that have the longest row or piece, so these
/// have more lanes if lengths differ. The thresholds were measured on an H200.
///
/// \param longest [in] entries of the longest row or piece
inline void share_column(double items, double nonzeros, double longest, RowSchedule& schedule) {
  constexpr double filled = 1 << 17, many_lanes = 1 << 20;
  constexpr double few_entries = 1.5, entries = 3, even_entries = 6, most_entries = 32;  // of a lane
  constexpr double times = 4;  // rows of at most this many times the mean length are even
  const double length = nonzeros / std::max(items, 1.0);
  const bool are_even = longest <= times * length;
  const double usual = are_even ? even_entries : entries;
  int lanes = 1;
  const auto wants_more = [&] {
    const double own = length / (2 * lanes);
    return own >= usual || (own >= few_entries && items * lanes < filled);
  };
  while (lanes < RowSchedule::most_lanes && wants_more()) lanes *= 2;
  schedule.column_lanes = std::max(lanes, lanes_for_count(longest / most_entries));
  schedule.column_rows = are_even && items * schedule.column_lanes > many_lanes ? 4 : 1;
}

/// Chooses a schedule, without its arrays.
///
/// \param counts  [in] of rows that are long; by default, none is
/// \param columns [in] columns of a typical X
/// \param element [in] bytes of an element of X
inline RowSchedule choose_row_schedule(Ordinal rows, double nonzeros, const LongRowCounts& counts, Ordinal columns,
                                       std::size_t element) {
  RowSchedule schedule;
  cut_long_rows(rows, nonzeros, counts, columns, schedule);
  const double items = double(rows) + schedule.pieces;
  schedule.parts = choose_parts(items, nonzeros, static_cast<std::size_t>(columns) * element);
  share_column(items, nonzeros, std::min(counts.longest, schedule.piece_length), schedule);
  return schedule;
}

}  // namespace Tessera::Impl
