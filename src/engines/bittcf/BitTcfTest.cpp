// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AdversarialPatterns.hpp"
#include "ExampleMatrix.hpp"
#include "FormatArrays.hpp"
#include "TestTypes.hpp"
#include "condensed/CondensedFormat.hpp"
#include "condensed/SerialCondensed.hpp"

namespace Tessera::Impl::Test {

template <class T>
class BitTcfTest : public ::testing::Test {};
TYPED_TEST_SUITE(BitTcfTest, OffsetCases);

template <class Exec>
auto bittcf_of(const HostPattern<Offset>& A) {
  return build_condensed<1>(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros());
}

TYPED_TEST(BitTcfTest, IsThePictureInTheDocstring) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto built = bittcf_of<Exec>(example_matrix<Offset>());
  const auto& p = built.pattern;
  EXPECT_EQ(to_host(p.window_offsets), (std::vector<Offset>{0, 2, 3}));
  EXPECT_EQ(to_host(p.tile_offsets), (std::vector<Offset>{0, 14, 15, 26}));
  EXPECT_EQ(to_host(p.tile_columns),
            (std::vector<int>{0, 1, 2, 5, 6, 9, 12, 13, 15, -1, -1, -1, -1, -1, -1, -1, 1, 8, 9, 12, 13, -1, -1, -1}));
  EXPECT_EQ(to_host(p.tile_masks),
            (std::vector<std::uint64_t>{0x40a8180805002303u, 0x0000000100000000u, 0x1800100806010606u}));
  EXPECT_EQ(example_values(to_host(built.values.slots)), "abcdefghjklmnoipqrstuvwxyz");
}

TYPED_TEST(BitTcfTest, ArraysAreThoseOfTheSerialBuild) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : adversarial_patterns<Offset>()) {
    SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns));
    const auto built = bittcf_of<Exec>(A);
    expect_serial_build(built, serial_condensed(A, 1));
    EXPECT_EQ(validate<Exec>(Exec(), built.pattern), "");
    EXPECT_EQ((count_bittcf_tiles(Exec(), DevicePattern<Exec, Offset>(A).view())), built.pattern.tiles());
  }
}

TYPED_TEST(BitTcfTest, BytesAreThePapersFormula) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<Offset>(123, 77, 0.1, 9);
  const auto built = bittcf_of<Exec>(A);
  const std::size_t windows = 16, tiles = built.pattern.tiles();
  ASSERT_GT(tiles, windows);
  EXPECT_EQ(built.pattern.bytes(), (windows + 11 * tiles + 2) * 4);
}

/// Checks that a damaged copy of a valid format is rejected with a message that names the broken invariant.
TYPED_TEST(BitTcfTest, ValidateNamesTheBrokenInvariant) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Host = HostCondensed;
  const HostPattern<Offset> A = random_pattern<Offset>(13, 30, 0.3, 4);
  const DamagedCopies<Exec, BitTcf<typename Exec::memory_space>, Host> expect_fault(
      serial_condensed(A, 1),
      [&](auto& p, const Host&) { p.rows = A.rows, p.columns = A.columns, p.nonzeros = A.nonzeros(); });
  expect_fault("window_offsets does not have", [](Host& h) { h.window_offsets.pop_back(); });
  expect_fault("tile_offsets does not have", [](Host& h) { h.tile_offsets.pop_back(); });
  expect_fault("tile_columns does not have", [](Host& h) { h.tile_columns.pop_back(); });
  expect_fault("window 1: window_offsets", [](Host& h) { --h.window_offsets.back(); });
  expect_fault("window 0: window_offsets", [](Host& h) { h.window_offsets[0] = 1; });
  expect_fault("tile 0: tile_offsets does not ascend from 0", [](Host& h) { h.tile_offsets[0] = 1; });
  expect_fault("tile 1: tile_offsets does not ascend", [](Host& h) { h.tile_offsets[2] = 0; });
  expect_fault("to the number of nonzeros", [](Host& h) { --h.tile_offsets.back(); });
  expect_fault("window 0: tile_offsets does not grow", [](Host& h) { ++h.tile_offsets[1]; });
  expect_fault("window 0: tile_offsets does not grow", [](Host& h) { h.tile_masks[0] |= h.tile_masks[0] + 1; });
  expect_fault("window 0: tile_columns holds a column outside", [](Host& h) { h.tile_columns[7] = 30; });
  expect_fault("window 0: tile_columns does not ascend",
               [](Host& h) { std::swap(h.tile_columns[2], h.tile_columns[3]); });
  expect_fault("window 0: tile_columns has an unused slot", [](Host& h) { h.tile_columns[3] = -1; });
  expect_fault("window 0: a mask has a bit in an unused column", [](Host& h) {
    const auto tiles = static_cast<std::size_t>(h.window_offsets[1]);
    ASSERT_EQ(h.tile_columns[tiles * 8 - 1], -1);
    h.tile_masks[tiles - 1] |= std::uint64_t(1) << 7;
  });
  expect_fault("window 0: a mask has no bit in a used column",
               [](Host& h) { h.tile_masks[0] &= ~0x0404040404040404u; });
  // The matrix ends with row 12. Bit 40 of the last tile is in row 13. Another bit is cleared to keep the count.
  expect_fault("window 1: tile_masks has a bit in a row beyond", [](Host& h) {
    std::uint64_t& mask = h.tile_masks.back();
    mask &= mask - 1;
    mask |= std::uint64_t(1) << 40;
  });
}

/// Checks the single offset of a format without tiles.
TYPED_TEST(BitTcfTest, ValidateSeesTheOnlyOffset) {
  using Exec = typename TypeParam::ExecutionSpace;
  const std::string fault = "BitTCF: tile 0: tile_offsets does not ascend from 0 to the number of nonzeros";
  for (const int rows : {0, 9}) {
    const auto valid = bittcf_of<Exec>(random_pattern<Offset>(rows, 5, 0.0, 1)).pattern;
    ASSERT_EQ(valid.tiles(), 0u);
    EXPECT_EQ(validate(Exec(), valid), "");
    auto p = valid;
    p.tile_offsets = to_device<Exec>(std::vector<Offset>{1});
    EXPECT_EQ(validate(Exec(), p), fault);
    p = valid;
    p.nonzeros = 1;
    EXPECT_EQ(validate(Exec(), p), fault);
  }
}

}  // namespace Tessera::Impl::Test
