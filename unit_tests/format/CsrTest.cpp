// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/format/Csr.hpp>

#include "ExampleMatrix.hpp"
#include "TestMatrix.hpp"
#include "TestTypes.hpp"
#include "ToolEvents.hpp"

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

/// Canonical rows take one kernel, whose result is the only one that the host waits for.
TYPED_TEST(CsrTest, CanonicalRowsTakeOneKernelAndOneWait) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(37, 23, 0.2, 1, 5);
  const DevicePattern<Exec, Offset> device(A);
  const Exec exec;
  build_csr(exec, device.view(), A.nonzeros());  // Kokkos allocates memory of its own the first time
  const ToolEvents events;
  build_csr(exec, device.view(), A.nonzeros());
  EXPECT_EQ(events.kernels(), std::vector<std::string>{"Tessera::check_and_copy"}) << events.text();
  EXPECT_EQ(events.copies(), 0u) << events.text();
  EXPECT_EQ(events.fences("Tessera::"), 0u) << events.text();
}

/// The rows may use fewer entries than the arrays have. Entries behind them are not part of the matrix.
TYPED_TEST(CsrTest, EntriesBehindTheRowsAreIgnored) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const std::size_t behind : {1, 100}) {
    auto A = random_pattern<Offset>(37, 23, 0.2, 1, 5);
    const auto entries = entries_of(A);
    A.column_indices.resize(A.column_indices.size() + behind, -7);
    const auto built = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.column_indices.size());
    expect_entries(built, entries, 37, 23);
    EXPECT_TRUE(built.values.is_identity()) << "nothing was sorted";
    EXPECT_EQ(built.pattern.column_indices.extent(0), entries.size());
    const auto none = HostPattern<Offset>{2, 3, {0, 0, 0}, A.column_indices};
    expect_entries(build_csr(Exec(), DevicePattern<Exec, Offset>(none).view(), A.column_indices.size()), {}, 2, 3);
  }
}

/// Descents between rows, also across empty rows, are none within rows.
TYPED_TEST(CsrTest, RowsMayBeginBeforeTheEndOfTheRowBefore) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const HostPattern<Offset> falling{5, 9, {0, 2, 2, 4, 4, 6}, {5, 8, 5, 7, 7, 8}};
  EXPECT_TRUE(build_csr(Exec(), DevicePattern<Exec, Offset>(falling).view(), 6).values.is_identity());
  const HostPattern<Offset> repeated{5, 9, {0, 2, 2, 4, 4, 6}, {5, 8, 5, 5, 7, 8}};
  expect_entries(build_csr(Exec(), DevicePattern<Exec, Offset>(repeated).view(), 6), entries_of(repeated), 5, 9);
  const HostPattern<Offset> turned{5, 9, {0, 2, 2, 4, 4, 6}, {5, 8, 5, 7, 8, 7}};
  expect_entries(build_csr(Exec(), DevicePattern<Exec, Offset>(turned).view(), 6), entries_of(turned), 5, 9);
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
  EXPECT_NE(message({0, 3, 3}, {0, 3, 5}, 3).find("entry 1 lies in column 3"), std::string::npos) << "inside a row";
  EXPECT_NE(message({0, 2, 2}, {1, -1, 0}, 2).find("entry 1 lies in column -1"), std::string::npos);
}

/// Wrong offsets are not followed. All have a difference that looks like a row.
TYPED_TEST(CsrTest, WrongOffsetsAreNotFollowed) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  constexpr Offset far = std::numeric_limits<Offset>::max() / 2, least = std::numeric_limits<Offset>::min();
  const auto rejected = [](std::vector<Offset> offsets) {
    const auto rows = static_cast<int>(offsets.size()) - 1;
    return rejection<Exec>(HostPattern<Offset>{rows, 3, std::move(offsets), {0, 1, 2}}, 3);
  };
  using ::testing::Test;
  EXPECT_NE(rejected({0, far, far + 1}).find("wrong at row 0: from 0 to " + std::to_string(far)), std::string::npos);
  EXPECT_NE(rejected({0, far, 3}).find("row 0"), std::string::npos);
  EXPECT_NE(rejected({far, far + 1, far + 1}).find("row 0: from " + std::to_string(far)), std::string::npos);
  EXPECT_NE(rejected({0, 1, -far, 3}).find("row 1: from 1 to " + std::to_string(-far)), std::string::npos);
  EXPECT_NE(rejected({0, 1, least}).find("row 1"), std::string::npos);
  EXPECT_NE(rejected({least, 1, 3}).find("row 0"), std::string::npos);
  EXPECT_NE(rejected({0, 1, 3, 4}).find("row 2: from 3 to 4"), std::string::npos);
}

/// Within a memory limit that has no room for the copy, a wrong pattern is still called wrong.
TYPED_TEST(CsrTest, WithoutRoomForACopyRowsAreChecked) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(37, 23, 0.2, 1, 5);
  const DevicePattern<Exec, Offset> right(A);
  auto wrong = A;
  wrong.column_indices[5] = 23;
  const Exec exec;
  const BuildScope<Exec> scope(exec, std::make_shared<MemoryAccount>(64));
  EXPECT_THROW(build_csr(exec, right.view(), A.nonzeros()), FormatTooLarge);
  EXPECT_NE(rejection<Exec>(wrong, A.nonzeros()).find("entry 5 lies in column 23"), std::string::npos);
}

/// A limit that the rows alone fit in may be smaller than a copy of all entries that are given.
TYPED_TEST(CsrTest, EntriesBehindTheRowsNeedNoMemory) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  auto A = random_pattern<Offset>(37, 23, 0.2, 1, 5);
  const auto entries = entries_of(A);
  A.column_indices.resize(10000);
  const DevicePattern<Exec, Offset> device(A);
  const Exec exec;
  const BuildScope<Exec> scope(exec, std::make_shared<MemoryAccount>(4096));
  expect_entries(build_csr(exec, device.view(), A.column_indices.size()), entries, 37, 23);
}

}  // namespace Tessera::Impl::Test
