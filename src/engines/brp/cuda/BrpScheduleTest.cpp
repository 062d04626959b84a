// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "brp/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {
namespace {

/// Windows with given numbers of groups, and residual rows with given numbers of entries.
struct Partition {
  std::vector<Offset> window_groups = {0}, window_residuals = {0}, residual_offsets = {0};
  std::vector<Ordinal> residual_rows;

  void add_window(int groups, const std::vector<std::pair<int, int>>& rows_and_entries) {
    const auto window = static_cast<Ordinal>(window_groups.size() - 1);
    window_groups.push_back(window_groups.back() + static_cast<Offset>(groups));
    for (const auto& [r, entries] : rows_and_entries) {
      residual_rows.push_back(16 * window + r);
      residual_offsets.push_back(residual_offsets.back() + static_cast<Offset>(entries));
    }
    window_residuals.push_back(static_cast<Offset>(residual_rows.size()));
  }

  BrpPattern pattern(int g) const {
    BrpPattern A;
    A.rows = 16 * static_cast<Ordinal>(window_groups.size() - 1);
    A.g = g;
    A.groups = window_groups.back();
    A.window_groups = window_groups.data();
    A.residual_rows = residual_rows.data();
    A.residual_offsets = residual_offsets.data();
    A.window_residuals = window_residuals.data();
    return A;
  }
};

Partition partition() {
  Partition A;
  A.add_window(3, {{0, 1}, {15, 9}});
  A.add_window(0, {});
  A.add_window(40, {{3, 5}});
  A.add_window(0, {{1, 300}, {2, 1}, {9, 2}});
  A.add_window(70, {{4, 100}});
  return A;
}

/// Checks that each group, and each piece of the residual entries, is in one item, in the order of slots.
void expect_covered(int g, int piece_tiles) {
  const Partition arrays = partition();
  const auto A = arrays.pattern(g);
  auto schedule = build_brp_schedule(A, piece_tiles);
  std::sort(schedule.items.begin(), schedule.items.end(),
            [](const auto& a, const auto& b) { return a.window != b.window ? a.window < b.window : a.slot < b.slot; });
  Offset group = 0;
  std::vector<int> items_of(std::size_t(A.windows()), 0);
  for (const auto& item : schedule.items) {
    EXPECT_EQ(item.first_group, group);
    EXPECT_EQ(item.first_listed, A.window_residuals[item.window]);
    group += static_cast<Offset>(item.groups);
    EXPECT_LE(group, A.window_groups[item.window + 1]);
    EXPECT_LE(item.groups * g, piece_tiles + g);  // rounded up to whole groups
    EXPECT_EQ(item.piece, items_of[std::size_t(item.window)]);
    const auto work = static_cast<int>(brp_window_work(A, item.window));
    EXPECT_EQ(item.pieces, std::max(1, (work + piece_tiles - 1) / piece_tiles));
    unsigned rows = 0;
    for (Offset i = A.window_residuals[item.window]; i < A.window_residuals[item.window + 1]; ++i) {
      rows |= 1u << A.residual_rows[i] % 16;
    }
    EXPECT_EQ(item.residual_rows, rows);
    ++items_of[std::size_t(item.window)];
  }
  EXPECT_EQ(group, A.groups);
  int slots = 0;
  for (const CondensedSum& sum : schedule.sums) {
    EXPECT_EQ(sum.slots, items_of[std::size_t(sum.window)]);
    EXPECT_EQ(sum.first_slot, slots);
    slots += sum.slots;
  }
  EXPECT_EQ(slots, schedule.slots);
  for (const auto& item : schedule.items) {
    EXPECT_EQ(item.slot == BrpItem::direct, items_of[std::size_t(item.window)] == 1);
  }
}

TEST(BrpSchedule, CoversEachGroupAndEntryOnceInPieces) {
  for (const int g : {1, 2, 4}) {
    for (const int piece : {1, 3, 8, 38, 1000}) {
      expect_covered(g, piece);
      expect_covered(g, piece);
    }
  }
}

TEST(BrpSchedule, CountsResidualEntriesAsTiles) {
  const Partition arrays = partition();
  const auto A = arrays.pattern(4);
  EXPECT_EQ(brp_window_work(A, 0), 4 * 3 + 2);
  EXPECT_EQ(brp_window_work(A, 1), 0);
  EXPECT_EQ(brp_window_work(A, 3), 38);
}

TEST(BrpSchedule, RejectsPiecesOfNothing) {
  const Partition arrays = partition();
  EXPECT_THROW(build_brp_schedule(arrays.pattern(1), 0), std::invalid_argument);
}

}  // namespace
}  // namespace Tessera::Impl::Cuda
