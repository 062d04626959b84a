// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>
#include <tessera/format/Permute.hpp>
#include <tuple>

#include "TestMatrix.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class PermuteTest : public ::testing::Test {};
TYPED_TEST_SUITE(PermuteTest, OffsetCases);

/// Maps (row, column) of the original matrix to the index of the entry there.
template <class Offset>
std::map<std::pair<int, int>, std::size_t> places_of(const HostPattern<Offset>& A) {
  std::map<std::pair<int, int>, std::size_t> places;
  for (int i = 0; i < A.rows; ++i) {
    for (auto k = static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(A.row_offsets[static_cast<std::size_t>(i) + 1]); ++k)
      places[{i, A.column_indices[k]}] = k;
  }
  return places;
}

/// Expects a canonical result: A's entries permuted by both orders. Its map must name the same entries of A.
template <class Exec, class Offset>
void expect_permuted(const BuiltCsr<typename Exec::memory_space>& result, const HostPattern<Offset>& A,
                     const std::vector<int>& rows, const std::vector<int>& columns) {
  ASSERT_EQ(validate(Exec(), result.pattern), "");
  ASSERT_EQ(result.pattern.rows, A.rows);
  ASSERT_EQ(result.pattern.columns, A.columns);
  HostPattern<Offset> host;
  host.rows = A.rows;
  host.row_offsets = to_host(result.pattern.row_offsets);
  host.column_indices = to_host(result.pattern.column_indices);
  const auto slots = to_host(result.values.slots);
  const auto original = places_of(A);
  ASSERT_EQ(host.nonzeros(), A.nonzeros());
  for (const auto& [entry, place] : places_of(host)) {
    const auto row = static_cast<std::size_t>(entry.first), column = static_cast<std::size_t>(entry.second);
    const auto found = original.find({rows[row], columns[column]});
    ASSERT_NE(found, original.end());
    EXPECT_EQ(static_cast<std::size_t>(slots[place]), found->second);
  }
}

TYPED_TEST(PermuteTest, RowsAndColumns) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  for (const auto& [rows, columns] : {std::pair{0, 5}, {1, 1}, {30, 70}, {70, 30}, {9, 0}}) {
    const auto A = random_pattern<Offset>(rows, columns, 0.2, 4, 5);
    const DevicePattern<Exec, Offset> device(A);
    std::vector<int> same_rows(static_cast<std::size_t>(rows)), same_columns(static_cast<std::size_t>(columns));
    std::iota(same_rows.begin(), same_rows.end(), 0);
    std::iota(same_columns.begin(), same_columns.end(), 0);
    const auto row_order = shuffled(rows, 5), column_order = shuffled(columns, 6);
    expect_permuted<Exec>(permute_rows(Exec(), device.view(), A.nonzeros(), to_device<Exec>(row_order)), A, row_order,
                          same_columns);
    expect_permuted<Exec>(permute_columns(Exec(), device.view(), A.nonzeros(), to_device<Exec>(column_order)), A,
                          same_rows, column_order);
  }
}

}  // namespace Tessera::Impl::Test
