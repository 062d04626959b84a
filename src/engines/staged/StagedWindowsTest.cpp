// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/common/Bits.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <utility>

#include "AdversarialPatterns.hpp"
#include "FormatArrays.hpp"
#include "MemoryMeter.hpp"
#include "SerialStaged.hpp"
#include "TestTypes.hpp"
#include "staged/StagedWindows.hpp"

namespace Tessera::Impl::Test {

template <class T>
class StagedWindowsTest : public ::testing::Test {};
TYPED_TEST_SUITE(StagedWindowsTest, OffsetCases);

std::string to_string(const StagedShape& shape) {
  return std::to_string(shape.window_rows) + " rows, " + std::to_string(shape.chunk_slots) + " slots, pieces of " +
         std::to_string(shape.piece_chunks) + ", " + std::to_string(shape.most_values) + " values";
}

/// Returns the shape of the kernels, and shapes that cut chunks and pieces at other places.
std::vector<StagedShape> shapes() {
  return {{64, 64, 16, 1016}, {128, 64, 2, 1016}, {64, 64, 3, 100}, {128, 12, 1, 64}, {192, 1, 5, 1}};
}

/// Returns rows whose entries lie about `distance` columns apart, up to the last column.
HostPattern<Offset> wide_pattern(int rows, int columns, int distance) {
  HostPattern<Offset> A;
  A.columns = columns;
  while (A.rows < rows) {
    for (std::int64_t j = A.rows; j < columns - 1; j += distance + A.rows)
      A.column_indices.push_back(static_cast<int>(j));
    A.column_indices.push_back(columns - 1);
    A.end_row();
  }
  return A;
}

/// Windows that fill a chunk with columns or values, or exceed it by one; long rows; empty windows; columns that reach
/// farther than a bitmap of 1024 words, with less groups of 32 columns than words, with more, and with gaps.
std::vector<HostPattern<Offset>> staged_patterns() {
  auto patterns = adversarial_patterns<Offset>();
  for (const int columns : {32 * 1024, 32 * 1024 + 1}) patterns.push_back(wide_pattern(2, columns, 40));
  patterns.push_back(wide_pattern(70, 40000, 9000));
  patterns.push_back(wide_pattern(65, 40000, 300));
  patterns.push_back(wide_pattern(3, 3000000, 700));
  patterns.push_back(wide_pattern(70, std::numeric_limits<int>::max(), 100000007));
  for (const int rows : {1, 63, 64, 65, 129}) {
    for (const int columns : {64, 65, 128}) patterns.push_back(random_pattern<Offset>(rows, columns, 1.0, 1));
    patterns.push_back(random_pattern<Offset>(rows, 700, 0.1, 2));
    patterns.push_back(random_pattern<Offset>(rows, 700, 0.02, 3, 2));
  }
  patterns.push_back(random_pattern<Offset>(1, 10000, 1.0, 1));
  HostPattern<Offset> gap = random_pattern<Offset>(5, 300, 0.3, 4);  // empty windows between others
  while (gap.rows < 300) gap.end_row();
  for (int j = 0; j < 300; j += 3) gap.column_indices.push_back(j);
  gap.end_row();
  patterns.push_back(gap);
  return patterns;
}

template <class Exec>
auto staged_of(const HostPattern<Offset>& A, const StagedShape& shape, std::size_t value_bytes) {
  return build_staged(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros(), shape, value_bytes);
}

template <class Exec>
void expect_serial_arrays(const HostPattern<Offset>& A, const StagedShape& shape, std::size_t value_bytes) {
  SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + " in windows of " + to_string(shape));
  const auto built = staged_of<Exec>(A, shape, value_bytes);
  const auto& p = built.pattern;
  const SerialStaged serial(A, shape, value_bytes);
  const auto& expected = serial.result();
  ASSERT_EQ(to_host(p.window_offsets), expected.window_offsets);
  ASSERT_EQ(to_host(p.chunk_columns), expected.chunk_columns);
  const auto chunks = to_host(p.chunks);
  ASSERT_EQ(chunks.size(), expected.chunks.size());
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    ASSERT_EQ(chunks[c].tiles, expected.chunks[c].tiles) << "chunk " << c;
    ASSERT_EQ(chunks[c].values, expected.chunks[c].values) << "chunk " << c;
  }
  ASSERT_TRUE(to_host(p.tile_data) == expected.tile_data);
  ASSERT_TRUE(to_host(built.values.slots) == expected.slots);
  ASSERT_EQ(p.places(), expected.slots.size());
  EXPECT_EQ(p.counts.tiles, expected.tiles);
  EXPECT_EQ(p.counts.chunks, chunks.size() - 1);
  EXPECT_EQ(static_cast<std::size_t>(p.counts.most_tile_bytes), expected.most_tile_bytes);
  EXPECT_EQ(static_cast<std::size_t>(p.counts.most_value_bytes), expected.most_value_bytes);
  EXPECT_EQ(p.bytes(), 4 * expected.window_offsets.size() + 4 * expected.chunk_columns.size() +
                           8 * expected.chunks.size() + expected.tile_data.size());
  const DevicePattern<Exec, Offset> device(A);
  EXPECT_EQ(count_staged(Exec(), device.view(), A.nonzeros(), shape, value_bytes), p.counts);
}

TYPED_TEST(StagedWindowsTest, ArraysAreThoseOfTheSerialBuild) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : staged_patterns()) {
    for (const StagedShape& shape : shapes()) expect_serial_arrays<Exec>(A, shape, 8);
    expect_serial_arrays<Exec>(A, {}, 4);
    expect_serial_arrays<Exec>(A, {}, 16);
  }
}

/// A column of a tile, as a kernel reads it.
struct TileColumn {
  int chunk, slot, place;  // place: index among the four columns that are read at once
  bool is_used, carried;
};

/// Reads staged windows as kernels do. Checks each entry, its value, and the chunk to which each code of a tile refers.
class StagedReader {
 public:
  template <class Pattern>
  StagedReader(const HostPattern<Offset>& A, const Pattern& p, const std::vector<double>& values)
      : A_(A),
        shape_(p.shape),
        window_offsets_(to_host(p.window_offsets)),
        chunk_columns_(to_host(p.chunk_columns)),
        chunks_(to_host(p.chunks)),
        tile_data_(to_host(p.tile_data)),
        values_(values),
        granule_(16 / p.value_size) {}

  void check() {
    const int windows = static_cast<int>(window_offsets_.size()) - 1;
    for (int window = 0; window < windows; ++window) {
      for (int chunk = window_offsets_[window]; chunk < window_offsets_[window + 1]; ++chunk) {
        SCOPED_TRACE("window " + std::to_string(window) + ", chunk " + std::to_string(chunk));
        check_chunk(window, chunk);
        if (::testing::Test::HasFailure()) return;
      }
    }
    EXPECT_EQ(seen_.size(), A_.nonzeros());
    std::size_t gaps = 0;
    for (const double value : values_) gaps += value == 0;
    EXPECT_EQ(gaps, values_.size() - A_.nonzeros()) << "places without an entry hold zeros";
  }

 private:
  void check_chunk(int window, int chunk) {
    const std::byte* data = tile_data_.data() + 16 * std::size_t(chunks_[chunk].tiles);
    const auto* strip_tiles = reinterpret_cast<const std::uint16_t*>(data);
    const auto* tiles = reinterpret_cast<const StagedTile*>(data + staged_header_bytes(shape_.strips()));
    ASSERT_EQ(strip_tiles[0], 0);
    ASSERT_EQ(reinterpret_cast<const std::byte*>(tiles + strip_tiles[shape_.strips()]),
              tile_data_.data() + 16 * std::size_t(chunks_[chunk + 1].tiles));
    for (int strip = 0; strip < shape_.strips(); ++strip) {
      std::vector<TileColumn> columns;
      for (int t = strip_tiles[strip]; t < strip_tiles[strip + 1]; ++t) {
        read_tile(window, chunk, strip, tiles[t], columns);
      }
      check_fullness(window, chunk, columns);
      check_banks(columns);
    }
  }

  void read_tile(int window, int chunk, int strip, const StagedTile& tile, std::vector<TileColumn>& columns) {
    std::size_t place = std::size_t(chunks_[chunk].values) * granule_ + tile.first_value;
    unsigned used = 0;
    for (int bit = 0; bit < 64; ++bit) {
      if ((tile.mask >> bit & 1) == 0) continue;
      used |= 1u << (bit % 8);
      ASSERT_LT(place, std::size_t(chunks_[chunk + 1].values) * granule_);
      const unsigned code = tile.codes[bit % 8];
      const int of = chunk - (code >= 0x8000u ? 1 : 0), slot = static_cast<int>(code & 0x7fffu) / 4;
      ASSERT_LT(slot, shape_.chunk_slots);
      const int column = chunk_columns_[std::size_t(of) * shape_.chunk_slots + slot];
      check_entry(window * shape_.window_rows + strip * 8 + bit / 8, column, values_[place++]);
    }
    for (int i = 0; i < 8; ++i) {
      const int c = 2 * (i % 4) + i / 4, code = tile.codes[c] & 0x7fff, slot = code / 4;
      const bool carried = tile.codes[c] >= 0x8000;
      ASSERT_EQ(code, 4 * slot + slot % 4);
      // No tile refers to a chunk of another piece. Codes of unused columns must also refer to staged rows of X.
      if (carried) {
        ASSERT_NE((chunk - window_offsets_[window]) % shape_.piece_chunks, 0);
      }
      ASSERT_GE(chunk_columns_[std::size_t(chunk - carried) * shape_.chunk_slots + slot], 0);
      columns.push_back({chunk, slot, i % 4, (used >> c & 1u) != 0, carried});
    }
  }

  // Checks that the entry exists and occurs once, and that its value is its number, counted from 1.
  void check_entry(int row, int column, double value) {
    ASSERT_LT(row, A_.rows);
    const auto begin = A_.column_indices.begin() + static_cast<std::ptrdiff_t>(A_.row_offsets[row]);
    const auto end = A_.column_indices.begin() + static_cast<std::ptrdiff_t>(A_.row_offsets[row + 1]);
    const auto found = std::lower_bound(begin, end, column);
    ASSERT_TRUE(found != end && *found == column) << row << ", " << column;
    ASSERT_EQ(value, static_cast<double>(found - A_.column_indices.begin() + 1));
    ASSERT_TRUE(seen_.insert({row, column}).second) << row << ", " << column << " twice";
  }

  // A tile has unused columns only at the end of a piece, or if one tile less would leave out a carried column.
  void check_fullness(int window, int chunk, const std::vector<TileColumn>& columns) const {
    std::size_t used = 0, own = 0;
    for (const TileColumn& column : columns) used += column.is_used, own += column.is_used && !column.carried;
    const bool ends_piece =
        chunk + 1 == window_offsets_[window + 1] || (chunk + 1 - window_offsets_[window]) % shape_.piece_chunks == 0;
    EXPECT_EQ((used + 7) / 8 * 8, columns.size()) << "tiles that could be spared";
    if (used % 8 != 0 && !ends_piece) {
      EXPECT_LT(own, used % 8);
    }
  }

  // Four columns that are read together use as many banks as their own and the later columns allow.
  static void check_banks(const std::vector<TileColumn>& columns) {
    for (std::size_t first = 0; first < columns.size(); first += 4) {
      std::set<int> banks, later;
      std::size_t used = 0;
      for (std::size_t c = first; c < columns.size(); ++c) {
        if (!columns[c].is_used) continue;
        if (c < first + 4) banks.insert(columns[c].slot % 4), ++used;
        later.insert(columns[c].slot % 4);
      }
      EXPECT_EQ(banks.size(), std::min(used, later.size()));
    }
  }

  const HostPattern<Offset>& A_;
  StagedShape shape_;
  std::vector<int> window_offsets_, chunk_columns_;
  std::vector<StagedChunk> chunks_;
  std::vector<std::byte> tile_data_;
  std::vector<double> values_;
  std::size_t granule_;
  std::set<std::pair<int, int>> seen_;
};

/// Moves values through the map on the device, and reads the result together with the pattern.
template <class Exec>
void expect_readable(const HostPattern<Offset>& A, const StagedShape& shape) {
  SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + " in windows of " + to_string(shape));
  const auto built = staged_of<Exec>(A, shape, sizeof(double));
  std::vector<double> source(A.nonzeros());
  std::iota(source.begin(), source.end(), 1.0);
  const auto device_source = to_device<Exec>(source);
  const auto target =
      to_device<Exec>(std::vector<double>(built.pattern.places(), std::numeric_limits<double>::quiet_NaN()));
  gather_values(Exec(), ValueMap<typename Exec::memory_space>{}, built.values,
                static_cast<const double*>(device_source.data()), target.data(), built.pattern.places());
  StagedReader(A, built.pattern, to_host(target)).check();
}

TYPED_TEST(StagedWindowsTest, EveryEntryIsReadOnceWithItsValue) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : staged_patterns()) {
    for (const StagedShape& shape : shapes()) expect_readable<Exec>(A, shape);
  }
}

TYPED_TEST(StagedWindowsTest, GoesBackToRowsWithoutLoss) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : staged_patterns()) {
    for (const StagedShape& shape : shapes()) {
      SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + " in windows of " + to_string(shape));
      expect_lossless<Exec>(staged_of<Exec>(A, shape, 4), A);
    }
  }
}

TYPED_TEST(StagedWindowsTest, ChunksEndWhenTheyAreFull) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto chunks = [](int rows, int columns, const StagedShape& shape) {
    return staged_of<Exec>(random_pattern<Offset>(rows, columns, 1.0, 1), shape, 8).pattern.counts.chunks;
  };
  EXPECT_EQ(chunks(1, 64, {}), 1u);
  EXPECT_EQ(chunks(1, 65, {}), 2u);
  EXPECT_EQ(chunks(1, 10000, {}), 157u);
  EXPECT_EQ(chunks(64, 16, {.most_values = 1024}), 1u);
  EXPECT_EQ(chunks(64, 17, {.most_values = 1024}), 2u);
  EXPECT_EQ(chunks(64, 16, {.most_values = 1023}), 2u);
  EXPECT_EQ(chunks(64, 3, {.most_values = 63}), 3u) << "a column has a chunk of its own";
}

TYPED_TEST(StagedWindowsTest, RealMatrices) {
  using Exec = typename TypeParam::ExecutionSpace;
  const char* folder = std::getenv("TESSERA_DATA_DIR");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "TESSERA_DATA_DIR is not set";
  for (const char* name :
       {"bcsstk13.mtx.gz", "west2021.mtx", "orani678.mtx.gz", "lp_ship04l.mtx", "facebook_combined.mtx.gz"}) {
    SCOPED_TRACE(name);
    const auto matrix = read_matrix<double>((std::filesystem::path(folder) / name).string());
    HostPattern<Offset> A;
    A.rows = matrix.rows;
    A.columns = matrix.columns;
    A.row_offsets.assign(matrix.row_offsets.begin(), matrix.row_offsets.end());
    A.column_indices = matrix.column_indices;
    for (const StagedShape& shape : {StagedShape{}, StagedShape{128, 64, 8, 1016}}) {
      expect_serial_arrays<Exec>(A, shape, 8);
      expect_readable<Exec>(A, shape);
    }
  }
}

TYPED_TEST(StagedWindowsTest, RejectsOtherShapes) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<Offset>(5, 5, 0.5, 1);
  const auto expect_rejection = [&](const StagedShape& shape, std::size_t value_bytes, const std::string& what) {
    try {
      staged_of<Exec>(A, shape, value_bytes);
      ADD_FAILURE() << what << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
    EXPECT_THROW(count_staged(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros(), shape, value_bytes),
                 std::invalid_argument);
  };
  expect_rejection({.window_rows = 0}, 8, "window_rows of staged windows is 0");
  expect_rejection({.window_rows = 96}, 8, "window_rows of staged windows is 96");
  expect_rejection({.window_rows = 2048}, 8, "window_rows of staged windows is 2048");
  expect_rejection({.chunk_slots = 0}, 8, "chunk_slots of staged windows is 0");
  expect_rejection({.chunk_slots = 65}, 8, "chunk_slots of staged windows is 65");
  expect_rejection({.piece_chunks = 0}, 8, "piece_chunks of staged windows is 0");
  expect_rejection({.most_values = 0}, 8, "most_values of staged windows is 0");
  expect_rejection({}, 12, "the size of values of staged windows is 12");
  expect_rejection({}, 0, "the size of values of staged windows is 0");
}

/// Copies of a pattern's arrays on the host, which tests can damage.
template <class Exec>
struct StagedArrays {
  StagedWindows<typename Exec::memory_space> p;
  std::vector<int> window_offsets = to_host(p.window_offsets), chunk_columns = to_host(p.chunk_columns);
  std::vector<StagedChunk> chunks = to_host(p.chunks);
  std::vector<std::byte> tile_data = to_host(p.tile_data);

  std::uint16_t* strip_tiles(std::size_t chunk) {
    return reinterpret_cast<std::uint16_t*>(&tile_data[16 * std::size_t(chunks[chunk].tiles)]);
  }
  StagedTile& tile(std::size_t chunk, std::size_t t) {
    const std::size_t first = 16 * std::size_t(chunks[chunk].tiles) + std::size_t(staged_header_bytes(8));
    return reinterpret_cast<StagedTile*>(&tile_data[first])[t];
  }
  std::string fault() {
    p.window_offsets = to_device<Exec>(window_offsets);
    p.chunk_columns = to_device<Exec>(chunk_columns);
    p.chunks = to_device<Exec>(chunks);
    p.tile_data = to_device<Exec>(tile_data);
    return validate<Exec>(Exec(), p);
  }
};

/// 70 x 60 with chunks of 12 columns and pieces of two chunks. Every row of the first window has 30 entries.
TYPED_TEST(StagedWindowsTest, ValidateNamesTheFirstFault) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Arrays = StagedArrays<Exec>;
  const auto built = staged_of<Exec>(random_pattern<Offset>(70, 60, 0.5, 4), {64, 12, 2, 1000}, 8).pattern;
  EXPECT_EQ(Arrays{built}.fault(), "");
  const auto expect_fault = [&](const std::string& expected, const auto& change) {
    Arrays changed{built};
    change(changed);
    EXPECT_EQ(changed.fault(), "staged windows: " + expected);
  };
  const std::string of_columns =
      "chunk_columns does not ascend strictly within the matrix, with unused slots at the end of each chunk";
  const std::string of_codes = "a code names no column of its chunk, nor of the chunk before it in its piece";
  const std::string of_strips = "the first tiles of the strips do not ascend from 0 to the number of tiles";
  const std::string of_values =
      "first_value does not grow by the number of bits of the tiles' masks, up to the next chunk's values";
  expect_fault("piece_chunks of staged windows is 0; expected 1 or more",
               [](Arrays& A) { A.p.shape.piece_chunks = 0; });
  expect_fault("window_offsets does not have an element more than windows", [](Arrays& A) { A.p.rows = 200; });
  expect_fault("chunk_columns does not have an element for each slot of the chunks",
               [](Arrays& A) { A.chunk_columns.pop_back(); });
  expect_fault("tile_data or the values do not end at 16 bytes", [](Arrays& A) { A.p.counts.value_bytes += 8; });
  expect_fault("window 0: window_offsets does not ascend from 0 to the number of chunks",
               [](Arrays& A) { A.window_offsets[1] = 100; });
  expect_fault("chunks does not begin at 0, and end where tile_data and the values do",
               [](Arrays& A) { A.chunks.back().tiles -= 1; });
  expect_fault("chunk 1: chunks does not ascend to the end of tile_data and of the values",
               [](Arrays& A) { A.chunks[2].tiles = A.chunks[1].tiles; });
  expect_fault("chunk 0: chunks does not ascend to the end of tile_data and of the values",
               [](Arrays& A) { A.chunks[1].values = 1u << 30; });
  expect_fault("chunk 1: " + of_strips, [](Arrays& A) { A.strip_tiles(1)[8] += 1; });
  expect_fault("chunk 1: " + of_strips, [](Arrays& A) { A.strip_tiles(1)[3] = 1000; });
  expect_fault("chunk 2: " + of_values, [](Arrays& A) { A.tile(2, 1).first_value += 1; });
  expect_fault("chunk 2: " + of_values, [](Arrays& A) { A.tile(2, 0).mask = 0; });
  expect_fault("the counts are not those of the arrays", [](Arrays& A) { A.p.counts.most_value_bytes += 16; });
  expect_fault("the counts are not those of the arrays", [](Arrays& A) { A.p.counts.tiles += 1; });
  expect_fault("the masks do not have a bit for each nonzero", [](Arrays& A) { A.p.nonzeros += 1; });
  expect_fault("window 0: " + of_columns, [](Arrays& A) { A.chunk_columns[3] = A.chunk_columns[2]; });
  expect_fault("window 0: " + of_columns, [](Arrays& A) { A.chunk_columns[59] = 60; });
  expect_fault("window 0: " + of_codes, [](Arrays& A) { A.tile(1, 0).codes[0] = 4 * 12; });
  expect_fault("window 0: " + of_codes, [](Arrays& A) { A.tile(2, 0).codes[0] |= 0x8000u; });  // first chunk of a piece
  expect_fault("window 0: " + of_codes, [](Arrays& A) { A.tile(1, 0).codes[0] = 1; });
  expect_fault("window 0: a strip has a column twice",
               [](Arrays& A) { A.tile(0, 0).codes[1] = A.tile(0, 0).codes[0]; });
  expect_fault("window 1: a mask has a bit in a row beyond the last of the matrix", [](Arrays& A) { A.p.rows = 67; });
}

/// The second window has no entries.
TYPED_TEST(StagedWindowsTest, TilesAreCountedWindowByWindow) {
  using Exec = typename TypeParam::ExecutionSpace;
  HostPattern<Offset> A = random_pattern<Offset>(64, 16, 1.0, 1);  // two full tiles per strip
  while (A.rows < 128) A.end_row();
  A.column_indices.push_back(3);
  A.end_row();
  const auto built = staged_of<Exec>(A, {}, 8);
  EXPECT_EQ(to_host(tile_counts(Exec(), built.pattern)), (std::vector<Offset>{0, 16, 16, 17}));
}

TEST(StagedSize, IsRejectedBeforeItsOffsetsOverflow) {
  const std::size_t most = 16 * std::size_t(0xffffffffu);
  const std::size_t int_places = std::numeric_limits<int>::max(), places = std::numeric_limits<std::size_t>::max();
  EXPECT_NO_THROW(Impl::check_staged_size({.tile_bytes = most, .value_bytes = most}, 8, places));
  EXPECT_THROW(Impl::check_staged_size({.tile_bytes = most + 16}, 8, places), FormatTooLarge);
  EXPECT_THROW(Impl::check_staged_size({.value_bytes = most + 16}, 8, places), FormatTooLarge);
  EXPECT_NO_THROW(Impl::check_staged_size({.value_bytes = 8 * int_places}, 8, int_places));
  EXPECT_THROW(Impl::check_staged_size({.value_bytes = 8 * int_places + 16}, 8, int_places), FormatTooLarge);
}

}  // namespace Tessera::Impl::Test
