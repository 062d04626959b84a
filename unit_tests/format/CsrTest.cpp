// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>
#include <stdexcept>
#include <tessera/format/Csr.hpp>

#include "ExampleMatrix.hpp"
#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class CsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(CsrTest, OffsetCases);

/// Maps (row, column) to the entries there, in storage order.
template <class Offset>
std::map<std::pair<int, int>, std::vector<Offset>> entries_of(const HostPattern<Offset>& A) {
  std::map<std::pair<int, int>, std::vector<Offset>> entries;
  for (int i = 0; i < A.rows; ++i) {
    for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) entries[{i, A.column_indices[k]}].push_back(k);
  }
  return entries;
}

/// Compares a pattern and its map with std::map: ascending (row, column), or (column, row) if transposed.
template <class Memory>
void expect_entries(const BuiltCsr<Memory>& built, const std::map<std::pair<int, int>, std::vector<Offset>>& entries,
                    int rows, int columns) {
  std::vector<Offset> row_offsets(rows + 1, 0), slots, runs{0};
  std::vector<int> column_indices;
  for (const auto& [place, sources] : entries) {
    ++row_offsets[place.first + 1];
    column_indices.push_back(place.second);
    slots.insert(slots.end(), sources.begin(), sources.end());
    runs.push_back(static_cast<Offset>(slots.size()));
  }
  for (int i = 0; i < rows; ++i) row_offsets[i + 1] += row_offsets[i];
  EXPECT_EQ(built.pattern.rows, rows);
  EXPECT_EQ(built.pattern.columns, columns);
  EXPECT_EQ(built.pattern.nonzeros, entries.size());
  EXPECT_EQ(to_host(built.pattern.row_offsets), row_offsets);
  EXPECT_EQ(to_host(built.pattern.column_indices), column_indices);
  if (built.values.is_identity()) {
    for (std::size_t i = 0; i < slots.size(); ++i) ASSERT_EQ(slots[i], static_cast<Offset>(i));
  } else {
    EXPECT_EQ(to_host(built.values.slots), slots);
  }
  const bool has_duplicates = slots.size() != entries.size();
  EXPECT_EQ(built.values.has_duplicates(), has_duplicates);
  if (has_duplicates) {
    EXPECT_EQ(to_host(built.values.runs), runs);
  }
}

TYPED_TEST(CsrTest, IsThePictureInTheDocstring) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto A = example_matrix<Offset>();
  const auto p = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()).pattern;
  EXPECT_EQ(to_host(p.row_offsets),
            (std::vector<Offset>{0, 2, 5, 5, 7, 9, 11, 14, 15, 17, 19, 20, 22, 23, 24, 24, 26}));
  EXPECT_EQ(to_host(p.column_indices),
            (std::vector<int>{0, 1, 0, 1, 9, 0, 2, 5, 15, 5, 6, 5, 9, 13, 12, 8, 9, 8, 9, 1, 8, 9, 12, 13, 12, 13}));
}

TYPED_TEST(CsrTest, CanonicalRowsAreCopied) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(37, 23, 0.2, 1, 5);
  const DevicePattern<Exec, Offset> device(A);
  const auto built = build_csr(Exec(), device.view(), A.nonzeros());
  EXPECT_TRUE(built.values.is_identity());
  EXPECT_NE(built.pattern.row_offsets.data(), device.row_offsets.data());
  expect_entries(built, entries_of(A), 37, 23);
}

TYPED_TEST(CsrTest, UnsortedRowsAndDuplicatesBecomeCanonical) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const int columns : {1, 2, 40, 5000}) {
    const auto A = unsorted_pattern<Offset>(300, columns, 30, columns);
    const auto built = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros());
    expect_entries(built, entries_of(A), 300, columns);
  }
}

TYPED_TEST(CsrTest, UnsortedWithoutDuplicates) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> A;
  A.columns = 4;
  A.column_indices = {3, 1, 0, 2};
  A.rows = 2;
  A.row_offsets = {0, 3, 4};
  const auto built = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), 4);
  EXPECT_FALSE(built.values.has_duplicates());
  EXPECT_EQ(to_host(built.values.slots), (std::vector<Offset>{2, 1, 0, 3}));
  EXPECT_EQ(to_host(built.pattern.column_indices), (std::vector<int>{0, 1, 3, 2}));
}

TYPED_TEST(CsrTest, EmptyShapes) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 5}, {5, 0}, {9, 4}}) {
    HostPattern<Offset> A;
    A.columns = columns;
    while (A.rows < rows) A.end_row();
    const DevicePattern<Exec, Offset> device(A);
    expect_entries(build_csr(Exec(), device.view(), 0), {}, rows, columns);
    expect_entries(transpose(Exec(), device.view(), 0), {}, columns, rows);
  }
}

TYPED_TEST(CsrTest, TransposeExchangesRowsAndColumns) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 300}, {300, 1}, {64, 65}, {257, 129}}) {
    const auto A = random_pattern<Offset>(rows, columns, 0.3, 7 * rows + columns, 7);
    std::map<std::pair<int, int>, std::vector<Offset>> turned;
    for (const auto& [place, sources] : entries_of(A)) turned[{place.second, place.first}] = sources;
    expect_entries(transpose(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()), turned, columns, rows);
  }
}

template <class Exec, class Offset>
std::string rejection(const HostPattern<Offset>& A, std::size_t entries) {
  try {
    build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), entries);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TYPED_TEST(CsrTest, BadInputIsNamed) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto message = [](std::vector<Offset> offsets, std::vector<int> columns, std::size_t entries) {
    HostPattern<Offset> A;
    A.rows = static_cast<int>(offsets.size()) - 1;
    A.columns = 3;
    A.row_offsets = std::move(offsets);
    A.column_indices = std::move(columns);
    return rejection<Exec>(A, entries);
  };
  using ::testing::Test;
  EXPECT_EQ(message({0, 1, 3}, {0, 1, 2}, 3), "accepted");
  EXPECT_NE(message({1, 1, 3}, {0, 1, 2}, 3).find("row 0"), std::string::npos);
  EXPECT_NE(message({0, 2, 1, 3}, {0, 1, 2}, 3).find("row 1: from 2 to 1"), std::string::npos);
  EXPECT_NE(message({0, 1, 9}, {0, 1, 2}, 3).find("do not exceed the 3 entries"), std::string::npos);
  EXPECT_NE(message({0, 1, 3}, {0, 3, 2}, 3).find("entry 1 lies in column 3; expected columns from 0 to 2"),
            std::string::npos);
  EXPECT_NE(message({0, 1, 3}, {0, 1, -1}, 3).find("entry 2 lies in column -1"), std::string::npos);
}

}  // namespace Tessera::Impl::Test
