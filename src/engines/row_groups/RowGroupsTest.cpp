// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>
#include <limits>
#include <stdexcept>

#include "AdversarialPatterns.hpp"
#include "ExampleMatrix.hpp"
#include "FormatArrays.hpp"
#include "SerialRowGroups.hpp"
#include "TestTypes.hpp"
#include "row_groups/RowGroups.hpp"

namespace Tessera::Impl::Test {

template <class T>
class RowGroupsTest : public ::testing::Test {};
TYPED_TEST_SUITE(RowGroupsTest, OffsetCases);

template <class Exec>
auto row_groups_of(const HostPattern<Offset>& A, int group_rows = 0) {
  return build_row_groups(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros(), group_rows);
}

/// Returns a pattern whose groups have long rows, of which lanes merge parts, behind first rows that are empty or
/// short.
HostPattern<Offset> long_rows_beside_short_ones() {
  HostPattern<Offset> A;
  A.columns = 4000;
  for (int row = 0; row < 40; ++row) {
    const int step = std::vector<int>{A.columns, 2, 2, 3, 700, 2, 5}[static_cast<std::size_t>(row % 7)];
    std::vector<int> columns;
    for (int column = row % 2; column < A.columns && row % 11 > 0; column += step) columns.push_back(column);
    add_row(A, columns);
  }
  return A;
}

/// Returns the patterns for all formats, and patterns that end near the end of a chunk.
std::vector<HostPattern<Offset>> patterns_for_row_groups() {
  auto patterns = adversarial_patterns<Offset>();
  for (const int rows : {1, 2, 3, 4, 5, 255, 256, 257, 511, 512, 513}) {
    patterns.push_back(rows_in_runs(rows, static_cast<std::uint64_t>(rows)));
    patterns.push_back(random_pattern<Offset>(rows, 30, 0, 1));  // all empty
  }
  patterns.push_back(random_pattern<Offset>(300, 40, 0.2, 8, 7));
  patterns.push_back(long_rows_beside_short_ones());
  return patterns;
}

template <class Built>
std::vector<int> heights_of(const Built& built) {
  const auto first_rows = to_host(built.pattern.first_rows);
  std::vector<int> heights;
  for (std::size_t group = 0; group + 1 < first_rows.size(); ++group)
    heights.push_back(first_rows[group + 1] - first_rows[group]);
  return heights;
}

TYPED_TEST(RowGroupsTest, IsThePictureInTheDocstring) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto built = row_groups_of<Exec>(example_matrix<Offset>(), 3);
  const auto& p = built.pattern;
  EXPECT_EQ(to_host(p.chunk_groups), (std::vector<int>{0, 6}));
  EXPECT_EQ(to_host(p.first_rows), (std::vector<int>{0, 2, 4, 7, 10, 13, 16}));
  EXPECT_EQ(to_host(p.column_offsets), (std::vector<Offset>{0, 4, 8, 16, 20, 24, 28}));
  EXPECT_EQ(to_host(p.group_columns), (std::vector<int>{0,  1,  9, 9, 0,  2,  2, 2, 5, 6,  9,  13, 15, 15,
                                                        15, 15, 8, 9, 12, 12, 1, 8, 9, 12, 12, 13, 13, 13}));
  EXPECT_EQ(to_host(p.column_masks), (std::vector<std::uint8_t>{3, 3, 2, 0, 2, 2, 0, 0, 7, 2, 4, 4, 1, 0,
                                                                0, 0, 6, 6, 1, 0, 1, 2, 2, 4, 4, 5, 0, 0}));
  EXPECT_EQ(to_host(p.value_offsets), (std::vector<Offset>{0, 8, 16, 40, 52, 64, 76}));
  EXPECT_EQ(example_values(to_host(built.values.slots)),
            "acbd0e00"
            "0f0g0000"
            "hjl0k000m00ni00000000000"
            "0pr0qso00000"
            "t000u00v000w"
            "00yx0z000000");
}

TYPED_TEST(RowGroupsTest, ArraysAreThoseOfTheSerialBuild) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : patterns_for_row_groups()) {
    for (const int group_rows : {1, 2, 3, 4}) {
      if (!is_chosen_on<Exec>(3)) continue;
      SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + " in groups of up to " +
                   std::to_string(group_rows));
      const auto built = row_groups_of<Exec>(A, group_rows);
      const auto expected = serial_row_groups(A, group_rows);
      expect_serial_build(built, expected);
      EXPECT_EQ(built.pattern.stored, expected.slots.size());
    }
  }
}

TYPED_TEST(RowGroupsTest, IsValidAndGoesBackToRows) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : patterns_for_row_groups()) {
    for (const int group_rows : {1, 2, 3, 4}) {
      if (!is_chosen_on<Exec>(3)) continue;
      SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + " in groups of up to " +
                   std::to_string(group_rows));
      expect_lossless<Exec>(row_groups_of<Exec>(A, group_rows), A);
    }
  }
}

/// If several splits are equally cheap, the one whose first group has fewer rows is chosen.
TYPED_TEST(RowGroupsTest, RowsThatShareColumnsAreGroups) {
  using Exec = typename TypeParam::ExecutionSpace;
  const std::vector<int> some{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}, others{1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
  const auto heights = [](const std::vector<std::vector<int>>& rows, int group_rows = 4) {
    HostPattern<Offset> A;
    A.columns = 20;
    for (const auto& row : rows) add_row(A, row);
    return heights_of(row_groups_of<Exec>(A, group_rows));
  };
  EXPECT_EQ(heights({some}), (std::vector<int>{1}));
  EXPECT_EQ(heights({some, some}), (std::vector<int>{2}));
  EXPECT_EQ(heights({some, some, some}), (std::vector<int>{3}));
  EXPECT_EQ(heights({some, some, some, some}), (std::vector<int>{4}));
  EXPECT_EQ(heights({some, some, some, some, some}), (std::vector<int>{1, 4}));
  EXPECT_EQ(heights({some, some, some, some, some}, 2), (std::vector<int>{1, 2, 2}));
  EXPECT_EQ(heights({some, some, others, others, others, some}), (std::vector<int>{2, 3, 1}));
  EXPECT_EQ(heights({some, others, some, others}), (std::vector<int>{4}));
  EXPECT_EQ(heights({{}, {}, {}, {}, {}, {}}), (std::vector<int>{2, 4}));
  EXPECT_EQ(heights({some, some, some}, 1), (std::vector<int>{1, 1, 1}));
  // Two groups cost 3 + 1.3 + 3 + 1.3 = 8.6, one group 3 + 2 * 1.6 = 6.2. With 8 columns in each row: 26.8 and 28.6.
  EXPECT_EQ(heights({{0}, {1}}), (std::vector<int>{2}));
  EXPECT_EQ(heights({{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}}), (std::vector<int>{1, 1}));
  // Five columns in each row: 9.5 + 9.5 for two groups, 3 + 10 * 1.6 for one. Two groups of one row are chosen.
  EXPECT_EQ(heights({{0, 2, 4, 6, 8}, {1, 3, 5, 7, 9}}), (std::vector<int>{1, 1}));
}

/// Equal rows on both sides of the end of a chunk (row 256) are in two groups.
TYPED_TEST(RowGroupsTest, ChunksEndAGroup) {
  using Exec = typename TypeParam::ExecutionSpace;
  HostPattern<Offset> A;
  A.columns = 300;
  for (int row = 0; row < 260; ++row) {
    std::vector<int> columns{row};
    for (int j = 260; j < 270 && row >= 254 && row < 258; ++j) columns.push_back(j);
    add_row(A, columns);
  }
  const auto built = row_groups_of<Exec>(A);
  const auto first_rows = to_host(built.pattern.first_rows), chunk_groups = to_host(built.pattern.chunk_groups);
  ASSERT_EQ(chunk_groups.size(), 3u);
  EXPECT_EQ(first_rows[static_cast<std::size_t>(chunk_groups[1])], 256);
  EXPECT_EQ(first_rows[static_cast<std::size_t>(chunk_groups[1]) - 1], 254);
}

TYPED_TEST(RowGroupsTest, BytesAreTheDocumentedFormula) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto p = row_groups_of<Exec>(rows_in_runs(600, 3)).pattern;
  const auto groups = static_cast<std::size_t>(p.groups());
  ASSERT_GT(groups, 150u);
  EXPECT_EQ(p.bytes(), (3 + 1) * 4 + (groups + 1) * (4 + 2 * sizeof(Offset)) + p.tiles() * 5);
  EXPECT_EQ(p.places() % 4, 0u);
}

/// Returns the message of std::invalid_argument, or an empty text if the call succeeds.
std::string rejection_of_row_groups(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TYPED_TEST(RowGroupsTest, GroupsHaveOneToFourRows) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = rows_in_runs(40, 5);
  for (const int group_rows : {-1, 5, 256}) {
    EXPECT_EQ(rejection_of_row_groups([&] { row_groups_of<Exec>(A, group_rows); }),
              "Tessera: group_rows is " + std::to_string(group_rows) + "; expected 1 to 4, or 0 for 4");
  }
  EXPECT_EQ(heights_of(row_groups_of<Exec>(A, 0)), heights_of(row_groups_of<Exec>(A, 4)));
  EXPECT_NE(heights_of(row_groups_of<Exec>(A, 3)), heights_of(row_groups_of<Exec>(A, 4)));
}

/// No index overflows in the widest possible matrix.
TYPED_TEST(RowGroupsTest, TheLastColumnThatAnOrdinalNames) {
  using Exec = typename TypeParam::ExecutionSpace;
  HostPattern<Offset> A;
  A.columns = std::numeric_limits<int>::max();
  add_row(A, {0, A.columns - 1});
  add_row(A, {A.columns - 1});
  const auto built = row_groups_of<Exec>(A);
  EXPECT_EQ(to_host(built.pattern.group_columns), (std::vector<int>{0, A.columns - 1, A.columns - 1, A.columns - 1}));
  expect_lossless<Exec>(built, A);
}

/// Makes groups of 2, 1 and 3 rows, then a chunk of one row.
HostPattern<Offset> small_row_groups() {
  const std::vector<int> some{0, 2, 4, 6, 8, 10, 12, 14, 16, 18}, others{1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
  HostPattern<Offset> A;
  A.columns = 20;
  for (const auto& row : {some, some, others, some, some, some}) add_row(A, row);
  while (A.rows < 257) add_row(A, {});
  return A;
}

TYPED_TEST(RowGroupsTest, ValidateNamesTheBrokenInvariant) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Host = HostRowGroups;
  const auto A = small_row_groups();
  const auto valid = serial_row_groups(A);
  ASSERT_EQ(std::vector<int>(valid.first_rows.begin(), valid.first_rows.begin() + 4), (std::vector<int>{0, 2, 3, 6}));
  const DamagedCopies<Exec, RowGroups<typename Exec::memory_space>, Host> copies(valid, [&](auto& p, const Host& h) {
    p.rows = A.rows, p.columns = A.columns, p.nonzeros = A.nonzeros();
    p.stored = h.slots.size();
  });
  const auto expect_fault = [&](const std::string& what, const std::function<void(Host&)>& damage) {
    EXPECT_EQ(copies.fault(damage), "row groups: " + what);
  };
  expect_fault("chunk_groups does not have ceil(rows / 256) + 1 elements", [](Host& h) { h.chunk_groups.pop_back(); });
  const std::string too_many =
      "first_rows does not have an element a group and one more, for at most as many groups as rows";
  expect_fault(too_many, [](Host& h) { h.first_rows.clear(); });
  expect_fault(too_many, [](Host& h) { h.first_rows.resize(259, 257); });
  expect_fault("column_offsets does not have an element a group and one more",
               [](Host& h) { h.column_offsets.pop_back(); });
  expect_fault("value_offsets does not have an element a group and one more",
               [](Host& h) { h.value_offsets.pop_back(); });
  expect_fault("column_masks does not have a mask a column", [](Host& h) { h.column_masks.pop_back(); });
  const std::string rows_descend = "first_rows does not ascend from 0 to the number of rows";
  expect_fault("group 0: " + rows_descend, [](Host& h) { h.first_rows[0] = 1; });
  expect_fault("group 0: " + rows_descend, [](Host& h) { h.first_rows[1] = -1; });
  expect_fault("group 1: " + rows_descend, [](Host& h) { h.first_rows[2] = 1; });
  const std::string columns_descend = "column_offsets does not ascend from 0 to the number of columns";
  expect_fault("group 0: " + columns_descend, [](Host& h) { h.column_offsets[1] = 1000; });
  expect_fault("group 1: value_offsets does not ascend from 0 to the number of values",
               [](Host& h) { h.value_offsets[2] = 0; });
  expect_fault("chunk 0: chunk_groups does not ascend from 0 to the number of groups",
               [](Host& h) { h.chunk_groups[0] = 1; });
  const std::string heights = "first_rows does not make groups of 1 to 4 rows";
  expect_fault("group 0: " + heights, [](Host& h) { h.first_rows[1] = 0; });
  expect_fault("group 2: " + heights, [](Host& h) { h.first_rows[3] = 8; });
  expect_fault("group " + std::to_string(valid.chunk_groups[1]) + ": a group lies in two chunks",
               [](Host& h) { --h.first_rows[h.first_rows.size() - 2]; });
  expect_fault("group 0: column_offsets does not grow by multiples of 4", [](Host& h) { --h.column_offsets[1]; });
  const std::string values = "value_offsets does not grow by a value for each column and row";
  expect_fault("group 0: " + values, [](Host& h) { h.value_offsets[1] += 4; });
  expect_fault("group 1: " + values, [](Host& h) { h.value_offsets[2] -= 2; });
  const std::string outside = "group_columns holds a column outside the matrix";
  expect_fault("group 0: " + outside, [](Host& h) { h.group_columns[9] = 20; });
  expect_fault("group 0: " + outside, [](Host& h) { h.group_columns[0] = -1; });
  expect_fault("group 1: group_columns does not ascend strictly up to the padding of a group",
               [](Host& h) { h.group_columns[13] = h.group_columns[12]; });
  expect_fault("group 1: column_masks has a bit beyond the rows of a group", [](Host& h) { h.column_masks[12] = 3; });
  expect_fault("group 2: column_masks has a bit beyond the rows of a group", [](Host& h) { h.column_masks[24] = 9; });
  expect_fault("group 0: group_columns does not ascend strictly up to the padding of a group",
               [](Host& h) { --h.group_columns[10]; });
  expect_fault("group 0: column_masks has no bit for a column", [](Host& h) { h.column_masks[0] = 0; });
  expect_fault("group 0: column_masks has no bit for a column", [](Host& h) {
    std::fill_n(h.column_masks.begin() + 8, 4, std::uint8_t(0));
    std::fill_n(h.group_columns.begin() + 8, 4, h.group_columns[7]);
  });
  expect_fault("chunk 1: chunk_groups is not the group of its first row", [](Host& h) { --h.chunk_groups[1]; });
  expect_fault("column_masks does not have a bit for each of the nonzeros", [](Host& h) { h.column_masks[0] = 1; });
}

}  // namespace Tessera::Impl::Test
