// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>
#include <limits>

#include "AdversarialPatterns.hpp"
#include "ExampleMatrix.hpp"
#include "FormatArrays.hpp"
#include "SerialCompactRows.hpp"
#include "TestTypes.hpp"
#include "compact_rows/CompactRows.hpp"

namespace Tessera::Impl::Test {

template <class T>
class CompactRowsTest : public ::testing::Test {};
TYPED_TEST_SUITE(CompactRowsTest, OffsetCases);

template <class Exec>
auto compact_rows_of(const HostPattern<Offset>& A) {
  return build_compact_rows(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros());
}

/// Returns a pattern of one row with these columns.
HostPattern<Offset> one_row(int columns, const std::vector<int>& row) {
  HostPattern<Offset> A;
  A.columns = columns;
  A.column_indices = row;
  A.end_row();
  return A;
}

std::vector<HostPattern<Offset>> patterns_for_compact_rows() {
  auto patterns = adversarial_patterns<Offset>();
  for (const int columns : {1000, 65536, 65537, 70000, 1000000, std::numeric_limits<int>::max()})
    patterns.push_back(rows_near_and_far(200, columns, static_cast<std::uint64_t>(columns)));
  patterns.push_back(one_row(70000, {5, 65540}));  // the greatest distance
  patterns.push_back(one_row(70000, {5, 65541}));  // one more
  return patterns;
}

TYPED_TEST(CompactRowsTest, IsThePictureInTheDocstring) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = example_matrix<Offset>();
  const auto p = compact_rows_of<Exec>(A).pattern;
  EXPECT_EQ(to_host(p.row_offsets), A.row_offsets);
  EXPECT_EQ(to_host(p.block_columns), (std::vector<int>{0}));
  EXPECT_EQ(to_host(p.low_columns), (std::vector<std::uint16_t>{0,  1,  0, 1, 9, 0, 2, 5, 15, 5,  6,  5,  9,
                                                                13, 12, 8, 9, 8, 9, 1, 8, 9,  12, 13, 12, 13}));
  EXPECT_EQ(p.high_columns.extent(0), 0u);
}

TYPED_TEST(CompactRowsTest, ABlockIsWideFromADistanceOf65536On) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto near = compact_rows_of<Exec>(one_row(70000, {5, 65540})).pattern;
  EXPECT_EQ(to_host(near.block_columns), (std::vector<int>{5}));
  EXPECT_EQ(to_host(near.low_columns), (std::vector<std::uint16_t>{0, 65535}));
  const auto far = compact_rows_of<Exec>(one_row(70000, {5, 65541})).pattern;
  EXPECT_EQ(to_host(far.block_columns), (std::vector<int>{-1}));
  EXPECT_EQ(to_host(far.low_columns), (std::vector<std::uint16_t>{5, 5}));
  std::vector<std::uint16_t> high(64, 0);
  high[1] = 1;
  EXPECT_EQ(to_host(far.high_columns), high);
}

TYPED_TEST(CompactRowsTest, ArraysAreThoseOfTheSerialBuild) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : patterns_for_compact_rows()) {
    SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns));
    const auto built = compact_rows_of<Exec>(A);
    expect_serial_build(built, serial_compact_rows(A));
    const std::size_t wide = count_wide_blocks(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros());
    EXPECT_EQ(built.pattern.high_columns.extent(0), 64 * wide);
  }
}

/// Both maps are identities, so expect_lossless() does not apply.
TYPED_TEST(CompactRowsTest, IsValidAndGoesBackToRows) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : patterns_for_compact_rows()) {
    SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns));
    const auto built = compact_rows_of<Exec>(A);
    EXPECT_EQ((validate<Exec>(Exec(), built.pattern)), "");
    const auto back = to_csr<Exec>(Exec(), built.pattern);
    EXPECT_EQ(back.pattern.columns, A.columns);
    EXPECT_EQ(back.pattern.nonzeros, A.nonzeros());
    EXPECT_EQ(to_host(back.pattern.row_offsets), A.row_offsets);
    EXPECT_EQ(to_host(back.pattern.column_indices), A.column_indices);
    EXPECT_TRUE(built.values.is_identity());
    EXPECT_TRUE(back.values.is_identity());
  }
}

TYPED_TEST(CompactRowsTest, BytesAreTheDocumentedFormula) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = rows_near_and_far(300, 1000000, 4);
  const auto p = compact_rows_of<Exec>(A).pattern;
  const std::size_t wide = p.high_columns.extent(0) / 64, blocks = (A.nonzeros() + 63) / 64;
  ASSERT_GT(wide, 0u);
  ASSERT_LT(wide, blocks);
  EXPECT_EQ(p.bytes(), 301 * sizeof(Offset) + 2 * A.nonzeros() + 4 * blocks + 128 * wide);
}

/// Returns three blocks, of which the second is wide and the last one, also wide, has two entries.
HostPattern<Offset> small_compact_rows() {
  HostPattern<Offset> A;
  A.columns = 200000;
  const auto add = [&](int first, int count, int last) {
    for (int k = 0; k < count; ++k) A.column_indices.push_back(first + k);
    if (last > 0) A.column_indices.push_back(last);
    A.end_row();
  };
  add(7, 64, 0);
  add(3, 63, 150000);
  add(100, 1, 190000);
  return A;
}

TYPED_TEST(CompactRowsTest, ValidateNamesTheBrokenInvariant) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Host = HostCompactRows;
  const auto A = small_compact_rows();
  const auto valid = serial_compact_rows(A);
  ASSERT_EQ(valid.block_columns, (std::vector<int>{7, -1, -2}));
  const DamagedCopies<Exec, CompactRows<typename Exec::memory_space>, Host> copies(
      valid, [&](auto& p, const Host&) { p.rows = A.rows, p.columns = A.columns, p.nonzeros = A.nonzeros(); });
  const auto expect_fault = [&](const std::string& what, const std::function<void(Host&)>& damage) {
    EXPECT_EQ(copies.fault(damage), "compact rows: " + what);
  };
  expect_fault("row_offsets does not have rows + 1 elements", [](Host& h) { h.row_offsets.pop_back(); });
  expect_fault("block_columns does not have ceil(nonzeros / 64) elements", [](Host& h) { h.block_columns.pop_back(); });
  expect_fault("low_columns does not have an element for each entry", [](Host& h) { h.low_columns.push_back(0); });
  const std::string high = "high_columns does not have 64 elements for each wide block";
  expect_fault(high, [](Host& h) { h.high_columns.pop_back(); });
  expect_fault(high, [](Host& h) { h.high_columns.resize(64); });
  expect_fault(high, [](Host& h) { h.high_columns.resize(192); });
  expect_fault("row 0: row_offsets does not ascend from 0 to the number of entries",
               [](Host& h) { h.row_offsets[0] = 1; });
  expect_fault("row 1: row_offsets does not ascend from 0 to the number of entries",
               [](Host& h) { h.row_offsets[2] = 5; });
  const std::string numbers = "block_columns does not number the wide blocks in their order";
  expect_fault("block 1: " + numbers, [](Host& h) { h.block_columns[1] = -2; });
  expect_fault("block 2: " + numbers, [](Host& h) { h.block_columns[2] = -1; });
  expect_fault("block 2: " + numbers, [](Host& h) { h.block_columns[2] = std::numeric_limits<int>::min(); });
  const std::string outside = "an entry is in a column outside the matrix";
  expect_fault("block 0: " + outside, [](Host& h) { h.block_columns[0] = std::numeric_limits<int>::max(); });
  expect_fault("block 1: " + outside, [](Host& h) { h.high_columns[63] = 4; });
  expect_fault("block 1: " + outside, [](Host& h) { h.high_columns[63] = 0xffff; });
  expect_fault("block 0: block_columns is not the least column of the block", [](Host& h) { h.low_columns[0] = 1; });
  expect_fault("block 1: the block is wide, but its columns are less than 2^16 apart",
               [](Host& h) { h.high_columns[63] = 0; });
  expect_fault("block 2: high_columns is not 0 behind the last entry", [](Host& h) { h.high_columns[66] = 1; });
  expect_fault("row 0: columns do not ascend strictly", [](Host& h) { h.low_columns[5] = 4; });
}

}  // namespace Tessera::Impl::Test
