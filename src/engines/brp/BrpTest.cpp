// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>
#include <variant>

#include "AdversarialPatterns.hpp"
#include "AnyFormat.hpp"
#include "ExampleMatrix.hpp"
#include "FormatArrays.hpp"
#include "SerialBrp.hpp"
#include "TestTypes.hpp"
#include "brp/BrpEntries.hpp"

namespace Tessera::Impl::Test {

template <class T>
class BrpTest : public ::testing::Test {};
TYPED_TEST_SUITE(BrpTest, OffsetCases);

template <class Exec>
auto brp_of(const HostPattern<Offset>& A, int f, int g, std::size_t value_bytes = 16) {
  FormatParameters parameters;
  parameters.brp_nonzeros_per_column = f;
  parameters.brp_tiles_per_group = g;
  return build_brp(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros(), parameters, value_bytes);
}

/// Returns the patterns for all formats, and some in which a column makes several local columns.
std::vector<HostPattern<Offset>> brp_patterns() {
  auto patterns = adversarial_patterns<Offset>();
  patterns.push_back(random_pattern<Offset>(50, 200, 0.5, 7));
  patterns.push_back(random_pattern<Offset>(16, 8 * 4, 1.0, 8));  // groups without residual entries
  patterns.push_back(random_pattern<Offset>(48, 300, 0.9, 9, 17));
  return patterns;
}

constexpr std::pair<int, int> brp_parameters[] = {{1, 1}, {1, 4}, {2, 2}, {3, 1}, {4, 4}, {16, 2}};

/// A matrix of one group with f = 2 and g = 1. Letters are in the order of values: the group by columns, then the rest.
///
///     a c e . . k . q
///     b d f i . . o .
///     . r g . s l . .
///     . . h j . m . t
///     . . u . . n p .
HostPattern<Offset> brp_of_one_group() {
  HostPattern<Offset> A;
  A.columns = 8;
  for (const std::vector<int>& columns :
       {std::vector<int>{0, 1, 2, 5, 7}, {0, 1, 2, 3, 6}, {1, 2, 4, 5}, {2, 3, 5, 7}, {2, 5, 6}}) {
    A.column_indices.insert(A.column_indices.end(), columns.begin(), columns.end());
    A.end_row();
  }
  return A;
}

TYPED_TEST(BrpTest, IsThePictureInTheDocstring) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto built = brp_of<Exec>(example_matrix<Offset>(), 2, 1, 8);
  const auto& p = built.pattern;
  EXPECT_EQ(to_host(p.group_windows), (std::vector<int>{0}));
  EXPECT_EQ(to_host(p.window_groups), (std::vector<Offset>{0, 1}));
  EXPECT_EQ(to_host(p.group_columns), (std::vector<int>{0, 1, 5, 8, 9, 9, 12, 13}));
  EXPECT_EQ(to_host(p.local_ids),
            (std::vector<std::uint8_t>{0, 8, 1, 9, 34, 42, 67, 75, 12, 52, 69, 77, 62, 102, 55, 111}));
  EXPECT_EQ(to_host(p.window_residuals), (std::vector<Offset>{0, 7}));
  EXPECT_EQ(to_host(p.residual_rows), (std::vector<int>{3, 4, 5, 6, 10, 11, 15}));
  EXPECT_EQ(to_host(p.residual_offsets), (std::vector<Offset>{0, 2, 3, 4, 5, 6, 8, 10}));
  EXPECT_EQ(to_host(p.residual_columns), (std::vector<int>{0, 2, 15, 6, 5, 1, 8, 9, 12, 13}));
  EXPECT_EQ(example_values(to_host(built.values.slots)),
            "acbdhjpremqsownx"
            "fgikltuvyz");
}

/// Devices place entries with teams; here a team is one thread of the host.
TEST(BrpTeams, PlaceEntriesAsOneThreadDoes) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  for (const auto& A : brp_patterns()) {
    for (const auto& [f, g] : brp_parameters) {
      if (A.rows == 0) continue;
      SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + ", f = " + std::to_string(f));
      const auto built = brp_of<Exec>(A, f, g);
      const DevicePattern<Exec, Offset> device(A);
      auto placed = brp_of<Exec>(A, f, g);
      placed.pattern.residual_columns = allocate<Array<Ordinal*, Kokkos::HostSpace>>(
          Exec(), "residual_columns", placed.pattern.residual_columns.extent(0));
      for (std::size_t i = 0; i < placed.pattern.local_ids.extent(0); ++i) placed.pattern.local_ids(i) = 255;
      for (std::size_t i = 0; i < placed.pattern.group_columns.extent(0); ++i) placed.pattern.group_columns(i) = -1;
      for (std::size_t i = 0; i < placed.pattern.group_windows.extent(0); ++i) placed.pattern.group_windows(i) = -1;
      for (std::size_t i = 0; i < A.nonzeros(); ++i) placed.values.slots(i) = -1;
      const auto columns = brp_columns(Exec(), device.view(), A.nonzeros(), true);
      const auto cuts = cut_columns(Exec(), columns, {f});
      auto residuals = allocate_zeros<Array<Offset*, Kokkos::HostSpace>>(Exec(), "residuals", A.rows + std::size_t(1));
      for (std::size_t i = 0; i < built.pattern.residual_rows.extent(0); ++i) {
        const Offset of_row = built.pattern.residual_offsets(i + 1) - built.pattern.residual_offsets(i);
        residuals(built.pattern.residual_rows(i) + 1) = of_row;
      }
      counts_to_offsets(Exec(), residuals);
      const PlaceBrpEntries<Kokkos::HostSpace> place{device.view(),         cuts.of[0],     residuals,
                                                     placed.pattern.view(), placed.pattern, placed.values.slots};
      Kokkos::parallel_for("place", brp_teams(Exec(), device.view(), A.nonzeros()), PlaceBrpWithTeams<Exec>{place});
      Exec().fence();
      EXPECT_EQ(to_host(placed.pattern.group_windows), to_host(built.pattern.group_windows));
      EXPECT_EQ(to_host(placed.pattern.group_columns), to_host(built.pattern.group_columns));
      EXPECT_EQ(to_host(placed.pattern.local_ids), to_host(built.pattern.local_ids));
      EXPECT_EQ(to_host(placed.pattern.residual_columns), to_host(built.pattern.residual_columns));
      EXPECT_EQ(to_host(placed.values.slots), to_host(built.values.slots));
    }
  }
}

TYPED_TEST(BrpTest, ArraysAreThoseOfTheSerialBuild) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : brp_patterns()) {
    for (const auto& [f, g] : brp_parameters) {
      if (!is_chosen_on<Exec>(5)) continue;
      SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + ", f = " + std::to_string(f) +
                   ", g = " + std::to_string(g));
      const auto built = brp_of<Exec>(A, f, g);
      const auto& p = built.pattern;
      const auto expected = serial_brp(A, f, g);
      ASSERT_EQ(p.f, f);
      ASSERT_EQ(p.g, g);
      ASSERT_EQ(p.tiles(), expected.group_windows.size());
      ASSERT_EQ(p.tiled_nonzeros(), expected.group_windows.size() * std::size_t(8 * f * g));
      ASSERT_EQ(p.tile_elements(), expected.group_windows.size() * std::size_t(16 * 8 * g));
      expect_serial_build(built, expected);
      expect_lossless<Exec>(built, A);
    }
  }
}

/// Returns, for each place of a value, row * columns + column as visited by for_each_entry(), or -1 without a visit.
template <class Exec>
std::vector<int> brp_visits(const Brp<typename Exec::memory_space>& A) {
  Kokkos::View<int*, typename Exec::memory_space> visits("visits", A.places());
  Kokkos::deep_copy(visits, -1);
  const auto view = A.view();
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(0, A.rows), KOKKOS_LAMBDA(int row) {
        for_each_entry(view, row, [&](int column, Offset place) { visits(place) = row * view.columns + column; });
      });
  return to_host(visits);
}

TYPED_TEST(BrpTest, RowsAreWalkedThroughBothParts) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<Offset>(50, 90, 0.4, 11, 7);
  std::vector<int> entries;
  for (int row = 0; row < A.rows; ++row) {
    for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
      entries.push_back(row * A.columns + A.column_indices[k]);
    }
  }
  for (const auto& [f, g] : brp_parameters) {
    const auto built = brp_of<Exec>(A, f, g);
    std::vector<int> expected;
    for (const Offset slot : to_host(built.values.slots)) expected.push_back(entries.at(std::size_t(slot)));
    EXPECT_EQ((brp_visits<Exec>(built.pattern)), expected) << "f = " << f << ", g = " << g;
  }
}

TYPED_TEST(BrpTest, BytesAreTheDocumentedFormula) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto built = brp_of<Exec>(random_pattern<Offset>(123, 77, 0.3, 9), 2, 2);
  const std::size_t windows = 8, groups = built.pattern.groups();
  const std::size_t residual_rows = built.pattern.residual_rows.extent(0);
  const std::size_t residual_entries = built.pattern.nonzeros - groups * 32;
  ASSERT_GT(groups, windows);
  ASSERT_GT(residual_rows, windows);
  EXPECT_EQ(built.pattern.bytes(), groups * (4 + 16 * 4 + 32) + residual_rows * (4 + sizeof(Offset)) +
                                       residual_entries * 4 + (2 * windows + 3) * sizeof(Offset));
}

/// Returns the bytes that choose_brp_parameters() documents.
std::size_t brp_moved_bytes(const HostPattern<Offset>& A, int f, int g, std::size_t value_bytes) {
  const auto p = serial_brp(A, f, g);
  const std::size_t row = 128 * value_bytes;
  return p.group_windows.size() * (4 + std::size_t(8 * g) * (4 + row) + std::size_t(8 * f * g)) +
         p.residual_columns.size() * (4 + row) + p.residual_rows.size() * (4 + sizeof(Offset) + 2 * row);
}

TYPED_TEST(BrpTest, AutomaticParametersMoveTheFewestBytes) {
  using Exec = typename TypeParam::ExecutionSpace;
  std::map<std::pair<int, int>, int> chosen;
  for (const auto& A : brp_patterns()) {
    for (const std::size_t value_bytes : {4, 16}) {
      if (!is_chosen_on<Exec>(3)) continue;
      std::pair<int, int> best{0, 0};
      std::size_t fewest = 0;
      for (const auto& [f, g] : {std::pair(1, 1), {1, 2}, {1, 4}, {2, 1}, {2, 2}, {2, 4}, {4, 1}, {4, 2}, {4, 4}}) {
        if (std::size_t(8 * f * g) * value_bytes % 128 != 0) continue;
        const std::size_t bytes = brp_moved_bytes(A, f, g, value_bytes);
        if (best.first > 0 && bytes >= fewest) continue;
        best = {f, g};
        fewest = bytes;
      }
      const auto p = brp_of<Exec>(A, 0, 0, value_bytes).pattern;
      ASSERT_EQ(std::pair(p.f, p.g), best) << A.rows << " x " << A.columns << ", " << value_bytes << " bytes";
      ++chosen[best];
    }
  }
  EXPECT_GE(chosen.size(), 5u) << "the patterns do not tell the candidates apart";
}

TYPED_TEST(BrpTest, OneParameterMayBeGiven) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto full = random_pattern<Offset>(32, 64, 1.0, 1);
  EXPECT_EQ(brp_of<Exec>(full, 0, 3).pattern.g, 3);
  EXPECT_EQ(brp_of<Exec>(full, 0, 3).pattern.f, 4);
  EXPECT_EQ(brp_of<Exec>(full, 2, 0, 4).pattern.f, 2);
  EXPECT_EQ(brp_of<Exec>(full, 2, 0, 4).pattern.g, 4);
  EXPECT_EQ(brp_of<Exec>(full, 0, 0).pattern.f, 4);
  // No column of a diagonal matrix has two entries, which a local column with f = 2 needs.
  HostPattern<Offset> diagonal;
  diagonal.columns = 64;
  for (int i = 0; i < 64; ++i) {
    diagonal.column_indices.push_back(i);
    diagonal.end_row();
  }
  EXPECT_EQ(brp_of<Exec>(diagonal, 0, 0).pattern.f, 1);
  EXPECT_EQ(brp_of<Exec>(diagonal, 0, 0).pattern.g, 2);  // 16 local columns per window
}

TYPED_TEST(BrpTest, ParametersReachTheBuildOfAnyFormat) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<Offset>(30, 30, 0.5, 1);
  const auto rows = build_csr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros()).pattern;
  FormatParameters parameters;
  parameters.brp_nonzeros_per_column = 3;
  parameters.brp_tiles_per_group = 2;
  const auto built = build_format(Exec(), Format::Brp, rows, parameters, 8);
  const auto& p = std::get<Brp<typename Exec::memory_space>>(built.pattern);
  EXPECT_EQ(std::pair(p.f, p.g), std::pair(3, 2));
  EXPECT_THROW(build_format(Exec(), Format::Brp, rows, parameters, 4), std::invalid_argument);
}

TYPED_TEST(BrpTest, WrongParametersAreNamed) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<Offset>(20, 20, 0.5, 1);
  const auto expect_error = [&](int f, int g, std::size_t value_bytes, const std::vector<const char*>& words) {
    try {
      brp_of<Exec>(A, f, g, value_bytes);
      ADD_FAILURE() << "f = " << f << ", g = " << g << " was taken";
    } catch (const std::invalid_argument& error) {
      for (const char* word : words) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << word << "; got: " << error.what();
      }
    }
  };
  for (const auto& [f, g] : {std::pair(-1, 1), {17, 1}, {1, -1}, {1, 65}}) {
    expect_error(f, g, 16, {"expected f from 0 to 16 and g from 0 to 64"});
  }
  expect_error(1, 2, 4, {"(f) is 1", "(g) is 2", "values of 4 bytes", "product is a multiple of 4"});
  expect_error(1, 1, 8, {"values of 8 bytes", "product is a multiple of 2"});
  expect_error(3, 0, 1, {"(f) is 3", "(g) is 0", "product is a multiple of 16", "1, 2 or 4 where 0 is given"});
  EXPECT_EQ(brp_of<Exec>(A, 16, 64, 1).pattern.f, 16);
  EXPECT_EQ(brp_of<Exec>(A, 1, 1, 16).pattern.g, 1);
}

template <class Exec>
auto damaged_copies(const HostPattern<Offset>& A, const HostBrp& valid) {
  return DamagedCopies<Exec, Brp<typename Exec::memory_space>, HostBrp>(valid, [=](auto& p, const HostBrp& h) {
    p.rows = A.rows, p.columns = A.columns, p.nonzeros = A.nonzeros();
    p.f = h.f, p.g = h.g;
  });
}

TYPED_TEST(BrpTest, ValidateNamesTheBrokenArray) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Host = HostBrp;
  const HostPattern<Offset> A = random_pattern<Offset>(27, 60, 0.3, 4);  // both windows have groups and residual rows
  const Host valid = serial_brp(A, 2, 1);
  const auto expect_fault = damaged_copies<Exec>(A, valid);
  expect_fault("BRP: f is not", [](Host& h) { h.f = 0; });
  expect_fault("f is not", [](Host& h) { h.f = 17; });
  expect_fault("g is not", [](Host& h) { h.g = 0; });
  expect_fault("g is not", [](Host& h) { h.g = 65; });
  expect_fault("window_groups does not have", [](Host& h) { h.window_groups.pop_back(); });
  expect_fault("window_residuals does not have", [](Host& h) { h.window_residuals.pop_back(); });
  expect_fault("group_columns does not have", [](Host& h) { h.group_columns.pop_back(); });
  expect_fault("local_ids does not have", [](Host& h) { h.local_ids.pop_back(); });
  expect_fault("residual_offsets does not have", [](Host& h) { h.residual_offsets.pop_back(); });
  expect_fault("residual_columns does not have", [](Host& h) { h.residual_columns.pop_back(); });
  expect_fault("window 1: window_groups does not ascend", [](Host& h) { --h.window_groups.back(); });
  expect_fault("window 0: window_residuals does not ascend", [](Host& h) { h.window_residuals[0] = 1; });
  expect_fault("residual row 1: residual_offsets does not ascend", [](Host& h) { h.residual_offsets[2] = 0; });
  expect_fault("window 1: group_windows is not", [](Host& h) { h.group_windows.back() = 0; });
  expect_fault("window 1: group_columns holds a column outside", [](Host& h) { h.group_columns.back() = 60; });
  expect_fault("window 0: group_columns holds a column outside", [](Host& h) { h.group_columns[0] = -1; });
  expect_fault("window 0: local_ids holds a column other", [](Host& h) { ++h.local_ids[3]; });
  expect_fault("window 0: local_ids holds a column other", [](Host& h) { h.local_ids[1] = 128; });
  expect_fault("window 1: local_ids holds a row beyond the last", [](Host& h) { h.local_ids.back() = 11 * 8 + 7; });
  expect_fault("window 0: the entries of the groups do not ascend",
               [](Host& h) { std::swap(h.local_ids[0], h.local_ids[1]); });
  expect_fault("window 0: the entries of the groups do not ascend",
               [](Host& h) { std::swap(h.group_columns[0], h.group_columns[7]); });
  expect_fault("window 0: residual_rows does not ascend", [](Host& h) { h.residual_rows[1] = h.residual_rows[0]; });
  expect_fault("window 0: residual_rows does not ascend", [](Host& h) { h.residual_rows[0] = -1; });
  expect_fault("window 1: residual_rows does not ascend", [](Host& h) { h.residual_rows.back() = 27; });
  expect_fault("window 0: residual_rows does not ascend",
               [](Host& h) { h.residual_rows[static_cast<std::size_t>(h.window_residuals[1]) - 1] = 16; });
  expect_fault("window 0: residual_rows lists a row without",
               [](Host& h) { h.residual_offsets[1] = h.residual_offsets[2]; });
  expect_fault("window 1: residual_columns holds a column outside", [](Host& h) { h.residual_columns.back() = 60; });
  expect_fault("window 0: residual_columns holds a column outside", [](Host& h) { h.residual_columns[0] = -1; });
  ASSERT_GE(valid.residual_offsets[1], Offset(2));
  expect_fault("window 0: residual_columns does not ascend",
               [](Host& h) { std::swap(h.residual_columns[0], h.residual_columns[1]); });
  const auto empty = random_pattern<Offset>(5, 5, 0.0, 1);
  damaged_copies<Exec>(empty, serial_brp(empty, 1, 1))("residual_offsets does not ascend",
                                                       [](Host& h) { h.residual_offsets[0] = 1; });
}

/// All entries are present and in order, but some are in the wrong part.
TYPED_TEST(BrpTest, ValidateNamesAWrongSplit) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Host = HostBrp;
  const auto A = brp_of_one_group();
  const auto expect_fault = damaged_copies<Exec>(A, serial_brp(A, 2, 1));
  // Swaps entry u (column 2, row 4) with h, the last entry of that column in a group.
  expect_fault("window 0: a residual entry is in a group too, or an entry after it", [](Host& h) {
    h.local_ids[7] = 4 * 8 + 3;
    h.residual_rows = {0, 2, 3};
    h.residual_offsets = {0, 1, 3, 5};
    h.residual_columns = {7, 1, 4, 2, 7};
    h.window_residuals = {0, 3};
  });
  // One entry is there twice: u becomes a second n.
  expect_fault("window 0: a residual entry is in a group too", [](Host& h) { h.residual_columns[4] = 5; });
  // The local column of b in column 1 is replaced by one of column 7.
  expect_fault("window 0: f residual entries have one column, and later", [](Host& h) {
    h.group_columns = {0, 2, 2, 3, 5, 5, 6, 7};
    h.local_ids = {0, 8, 1, 9, 18, 26, 11, 27, 4, 20, 29, 37, 14, 38, 7, 31};
    h.residual_rows = {0, 1, 2, 4};
    h.residual_offsets = {0, 1, 2, 4, 5};
    h.residual_columns = {1, 1, 1, 4, 2};
  });
  // All entries are residual, although they would fill a group.
  expect_fault("window 0: the residual entries would make another group", [&](Host& h) {
    h.group_windows.clear();
    h.window_groups = {0, 0};
    h.local_ids.clear();
    h.group_columns.clear();
    h.residual_rows = {0, 1, 2, 3, 4};
    h.residual_offsets = A.row_offsets;
    h.residual_columns = A.column_indices;
    h.window_residuals = {0, 5};
  });
}

}  // namespace Tessera::Impl::Test
