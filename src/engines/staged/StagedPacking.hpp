// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Bits.hpp>

#include "staged/StagedView.hpp"

/// Which columns the chunks and the tiles of staged windows have (StagedView.hpp), for builds on host and device. A set
/// of columns of a chunk is a word with a bit for each slot. A set of rows of a window has a bit for each row.
namespace Tessera::Impl {

constexpr int staged_most_slots = 64;

/// Returns the rows of a strip in a set of rows of the window. Bit r of the result is row r of the strip.
TESSERA_FUNCTION unsigned staged_strip_rows(const std::uint64_t* rows, int strip) {
  return static_cast<unsigned>(rows[strip / 8] >> (strip % 8 * 8) & 0xffu);
}

/// Adds the slots of a chunk whose columns have an entry in row r of a strip to slots[r].
///
/// \param rows    [in] for each column of the chunk, the set of rows of the window with entries
/// \param columns [in] number of columns of the chunk
TESSERA_FUNCTION void staged_row_slots(const StagedShape& shape, const std::uint64_t* rows, int columns, int strip,
                                       std::uint64_t (&slots)[StagedPattern::strip_rows]) {
  for (int slot = 0; slot < columns; ++slot) {
    const unsigned own_rows = staged_strip_rows(rows + std::size_t(slot) * shape.row_words(), strip);
    if (own_rows == 0) continue;
    for (int r = 0; r < StagedPattern::strip_rows; ++r) slots[r] |= std::uint64_t(own_rows >> r & 1u) << slot;
  }
}

/// A slot of a chunk, or of the previous chunk.
struct StagedSlot {
  int slot;
  bool carried;

  TESSERA_FUNCTION std::uint16_t code() const {
    return static_cast<std::uint16_t>(4 * slot + slot % 4 + (carried ? 0x8000 : 0));
  }
};

/// The columns of a strip that are packed into the tiles of a chunk, as sets of slots. Slots that are equal mod 4 share
/// banks of shared memory.
struct StagedColumns {
  std::uint64_t carried;  ///< columns carried over from the previous chunk
  std::uint64_t own;      ///< columns of the chunk itself

  TESSERA_FUNCTION int count() const { return popcount(carried) + popcount(own); }
  TESSERA_FUNCTION int tiles() const { return (count() + 7) / 8; }

  static TESSERA_FUNCTION std::uint64_t slots_of_bank(int bank) { return std::uint64_t(0x1111111111111111) << bank; }

  /// Returns the bank in the set `banks` that has the most columns, or the first of several; -1 without columns.
  TESSERA_FUNCTION int fullest_bank(unsigned banks) const {
    int fullest = -1, most = 0;
    for (int bank = 0; bank < 4; ++bank) {
      const int size = popcount(carried & slots_of_bank(bank)) + popcount(own & slots_of_bank(bank));
      if ((banks >> bank & 1u) == 0 || size <= most) continue;
      fullest = bank;
      most = size;
    }
    return fullest;
  }

  /// Returns the own columns that fill no tile, and are carried over to the next chunk: repeatedly the last one of the
  /// fullest bank. Returns none if one tile fewer would leave out a column that is already carried.
  TESSERA_FUNCTION std::uint64_t rest() const {
    const int surplus = count() % 8;
    if (popcount(own) < surplus) return 0;
    StagedColumns kept = *this;
    for (int i = 0; i < surplus; ++i) {
      const std::uint64_t fullest = kept.own & slots_of_bank(kept.fullest_bank(0xfu));
      kept.own ^= std::uint64_t(1) << highest_bit(fullest != 0 ? fullest : kept.own);
    }
    return own ^ kept.own;
  }
};

/// Picks columns in the order of the tiles. Four adjacent columns are in different banks wherever possible.
class StagedPicker {
 public:
  explicit TESSERA_FUNCTION StagedPicker(const StagedColumns& columns) : left_(columns) {}

  /// Returns the next column. At least one must be left.
  TESSERA_FUNCTION StagedSlot next() {
    if (taken_++ % 4 == 0) unused_banks_ = 0xfu;
    int bank = left_.fullest_bank(unused_banks_);
    if (bank < 0) bank = left_.fullest_bank(0xfu);
    unused_banks_ &= ~(1u << bank);
    const bool carried = (left_.carried & StagedColumns::slots_of_bank(bank)) != 0;
    std::uint64_t& from = carried ? left_.carried : left_.own;
    const int slot = lowest_bit(from & StagedColumns::slots_of_bank(bank));
    from ^= std::uint64_t(1) << slot;
    return {slot, carried};
  }

 private:
  StagedColumns left_;
  unsigned unused_banks_ = 0xfu;
  int taken_ = 0;
};

/// Packs the next columns, at most 8, into a tile. The first four become its even columns. Writes their slots to
/// `slots`. rows_of(slot) returns the rows of the strip that have entries in a column.
TESSERA_CALLS_ARGUMENT
template <class RowsOf>
TESSERA_FUNCTION StagedTile staged_tile(StagedPicker& picker, int columns, const RowsOf& rows_of,
                                        StagedSlot (&slots)[8]) {
  StagedTile tile;
  for (int i = 0; i < 8; ++i) {
    const int c = 2 * (i % 4) + i / 4;
    // Unused columns repeat a code. Reading them with its column, or all together, causes no bank conflict.
    slots[c] = i < columns ? picker.next() : slots[columns > 4 ? 1 : 0];
    tile.codes[c] = slots[c].code();
    for (unsigned rows = i < columns ? rows_of(slots[c]) : 0u; rows != 0; rows &= rows - 1) {
      tile.mask |= std::uint64_t(1) << (8 * lowest_bit(rows) + c);
    }
  }
  return tile;
}

/// Writes the tiles of a strip in a chunk.
///
/// \param first_value [in] number of the first value, among those of the chunk
TESSERA_CALLS_ARGUMENT
template <class RowsOf>
TESSERA_FUNCTION void pack_staged_tiles(const StagedColumns& columns, std::uint32_t first_value, const RowsOf& rows_of,
                                        StagedTile* tiles) {
  StagedPicker picker(columns);
  for (int left = columns.count(); left > 0; left -= 8, ++tiles) {
    StagedSlot slots[8];
    StagedTile tile = staged_tile(picker, left < 8 ? left : 8, rows_of, slots);
    tile.first_value = first_value;
    *tiles = tile;
    first_value += static_cast<std::uint32_t>(popcount(tile.mask));
  }
}

}  // namespace Tessera::Impl
