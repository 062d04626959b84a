// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tessera/common/Csr.hpp>
#include <tessera/common/RowSearch.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/Teams.hpp>
#include <type_traits>

#include "BlockTeams.hpp"
#include "bcsr/BcsrView.hpp"

/// Counts and lists the blocks of windows in BCSR. On a host, one thread merges the rows of a window. On a device,
/// teams work on windows if these have many entries. If they have few, each entry checks independently whether it is
/// the first of its block, and one thread lists the blocks of a window.
namespace Tessera::Impl {

constexpr int longest_block_side = 64;

constexpr Ordinal no_block_column = std::numeric_limits<Ordinal>::max();  // greater than all others

/// Returns the block column of an entry, or no_block_column at the end of the row.
KOKKOS_INLINE_FUNCTION Ordinal block_column_of(const CsrPattern<Offset>& A, Ordinal row, Offset entry, int width) {
  return entry < A.row_offsets[row + 1] ? A.column_indices[entry] / width : no_block_column;
}

/// Visits the blocks of a window in ascending order: calls open(block column) for each, then entry(r, c, k) for each
/// of its entries k. Returns the number of blocks.
template <class Open, class Entry>
KOKKOS_INLINE_FUNCTION Offset merge_blocks(const CsrPattern<Offset>& A, Ordinal window, BlockShape shape,
                                           const Open& open, const Entry& entry) {
  const Ordinal first_row = window * shape.height;
  const int rows = A.rows - first_row < shape.height ? A.rows - first_row : shape.height;
  Offset cursor[longest_block_side];
  Ordinal next[longest_block_side];  // the block column of the entry under each cursor
  for (int r = 0; r < rows; ++r) {
    cursor[r] = A.row_offsets[first_row + r];
    next[r] = block_column_of(A, first_row + r, cursor[r], shape.width);
  }
  for (Offset blocks = 0;; ++blocks) {
    Ordinal block_column = no_block_column;
    for (int r = 0; r < rows; ++r) block_column = next[r] < block_column ? next[r] : block_column;
    if (block_column == no_block_column) return blocks;
    open(block_column);
    for (int r = 0; r < rows; ++r) {
      if (next[r] != block_column) continue;
      const Offset end = A.row_offsets[first_row + r + 1];
      for (; cursor[r] < end; ++cursor[r]) {
        const Ordinal c = A.column_indices[cursor[r]] - block_column * shape.width;
        if (c >= shape.width) break;
        entry(r, c, cursor[r]);
      }
      next[r] = block_column_of(A, first_row + r, cursor[r], shape.width);
    }
  }
}

KOKKOS_INLINE_FUNCTION Offset blocks_of_window(const CsrPattern<Offset>& A, Ordinal window, BlockShape shape) {
  return merge_blocks(
      A, window, shape, [](Ordinal) {}, [](int, int, Offset) {});
}

/// Whether entry k of a row is the first of its block: neither an earlier entry of the row nor an entry of an earlier
/// row of the window lies in the block. Nearby rows are searched first because they most often have such an entry.
/// Cost: up to a bisection for each earlier row.
KOKKOS_INLINE_FUNCTION bool opens_block(const CsrPattern<Offset>& A, Ordinal row, Offset k, BlockShape shape) {
  const Ordinal block_column = A.column_indices[k] / shape.width;
  if (k > A.row_offsets[row] && A.column_indices[k - 1] / shape.width == block_column) return false;
  for (Ordinal above = row - 1; above >= row / shape.height * shape.height; --above) {
    const Offset first = first_from(A, A.row_offsets[above], A.row_offsets[above + 1], block_column * shape.width);
    if (block_column_of(A, above, first, shape.width) == block_column) return false;
  }
  return true;
}

/// Counts the blocks whose first entry is in the rows of a device's team.
template <class Exec>
struct BlocksOfRows {
  CsrPattern<Offset> A;
  BlockShape shape;
  Ordinal team_rows;   ///< rows of a team
  Offset* of_windows;  ///< null, or an array to which the number of blocks of each window is added

  KOKKOS_FUNCTION void operator()(const typename Teams<Exec>::member_type& team, std::size_t& blocks) const {
    const Ordinal first = team.league_rank() * team_rows, left = A.rows - first;
    std::size_t opened_by_team = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, left < team_rows ? left : team_rows),
        [&](Ordinal r, std::size_t& sum) {
          const Ordinal row = first + r;
          Offset opened = 0;
          Kokkos::parallel_reduce(
              Kokkos::ThreadVectorRange(team, A.row_offsets[row], A.row_offsets[row + 1]),
              [&](Offset k, Offset& count) { count += opens_block(A, row, k, shape) ? 1 : 0; }, opened);
          sum += std::size_t(opened);
          if (of_windows == nullptr || opened == 0) return;
          Kokkos::single(Kokkos::PerThread(team), [&] { add_to<Exec>(of_windows + row / shape.height, opened); });
        },
        opened_by_team);
    Kokkos::single(Kokkos::PerTeam(team), [&] { blocks += opened_by_team; });
  }
};

template <class Exec>
static std::size_t count_on_host(const Exec& exec, const CsrPattern<Offset>& A, BlockShape shape) {
  std::size_t blocks = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_blocks", WindowPolicy<Exec>(exec, 0, shape.windows(A.rows)),
      KOKKOS_LAMBDA(Ordinal window, std::size_t & sum) { sum += std::size_t(blocks_of_window(A, window, shape)); },
      blocks);
  exec.fence("Tessera::count_blocks");
  return blocks;
}

/// \param of_windows [in,out] null, or an array of zeros, to which the number of blocks of each window is added
template <class Exec>
std::size_t count_on_device(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros, BlockShape shape,
                            Offset* of_windows) {
  std::size_t blocks = 0;
  if (windows_have(least_counted_by_team, A, nonzeros, shape)) {
    const CountBlocks<Exec> count{{A, shape}, of_windows};
    Kokkos::parallel_reduce("Tessera::count_blocks", window_teams(exec, A, nonzeros, shape, count.scratch()), count,
                            blocks);
    exec.fence("Tessera::count_blocks");
    return blocks;
  }
  const TeamShape team{256, lanes_for(static_cast<double>(nonzeros) / A.rows)};
  const Ordinal team_rows = pieces_of_summing_team(A.rows, 64);
  Kokkos::parallel_reduce("Tessera::count_blocks_of_rows", teams(exec, window_count(A.rows, team_rows), 0, team),
                          BlocksOfRows<Exec>{A, shape, team_rows, of_windows}, blocks);
  exec.fence("Tessera::count_blocks");
  return blocks;
}

/// Returns the number of blocks.
template <class Exec>
std::size_t count_blocks(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros, BlockShape shape) {
  if (A.rows == 0) return 0;
  if constexpr (is_host_space<Exec>) {
    return count_on_host(exec, A, shape);
  } else {
    return count_on_device<Exec>(exec, A, nonzeros, shape, nullptr);
  }
}

/// The blocks of all windows.
template <class Memory>
struct WindowBlocks {
  Array<Offset*, Memory> offsets;  ///< the first block of each window; the last element is the number of blocks
  std::size_t count = 0;           ///< number of blocks
};

/// Counts the blocks of each window. Waits for `exec`.
template <class Exec>
static WindowBlocks<typename Exec::memory_space> blocks_of_windows(const Exec& exec, const CsrPattern<Offset>& A,
                                                                   std::size_t nonzeros, BlockShape shape) {
  using Offsets = Array<Offset*, typename Exec::memory_space>;
  const Ordinal windows = shape.windows(A.rows);
  const auto offsets = allocate_zeros<Offsets>(exec, "Tessera::Bcsr::block_offsets", windows + std::size_t(1));
  if constexpr (is_host_space<Exec>) {
    Kokkos::parallel_for(
        "Tessera::blocks_of_windows", WindowPolicy<Exec>(exec, 0, windows),
        KOKKOS_LAMBDA(Ordinal window) { offsets(window + 1) = blocks_of_window(A, window, shape); });
    counts_to_offsets(exec, offsets);
    return {offsets, static_cast<std::size_t>(read_element(exec, offsets.data() + windows))};
  } else {
    const std::size_t count = windows > 0 ? count_on_device(exec, A, nonzeros, shape, offsets.data() + 1) : 0;
    counts_to_offsets(exec, offsets);
    return {offsets, count};
  }
}

/// Fills in the columns and masks of a window's blocks with one thread; see FillBlocks.
template <class Placed>
KOKKOS_INLINE_FUNCTION void fill_window(const CsrPattern<Offset>& A, Ordinal window, BlockShape shape,
                                        const BlockArrays& out, const Placed& placed) {
  auto block = static_cast<std::size_t>(out.offsets[window]) - 1;  // the block before the first
  merge_blocks(
      A, window, shape,
      [&](Ordinal block_column) {
        out.columns[++block] = block_column;
        for (int word = 0; word < shape.mask_words(); ++word) out.masks[block * shape.mask_words() + word] = 0;
      },
      [&](int r, int c, Offset k) {
        const int bit = r * shape.width + c;
        out.masks[block * shape.mask_words() + bit / 64] |= std::uint64_t(1) << (bit % 64);
        placed(block, bit, k);
      });
}

/// Fills in the columns and masks of all blocks. Calls placed(block, bit of its mask, k) for each entry k.
template <class Exec, class Placed>
static void fill_blocks(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros, BlockShape shape,
                        const BlockArrays& out, const Placed& placed) {
  if (A.rows == 0) return;
  if (!is_host_space<Exec> && windows_have(least_filled_by_team, A, nonzeros, shape)) {
    const FillBlocks<Exec, Placed> fill{{A, shape}, out, placed};
    Kokkos::parallel_for("Tessera::fill_blocks", window_teams(exec, A, nonzeros, shape, fill.scratch()), fill);
    return;
  }
  Kokkos::parallel_for(
      "Tessera::fill_blocks", WindowPolicy<Exec>(exec, 0, shape.windows(A.rows)),
      KOKKOS_LAMBDA(Ordinal window) { fill_window(A, window, shape, out, placed); });
}

}  // namespace Tessera::Impl
