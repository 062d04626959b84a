// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <numeric>

#include "AdversarialPatterns.hpp"
#include "BmatFault.hpp"
#include "ExampleMatrix.hpp"
#include "FormatArrays.hpp"
#include "SerialBmat.hpp"
#include "TestTypes.hpp"
#include "bmat/Bmat.hpp"

namespace Tessera::Test {

template <class T>
class BmatTest : public ::testing::Test {};
TYPED_TEST_SUITE(BmatTest, OffsetCases);

template <class Exec, class Offset>
auto bmat_of(const HostPattern<Offset>& A) {
  return build_bmat(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros());
}

TYPED_TEST(BmatTest, IsThePictureInTheDocstring) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto built = bmat_of<Exec>(example_matrix<Offset>());
  const auto& p = built.pattern;
  EXPECT_EQ(to_host(p.window_offsets), (std::vector<Offset>{0, 2}));
  EXPECT_EQ(to_host(p.value_offsets), (std::vector<Offset>{0, 26}));
  EXPECT_EQ(to_host(p.tile_columns), (std::vector<int>{0, 1, 2, 5, 6, 8, 9, 12, 13, 15, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(to_host(p.tile_words), (std::vector<std::uint32_t>{0x08885033u, 0x00000200u, 0x84100040u, 0x80086066u,
                                                               0x01020000u, 0x10100000u, 0, 0}));
  EXPECT_EQ(example_values(to_host(built.values.slots)), "abcdfghjltekmopqrsuvwyinxz");
}

TYPED_TEST(BmatTest, ArraysAreThoseOfTheSerialBuild) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const auto& A : adversarial_patterns<Offset>()) {
    SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns));
    const auto built = bmat_of<Exec>(A);
    expect_serial_build(built, serial_bmat<Offset>(A));
    EXPECT_EQ((count_bmat_tiles(Exec(), DevicePattern<Exec, Offset>(A).view())), built.pattern.tiles());
  }
}

TYPED_TEST(BmatTest, BytesAreTheDocumentedFormula) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto built = bmat_of<Exec>(random_pattern<Offset>(123, 77, 0.1, 9));
  const std::size_t windows = 8, tiles = built.pattern.tiles();
  ASSERT_GT(tiles, windows);
  EXPECT_EQ(built.pattern.bytes(), 2 * (windows + 1) * sizeof(Offset) + tiles * 48);
}

/// A broken copy of a valid format is refused, and the message says what is broken.
TYPED_TEST(BmatTest, ValidateNamesTheBrokenInvariant) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  using Host = HostBmat<Offset>;
  const HostPattern<Offset> A = random_pattern<Offset>(27, 30, 0.3, 4);
  const DamagedCopies<Exec, Bmat<Offset, typename Exec::memory_space>, Host> expect_fault(
      serial_bmat<Offset>(A),
      [&](auto& p, const Host&) { p.rows = A.rows, p.columns = A.columns, p.nonzeros = A.nonzeros(); });
  expect_fault("BMat: window_offsets does not have", [](Host& h) { h.window_offsets.pop_back(); });
  expect_fault("value_offsets does not have", [](Host& h) { h.value_offsets.pop_back(); });
  expect_fault("tile_words does not have", [](Host& h) { h.tile_words.pop_back(); });
  expect_fault("tile_columns does not have", [](Host& h) { h.tile_columns.pop_back(); });
  expect_fault("window 1: window_offsets does not ascend", [](Host& h) { --h.window_offsets.back(); });
  expect_fault("window 0: window_offsets does not ascend", [](Host& h) { h.window_offsets[0] = 1; });
  expect_fault("window 1: value_offsets does not ascend", [](Host& h) { ++h.value_offsets.back(); });
  expect_fault("window 0: value_offsets does not grow", [](Host& h) { --h.value_offsets[1]; });
  expect_fault("window 0: tile_columns holds a column outside", [](Host& h) { h.tile_columns[7] = 30; });
  expect_fault("window 0: tile_columns holds a column outside", [](Host& h) { h.tile_columns[0] = -2; });
  expect_fault("window 0: tile_columns does not ascend",
               [](Host& h) { std::swap(h.tile_columns[2], h.tile_columns[3]); });
  expect_fault("window 0: tile_columns does not ascend",
               [](Host& h) { h.tile_columns[8] = h.tile_columns[7]; });  // from tile to tile
  expect_fault("window 0: tile_columns has an unused slot", [](Host& h) { h.tile_columns[3] = -1; });
  expect_fault("window 0: tile_columns has an unused slot", [](Host& h) { h.tile_columns[7] = -1; });
  // The last tile of the first window has unused columns, in its right half alone.
  const auto last_slot = [](const Host& h) { return std::size_t(h.window_offsets[1]) * 8 - 1; };
  const auto right_word = [](const Host& h) { return std::size_t(h.window_offsets[1]) * 4 - 2; };
  ASSERT_EQ(serial_bmat<Offset>(A).tile_columns[last_slot(serial_bmat<Offset>(A))], -1);
  ASSERT_GE(serial_bmat<Offset>(A).tile_columns[last_slot(serial_bmat<Offset>(A)) - 3], 0);
  const char* outside = "window 0: a mask has a bit in an unused column";
  expect_fault(outside, [&](Host& h) { h.tile_words[right_word(h)] |= 1u << 3; });
  expect_fault(outside, [&](Host& h) { h.tile_words[right_word(h) + 1] |= 1u << 31; });
  expect_fault(outside, [&](Host& h) {  // a used column becomes an unused one
    std::size_t slot = last_slot(h);
    while (h.tile_columns[slot] == -1) --slot;
    h.tile_columns[slot] = -1;
  });
  expect_fault("window 0: tile_columns has an unused slot", [&](Host& h) {  // all of the last tile
    for (std::size_t c = 0; c < 8; ++c) h.tile_columns[last_slot(h) - c] = -1;
  });
  // All bits of a column of the first tile go: in the left half, and in the right.
  for (const std::size_t word : {0, 2}) {
    expect_fault("window 0: a mask has no bit in a used column", [&](Host& h) {
      h.tile_words[word] &= ~0x44444444u;
      h.tile_words[word + 1] &= ~0x44444444u;
    });
  }
  // The rows of the last window end at 27: bit 12 of its lower words is beyond. The count stays: another bit goes.
  expect_fault("window 1: tile_words has a bit in a row beyond", [](Host& h) {
    std::uint32_t& word = h.tile_words[h.tile_words.size() - 3];
    ASSERT_NE(word, 0u);
    word &= word - 1;
    word |= std::uint32_t(1) << 12;
  });
}

/// A window of a file may hold more entries than offsets count: of a byte, as many as two full tiles.
TEST(BmatFaultTest, CountsMoreEntriesThanOffsetsCan) {
  const std::vector<std::uint8_t> window_offsets{0, 2};
  std::vector<std::uint8_t> value_offsets{0, 0};  // 256 in a byte
  std::vector<int> tile_columns(16);
  std::iota(tile_columns.begin(), tile_columns.end(), 0);
  std::vector<std::uint32_t> tile_words(8, 0xffffffffu);
  const auto fault = [&] {
    BmatPattern<std::uint8_t> A{16, 16};
    A.window_offsets = window_offsets.data();
    A.value_offsets = value_offsets.data();
    A.tile_columns = tile_columns.data();
    A.tile_words = tile_words.data();
    return Impl::bmat_window_fault<std::uint8_t>(A, 0);
  };
  EXPECT_EQ(fault(), Impl::bmat_count);
  tile_columns[15] = -1;
  tile_words[6] = tile_words[7] = 0x77777777u;
  value_offsets[1] = 240;
  EXPECT_EQ(fault(), Impl::no_fault);
}

}  // namespace Tessera::Test
