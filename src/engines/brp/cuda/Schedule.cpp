// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "brp/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {
namespace {

Offset first_residual(const BrpPattern& A, Ordinal window) { return A.residual_offsets[A.window_residuals[window]]; }

// Returns piece p of a window that is cut into `pieces` pieces.
BrpItem piece_of_window(const BrpPattern& A, Ordinal window, int pieces, int p) {
  const Offset groups = A.window_groups[window + 1] - A.window_groups[window];
  const Offset group = first_of_even_piece(groups, pieces, p);
  BrpItem item = {};
  item.first_group = A.window_groups[window] + group;
  item.first_listed = A.window_residuals[window];
  item.groups = static_cast<int>(first_of_even_piece(groups, pieces, p + 1) - group);
  item.window = window;
  item.slot = BrpItem::direct;
  item.piece = p;
  item.pieces = pieces;
  for (Offset listed = A.window_residuals[window]; listed < A.window_residuals[window + 1]; ++listed) {
    item.residual_rows |= 1u << A.residual_rows[listed] % A.tile_rows;
  }
  return item;
}

}  // namespace

Offset brp_window_work(const BrpPattern& A, Ordinal window) {
  constexpr Offset width = BrpPattern::tile_width;
  const Offset residuals = first_residual(A, window + 1) - first_residual(A, window);
  return (A.window_groups[window + 1] - A.window_groups[window]) * static_cast<Offset>(A.g) +
         (residuals + width - 1) / width;
}

HostBrpSchedule build_brp_schedule(const BrpPattern& A, int piece_tiles) {
  // Windows are cut like condensed windows with one tile for each unit of work.
  std::vector<Offset> work = {0};
  work.reserve(static_cast<std::size_t>(A.windows()) + 1);
  for (Ordinal window = 0; window < A.windows(); ++window) work.push_back(work.back() + brp_window_work(A, window));
  HostCondensedSchedule cut = build_condensed_schedule(work.data(), A.windows(), piece_tiles);

  std::vector<CondensedSum> split(static_cast<std::size_t>(A.windows()), CondensedSum{0, 0, 0});
  for (const CondensedSum& sum : cut.sums) split[static_cast<std::size_t>(sum.window)] = sum;
  HostBrpSchedule schedule;
  schedule.items.reserve(cut.items.size());
  for (const CondensedItem& item : cut.items) {
    const CondensedSum& sum = split[static_cast<std::size_t>(item.window)];
    const bool whole = item.slot == CondensedItem::direct;
    schedule.items.push_back(
        piece_of_window(A, item.window, whole ? 1 : sum.slots, whole ? 0 : item.slot - sum.first_slot));
    schedule.items.back().slot = item.slot;
  }
  schedule.sums = std::move(cut.sums);
  schedule.slots = cut.slots;
  return schedule;
}

}  // namespace Tessera::Impl::Cuda
