// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include "AdversarialPatterns.hpp"
#include "ExampleMatrix.hpp"
#include "FormatArrays.hpp"
#include "TestTypes.hpp"
#include "condensed/CondensedFormat.hpp"
#include "condensed/SerialCondensed.hpp"

namespace Tessera::Impl::Test {

template <class T>
class BmatTest : public ::testing::Test {};
TYPED_TEST_SUITE(BmatTest, OffsetCases);

template <class Exec>
auto bmat_of(const HostPattern<Offset>& A) {
  return build_condensed<2>(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros());
}

TYPED_TEST(BmatTest, IsThePictureInTheDocstring) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto built = bmat_of<Exec>(example_matrix<Offset>());
  const auto& p = built.pattern;
  EXPECT_EQ(to_host(p.window_offsets), (std::vector<Offset>{0, 2}));
  EXPECT_EQ(to_host(p.tile_offsets), (std::vector<Offset>{0, 22, 26}));
  EXPECT_EQ(to_host(p.tile_columns), (std::vector<int>{0, 1, 2, 5, 6, 8, 9, 12, 13, 15, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(to_host(p.tile_masks), (std::vector<std::uint64_t>{0x8048180805004303u, 0x8000008060026060u,
                                                               0x0001000200000000u, 0x0100010000000000u}));
  EXPECT_EQ(example_values(to_host(built.values.slots)), "abcdefghjklmopqrstuvwyinxz");
}

TYPED_TEST(BmatTest, ArraysAreThoseOfTheSerialBuild) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : adversarial_patterns<Offset>()) {
    SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns));
    const auto built = bmat_of<Exec>(A);
    expect_serial_build(built, serial_condensed(A, 2));
    EXPECT_EQ(validate<Exec>(Exec(), built.pattern), "");
  }
}

TYPED_TEST(BmatTest, BytesAreTheDocumentedFormula) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto built = bmat_of<Exec>(random_pattern<Offset>(123, 77, 0.1, 9));
  const std::size_t windows = 8, tiles = built.pattern.tiles();
  ASSERT_GT(tiles, windows);
  EXPECT_EQ(built.pattern.bytes(), (windows + tiles + 2) * sizeof(Offset) + tiles * 48);
}

/// Checks that a damaged copy of a valid format is rejected with a message that names the broken invariant.
TYPED_TEST(BmatTest, ValidateNamesTheBrokenInvariant) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Host = HostCondensed;
  const HostPattern<Offset> A = random_pattern<Offset>(27, 30, 0.3, 4);
  const Host valid = serial_condensed(A, 2);
  const DamagedCopies<Exec, Bmat<typename Exec::memory_space>, Host> expect_fault(
      valid, [&](auto& p, const Host&) { p.rows = A.rows, p.columns = A.columns, p.nonzeros = A.nonzeros(); });
  expect_fault("BMat: window_offsets does not have", [](Host& h) { h.window_offsets.pop_back(); });
  expect_fault("tile_offsets does not have", [](Host& h) { h.tile_offsets.pop_back(); });
  expect_fault("tile_masks does not have 2", [](Host& h) { h.tile_masks.pop_back(); });
  expect_fault("tile_columns does not have", [](Host& h) { h.tile_columns.pop_back(); });
  expect_fault("window 1: window_offsets does not ascend", [](Host& h) { --h.window_offsets.back(); });
  expect_fault("window 0: window_offsets does not ascend", [](Host& h) { h.window_offsets[0] = 1; });
  expect_fault("to the number of nonzeros", [](Host& h) { ++h.tile_offsets.back(); });
  expect_fault("window 0: tile_offsets does not grow", [](Host& h) { --h.tile_offsets[1]; });
  expect_fault("window 0: tile_columns holds a column outside", [](Host& h) { h.tile_columns[7] = 30; });
  expect_fault("window 0: tile_columns holds a column outside", [](Host& h) { h.tile_columns[0] = -2; });
  expect_fault("window 0: tile_columns does not ascend",
               [](Host& h) { std::swap(h.tile_columns[2], h.tile_columns[3]); });
  expect_fault("window 0: tile_columns does not ascend",
               [](Host& h) { h.tile_columns[8] = h.tile_columns[7]; });  // between two tiles
  expect_fault("window 0: tile_columns has an unused slot", [](Host& h) { h.tile_columns[3] = -1; });
  expect_fault("window 0: tile_columns has an unused slot", [](Host& h) { h.tile_columns[7] = -1; });
  // The last tile of the first window has unused columns.
  const auto last_tile = static_cast<std::size_t>(valid.window_offsets[1]) - 1, last_slot = 8 * last_tile + 7;
  ASSERT_EQ(valid.tile_columns[last_slot], -1);
  const char* outside = "window 0: a mask has a bit in an unused column";
  expect_fault(outside, [&](Host& h) { h.tile_masks[2 * last_tile] |= std::uint64_t(1) << 7; });
  expect_fault(outside, [&](Host& h) { h.tile_masks[2 * last_tile + 1] |= std::uint64_t(1) << 63; });
  expect_fault(outside, [&](Host& h) {  // a used column becomes unused
    std::size_t slot = last_slot;
    while (h.tile_columns[slot] == -1) --slot;
    h.tile_columns[slot] = -1;
  });
  expect_fault("window 0: tile_columns has an unused slot", [&](Host& h) {  // no column of the last tile is used
    for (std::size_t c = 0; c < 8; ++c) h.tile_columns[last_slot - c] = -1;
  });
  // Clears all bits of a column of the first tile.
  expect_fault("window 0: a mask has no bit in a used column", [](Host& h) {
    for (const std::size_t strip : {0, 1}) h.tile_masks[strip] &= ~0x0404040404040404u;
  });
  // The matrix ends with row 26. Bit 24 of the last lower mask is in row 27. Another bit is cleared to keep the sum.
  expect_fault("window 1: tile_masks has a bit in a row beyond", [](Host& h) {
    std::uint64_t& mask = h.tile_masks.back();
    ASSERT_NE(mask, 0u);
    mask &= mask - 1;
    mask |= std::uint64_t(1) << 24;
  });
}

}  // namespace Tessera::Impl::Test
