// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "DeviceMemory.hpp"
#include "csr/cuda/RowCounts.hpp"
#include "csr/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {
namespace {

using Test::OnDevice;

/// Rows of 5, 0, 4, 12 and 1 entries in columns 0, 1, 2, ...
struct Rows {
  std::vector<int> row_offsets{0, 5, 5, 9, 21, 22};
  std::vector<int> column_indices{0, 1, 2, 3, 4, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0};
};

/// Returns the lists that follow the tiles.
std::vector<int> lists_of(const CsrPattern<int>& A, const CsrScheduleSize& size) {
  const std::vector<int> memory = fill_csr_schedule(A, size);
  EXPECT_EQ(memory.size(), size.memory_size());
  return {memory.begin() + static_cast<std::ptrdiff_t>(size.tile_memory_size()), memory.end()};
}

TEST(CsrSchedule, RowsOfMoreThanAPieceAreCut) {
  const Rows A;
  const CsrPattern<int> pattern{5, 12, A.row_offsets.data(), A.column_indices.data()};
  const CsrScheduleSize size = count_csr_schedule(pattern, 4);
  EXPECT_EQ(size.nonzeros, 22u);
  EXPECT_EQ(size.piece_length, 4);
  EXPECT_EQ(size.mean_span, (5 + 4 + 12 + 1) / 4);
  EXPECT_EQ(size.long_rows, 2);
  EXPECT_EQ(size.pieces, 5);
  EXPECT_EQ(lists_of(pattern, size), (std::vector<int>{0, 3, 0, 2, 5, 0, 0, 3, 3, 3, 0, 1, 0, 1, 2}));
}

TEST(CsrSchedule, NoRowsAndNoLongRows) {
  const std::vector<int> none{0};
  const CsrPattern<int> pattern{0, 0, none.data(), nullptr};
  const CsrScheduleSize size = count_csr_schedule(pattern, 64);
  EXPECT_EQ(size.pieces, 0);
  EXPECT_EQ(lists_of(pattern, size), (std::vector<int>{0}));
  EXPECT_THROW(count_csr_schedule(pattern, 0), std::invalid_argument);
}

TEST(CsrSchedule, OnlyLengthsThatWereCountedHaveSizes) {
  const Rows A;
  const CsrPattern<int> pattern{5, 12, A.row_offsets.data(), A.column_indices.data()};
  const CsrPieceLengths lengths{{4, 5, 11, 12}};
  CsrRowCounts counts;
  for (int row = 0; row < 5; ++row) counts.add_row(pattern, row, lengths);
  for (const int length : lengths.at) {
    const CsrScheduleSize expected = count_csr_schedule(pattern, length), size = counts.size(lengths, length, 5, 22);
    EXPECT_EQ(size.pieces, expected.pieces) << length;
    EXPECT_EQ(size.long_rows, expected.long_rows) << length;
    EXPECT_EQ(size.mean_span, expected.mean_span);
    EXPECT_EQ(size.tiles, expected.tiles);
    EXPECT_EQ(size.piece_length, length);
  }
  EXPECT_THROW(counts.size(lengths, 6, 5, 22), std::invalid_argument);
}

/// choose_csr_schedule() asks for no length that CsrPieceLengths lacks.
TEST(CsrSchedule, EveryLengthThatIsChosenWasCounted) {
  const CsrPieceLengths lengths;
  for (const int rows : {10, 100000}) {
    for (const std::size_t nonzeros : {1000, 1 << 20, 1 << 24}) {
      for (const std::size_t row_bytes : {8, 4096}) {
        CsrRowCounts counts;
        std::fill(std::begin(counts.long_rows), std::end(counts.long_rows), 1);
        std::fill(std::begin(counts.pieces), std::end(counts.pieces), 1000);  // the longest pieces are wanted
        const auto count = [&](int length) { return counts.size(lengths, length, rows, nonzeros); };
        EXPECT_EQ(choose_csr_schedule(rows, nonzeros, row_bytes, count).piece_length, 128);
      }
    }
  }
}

TEST(CsrSchedule, PieceLengthsGrowWithTheMatrix) {
  EXPECT_EQ(csr_piece_length(0, 8), 32);
  EXPECT_EQ(csr_piece_length(524287, 1024), 32);
  EXPECT_EQ(csr_piece_length(524287, 1025), 64) << "a wide X";
  EXPECT_EQ(csr_piece_length(524288, 8), 64);
  EXPECT_EQ(csr_piece_length(2140089, 8), 128);
  EXPECT_EQ(csr_piece_length(114848857, 2048), 128);
}

TEST(CsrSchedule, VeryLongRowsWantLongerPieces) {
  CsrScheduleSize size;
  size.piece_length = 32;
  size.long_rows = 2;
  size.pieces = 128;
  EXPECT_FALSE(csr_has_many_pieces(size));
  size.pieces = 129;
  EXPECT_TRUE(csr_has_many_pieces(size));
  size.piece_length = 128;
  EXPECT_FALSE(csr_has_many_pieces(size));
}

TEST(CsrSchedule, FewVeryLongRowsHaveManyLines) {
  CsrScheduleSize size;
  size.piece_length = 64;
  size.long_rows = 512;
  size.longest_row = 32 * 64;
  EXPECT_EQ(size.lines_of_pieces(), 4u);
  size.longest_row = 32 * 64 + 1;
  EXPECT_EQ(size.lines_of_pieces(), 32u);
  size.long_rows = 513;
  EXPECT_EQ(size.lines_of_pieces(), 4u);
}

// Returns the length of pieces for a matrix that `rows_of` describes by pairs {length, number of rows of this length}.
int chosen_length(const std::vector<std::array<int, 2>>& rows_of, std::size_t row_bytes) {
  std::vector<int> offsets{0};
  for (const auto& [length, rows] : rows_of)
    for (int i = 0; i < rows; ++i) offsets.push_back(offsets.back() + length);
  const CsrPattern<int> A{static_cast<int>(offsets.size()) - 1, 1 << 20, offsets.data(), nullptr};
  const auto count = [&](int piece_length) { return count_csr_schedule(A, piece_length); };
  return choose_csr_schedule(A.rows, static_cast<std::size_t>(offsets.back()), row_bytes, count).piece_length;
}

TEST(CsrSchedule, TheLengthIsThatWithWhichRowsAreCutBest) {
  EXPECT_EQ(chosen_length({{64, 1000}}, 128), 64) << "no row is long";
  EXPECT_EQ(chosen_length({{64, 1000}, {160, 3}}, 128), 160) << "a small matrix is not cut";
  EXPECT_EQ(chosen_length({{1, 60000}, {160, 3}}, 128), 32) << "but for many rows";
  EXPECT_EQ(chosen_length({{64, 1000}, {161, 3}}, 128), 32);
  EXPECT_EQ(chosen_length({{64, 1000}, {161, 3}}, 2048), 64) << "a wide X";
  EXPECT_EQ(chosen_length({{1, 1000}, {10000, 3}}, 128), 128) << "very long rows";
  EXPECT_EQ(chosen_length({{64, 50000}, {1000, 3}}, 128), 128) << "many entries";
}

TEST(CsrSchedule, SmallMatricesWithFewLongRowsAreNotCut) {
  CsrScheduleSize size;
  size.piece_length = 160;
  size.nonzeros = 500000;
  EXPECT_TRUE(csr_is_uncut(10000, size));
  EXPECT_FALSE(csr_is_uncut(100000, size));
  size.long_rows = 1;
  EXPECT_FALSE(csr_is_uncut(10000, size));
  size.long_rows = 0;
  size.nonzeros = 5000000;
  EXPECT_FALSE(csr_is_uncut(10000, size));
}

/// Returns row and number of every piece, ordered by row.
std::vector<std::pair<int, int>> pieces_in_order(const CsrScheduleSize& size, const std::vector<int>& memory) {
  const CsrSchedule s(size, memory.data());
  std::vector<int> order(static_cast<std::size_t>(size.long_rows));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return s.long_rows[a] < s.long_rows[b]; });
  std::vector<std::pair<int, int>> pieces;
  for (const int l : order) {
    for (int p = s.piece_offsets[l]; p < s.piece_offsets[l + 1]; ++p) {
      EXPECT_EQ(s.piece_rows[p], s.long_rows[l]);
      pieces.emplace_back(s.piece_rows[p], s.piece_numbers[p]);
    }
  }
  return pieces;
}

void compare_with_host() {
  const Rows rows;
  const std::vector<Offset> offsets(rows.row_offsets.begin(), rows.row_offsets.end());
  const CsrPattern<Offset> host{5, 12, offsets.data(), rows.column_indices.data()};
  const CsrScheduleSize size = count_csr_schedule(host, 4);
  const OnDevice<Offset> device_offsets(offsets);
  const OnDevice<int> device_columns(rows.column_indices);
  const OnDevice<unsigned long long> counter(std::vector<unsigned long long>{77});
  const CsrPattern<Offset> device{5, 12, device_offsets.data(), device_columns.data()};
  const OnDevice<int> memory(std::vector<int>(size.memory_size(), -1));
  fill_csr_schedule(nullptr, device, size, counter.data(), memory.data());
  EXPECT_EQ(pieces_in_order(size, memory.to_host()), pieces_in_order(size, fill_csr_schedule(host, size)));
}

TEST(CsrSchedule, OnlyLongRowsAreCutWhereTilesBegin) {
  // Row 0 begins at position 0 and is cut, as row 3 is, which begins at csr_tile_row + 11, in tile 9.
  constexpr int most = csr_tile_row, span = csr_tile_span;
  const std::vector<int> offsets{0, most, most, most + 10, 2 * most + 11};
  const CsrPattern<int> A{4, 2 * most, offsets.data(), nullptr};
  const CsrScheduleSize size = count_csr_schedule(A, 64);
  EXPECT_EQ(size.longest_row, most + 1u);
  ASSERT_EQ(size.tiles, (2 * most + 13) / span + 1);
  const std::vector<int> memory = fill_csr_schedule(A, size);
  const CsrSchedule schedule(size, memory.data());
  const auto expect_tile = [&](int t, std::uint64_t entry, int row, int is_within_row) {
    EXPECT_EQ(schedule.tiles[t].entry, entry) << t;
    EXPECT_EQ(schedule.tiles[t].row, row) << t;
    EXPECT_EQ(schedule.tiles[t].is_within_row, is_within_row) << t;
  };
  expect_tile(0, 0, 0, 0);
  for (int t = 1; t <= most / span; ++t) expect_tile(t, static_cast<std::uint64_t>(t * span), 1, 1);
  for (int t = most / span + 1; t < size.tiles; ++t) expect_tile(t, static_cast<std::uint64_t>(t * span - 1), 4, 1);
  expect_tile(size.tiles, 2 * most + 11, 4, 0);
}

TEST(CsrSchedule, NoRowIsCutIfTheLongestIsNot) {
  constexpr int most = csr_tile_row, span = csr_tile_span;
  const std::vector<int> offsets{0, most, most + csr_cut_row + 1};
  const CsrPattern<int> A{2, most, offsets.data(), nullptr};
  const CsrScheduleSize size = count_csr_schedule(A, 64);
  EXPECT_FALSE(size.cuts_rows());
  const std::vector<int> memory = fill_csr_schedule(A, size);
  const CsrSchedule schedule(size, memory.data());
  for (int t = 0; t <= size.tiles; ++t) EXPECT_EQ(schedule.tiles[t].is_within_row, 0) << t;
  EXPECT_EQ(schedule.tiles[most / span].entry, std::uint64_t(most));
}

TEST(CsrSchedule, EmptyRowsFillTiles) {
  const std::vector<int> offsets(10001, 0);
  const CsrPattern<int> A{10000, 1, offsets.data(), nullptr};
  const CsrScheduleSize size = count_csr_schedule(A, 64);
  ASSERT_EQ(size.tiles, 5000 / csr_tile_span + 1);
  const std::vector<int> memory = fill_csr_schedule(A, size);
  const CsrSchedule schedule(size, memory.data());
  EXPECT_EQ(schedule.tiles[1].row, 2 * csr_tile_span);
  EXPECT_EQ(schedule.tiles[2].row, 4 * csr_tile_span);
}

TEST(CsrSchedule, OfTheDeviceIsThatOfTheHost) {
  TESSERA_SKIP_WITHOUT_GPU();
  compare_with_host();
}

}  // namespace
}  // namespace Tessera::Impl::Cuda
