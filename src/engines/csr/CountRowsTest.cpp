// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/format/Csr.hpp>

#include "TestMatrix.hpp"
#include "TestTypes.hpp"
#include "ToolEvents.hpp"
#include "csr/CountRows.hpp"

namespace Tessera::Impl::Test {

template <class T>
class CountRowsTest : public ::testing::Test {};
TYPED_TEST_SUITE(CountRowsTest, OffsetCases);

/// Returns rows of these lengths, each with a column in every `step`-th place.
HostPattern<int> rows_of_lengths(const std::vector<int>& lengths, int step) {
  HostPattern<int> A;
  for (const int length : lengths) {
    for (int k = 0; k < length; ++k) A.column_indices.push_back(step * k);
    A.columns = std::max(A.columns, step * length);
    A.end_row();
  }
  return A;
}

TYPED_TEST(CountRowsTest, RowsAreCutIntoPiecesOfEachLength) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = rows_of_lengths({64, 0, 65, 0, 161, 1, 32}, 3);
  const DevicePattern<Exec, int> device(A);
  const Exec exec;
  const Cuda::CsrPieceLengths lengths{{32, 64, 128, 160}};
  const auto counts = count_rows(exec, device.view(), lengths);
  EXPECT_EQ(counts.rows_with_entries, 5);
  EXPECT_EQ(counts.spans, 3 * (63 + 64 + 160 + 0 + 31) + 5);
  const int long_rows[] = {3, 2, 1, 1}, pieces[] = {2 + 3 + 6, 2 + 3, 2, 2};
  for (int i = 0; i < Cuda::CsrPieceLengths::count; ++i) {
    EXPECT_EQ(counts.long_rows[i], long_rows[i]) << "pieces of " << lengths.at[i];
    EXPECT_EQ(counts.pieces[i], pieces[i]) << "pieces of " << lengths.at[i];
  }
}

TYPED_TEST(CountRowsTest, ManyRowsAreCountedInOneKernel) {
  using Exec = typename TypeParam::ExecutionSpace;
  std::vector<int> lengths(10000);
  for (std::size_t row = 0; row < lengths.size(); ++row) lengths[row] = static_cast<int>(row * row % 211);
  const auto A = rows_of_lengths(lengths, 1);
  const DevicePattern<Exec, int> device(A);
  const Exec exec;
  Cuda::CsrRowCounts expected;
  for (int row = 0; row < A.rows; ++row) expected.add_row(A.view(), row, {});
  count_rows(exec, device.view(), {});  // Kokkos allocates memory of its own the first time
  const ToolEvents events;
  const auto counts = count_rows(exec, device.view(), {});
  EXPECT_EQ(events.kernels().size(), 1u) << events.text();
  EXPECT_EQ(events.copies(), 0u) << events.text();
  EXPECT_EQ(counts.spans, static_cast<std::int64_t>(A.column_indices.size())) << "no row has a gap";
  EXPECT_EQ(counts.rows_with_entries, expected.rows_with_entries);
  for (int i = 0; i < Cuda::CsrPieceLengths::count; ++i) {
    EXPECT_EQ(counts.long_rows[i], expected.long_rows[i]);
    EXPECT_EQ(counts.pieces[i], expected.pieces[i]);
  }
}

/// The look at the user's rows finds the same, so rows that are not cut need not be counted.
TYPED_TEST(CountRowsTest, TheFirstLookSumsRowsUp) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = rows_of_lengths({20, 0, 64, 0, 33, 1, 32}, 3);
  const DevicePattern<Exec, int> device(A);
  const auto canonical = build_csr(Exec(), device.view(), A.nonzeros()).pattern;
  EXPECT_EQ(canonical.summary.longest, 64);
  const Cuda::CsrPieceLengths lengths;
  const auto counts = count_rows(Exec(), device.view(), lengths);
  const auto summed = Cuda::CsrRowCounts::of_short_rows(canonical.summary.rows_with_entries, canonical.summary.longest,
                                                        canonical.summary.spans);
  EXPECT_EQ(summed.rows_with_entries, counts.rows_with_entries);
  EXPECT_EQ(summed.spans, counts.spans);
  EXPECT_EQ(summed.longest, counts.longest);
  EXPECT_EQ(summed.pieces[1], counts.pieces[1]) << "pieces of " << lengths.at[1];
  EXPECT_EQ(transpose(Exec(), device.view(), A.nonzeros()).pattern.summary.longest, 0) << "is unknown";
}

TYPED_TEST(CountRowsTest, NoRows) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto counts = count_rows(Exec(), CsrPattern<int>{0, 5, nullptr, nullptr}, {});
  EXPECT_EQ(counts.rows_with_entries, 0);
  EXPECT_EQ(counts.spans, 0);
}

}  // namespace Tessera::Impl::Test
