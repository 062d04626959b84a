// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <tessera/common/Bits.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/TeamBitmap.hpp>
#include <tessera/parallel/Teams.hpp>

#include "bcsr/BcsrView.hpp"

/// Finds the blocks of windows with many entries. One team works on a window. It cuts the window's block columns into
/// slices, and marks the blocks of one slice at a time in a bitmap in its scratch memory.
namespace Tessera::Impl {

/// Arrays of blocks to fill in; see BcsrPattern.
struct BlockArrays {
  const Offset* offsets;
  Ordinal* columns;
  std::uint64_t* masks;
};

/// Block columns begin, ..., begin + 32 words - 1.
struct BlockSlice {
  Ordinal begin;
  int words;  ///< words of its bitmap

  /// Returns the place of a block column in the slice, or -1 if it is outside.
  KOKKOS_FUNCTION Ordinal place(Ordinal block_column) const {
    return block_column >= begin && block_column - begin < 32 * words ? block_column - begin : -1;
  }
};

/// Upper bound on the words of the bitmap of a slice.
inline constexpr int most_slice_words = 1024;

/// What all teams share.
template <class Exec>
struct WindowTeam {
  using Member = typename Teams<Exec>::member_type;

  CsrPattern<Offset> A;
  BlockShape shape;
  int words;  ///< words of the bitmap, each for 32 block columns

  WindowTeam(const CsrPattern<Offset>& pattern, BlockShape blocks)
      : A(pattern), shape(blocks), words(most_slice_words) {
    const int needed = A.columns / shape.width / 32 + 1;
    if (needed < words) words = needed;
  }

  KOKKOS_FUNCTION Ordinal first_row(Ordinal window) const { return window * shape.height; }
  KOKKOS_FUNCTION Ordinal rows(Ordinal window) const {
    const Ordinal left = A.rows - first_row(window);
    return left < shape.height ? left : shape.height;
  }

  /// Returns the first and the last block column of a window; the last is less if the window is empty.
  KOKKOS_FUNCTION Kokkos::MinMaxScalar<Ordinal> range(const Member& team, Ordinal window) const {
    Kokkos::MinMaxScalar<Ordinal> found;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, rows(window)),
        [&](Ordinal r, Kokkos::MinMaxScalar<Ordinal>& sum) {
          const Offset begin = A.row_offsets[first_row(window) + r], end = A.row_offsets[first_row(window) + r + 1];
          if (begin == end) return;
          const Ordinal first = A.column_indices[begin] / shape.width, last = A.column_indices[end - 1] / shape.width;
          if (first < sum.min_val) sum.min_val = first;
          if (last > sum.max_val) sum.max_val = last;
        },
        Kokkos::MinMax<Ordinal>(found));
    return found;
  }

  /// Calls visit(slice) for all slices of a window.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_slice(const Member& team, Ordinal window, const Visit& visit) const {
    const auto [first, last] = range(team, window);
    for (Ordinal left = first <= last ? (last - first) / 32 + 1 : 0; left > 0; left -= words)
      visit(BlockSlice{first + ((last - first) / 32 + 1 - left) * 32, left < words ? left : words});
  }

  /// Marks the blocks of a slice. Returns their number.
  KOKKOS_FUNCTION Offset mark(const Member& team, Ordinal window, BlockSlice slice, TeamBitmap<Exec>& marks) const {
    marks.clear(team, slice.words);
    Offset blocks = 0;
    const Offset first = A.row_offsets[first_row(window)], end = A.row_offsets[first_row(window) + rows(window)];
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, first, end),
        [&](Offset k, Offset& count) {
          const Ordinal block = A.column_indices[k] / shape.width, place = slice.place(block);
          if (place < 0) return;
          if (k > first) {  // if the entry before, in whichever row, is in this block, it marks the block
            const Ordinal distance = A.column_indices[k - 1] - block * shape.width;
            if (distance >= 0 && distance < shape.width) return;
          }
          count += marks.mark(place) ? 1 : 0;
        },
        blocks);
    team.team_barrier();
    return blocks;
  }
};

/// Counts the blocks of windows, one team each.
template <class Exec>
struct CountBlocks {
  using Member = typename WindowTeam<Exec>::Member;

  WindowTeam<Exec> windows;
  Offset* of_windows;  ///< null, or an array that gets the number of blocks of each window

  std::size_t scratch() const { return TeamBitmap<Exec>::bytes(windows.words); }

  KOKKOS_FUNCTION void operator()(const Member& team, std::size_t& blocks) const {
    const Ordinal window = team.league_rank();
    TeamBitmap<Exec> marks(team, windows.words);
    Offset of_window = 0;
    windows.for_each_slice(team, window,
                           [&](BlockSlice slice) { of_window += windows.mark(team, window, slice, marks); });
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      blocks += std::size_t(of_window);
      if (of_windows != nullptr) of_windows[window] = of_window;
    });
  }
};

/// Fills in the columns and masks of the blocks of windows, one team each. Calls placed(block, bit of its mask, k) for
/// each entry k.
template <class Exec, class Placed>
struct FillBlocks {
  using Member = typename WindowTeam<Exec>::Member;

  WindowTeam<Exec> windows;
  BlockArrays out;
  Placed placed;

  std::size_t scratch() const { return TeamBitmap<Exec>::bytes(windows.words); }

  KOKKOS_FUNCTION void place_entries(const Member& team, Ordinal window, BlockSlice slice,
                                     const TeamBitmap<Exec>& marks, Offset first_block) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, windows.rows(window)), [&](Ordinal r) {
      const Ordinal row = windows.first_row(window) + r;
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(team, windows.A.row_offsets[row], windows.A.row_offsets[row + 1]), [&](Offset k) {
            const BlockShape blocks = windows.shape;
            const Ordinal column = windows.A.column_indices[k], place = slice.place(column / blocks.width);
            if (place < 0) return;
            const auto block = static_cast<std::size_t>(first_block + Offset(marks.rank(place)));
            const int bit = r * blocks.width + column % blocks.width;
            add_bits<Exec>(&out.masks[block * blocks.mask_words() + bit / 64], std::uint64_t(1) << bit % 64);
            placed(block, bit, k);
          });
    });
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal window = team.league_rank();
    TeamBitmap<Exec> marks(team, windows.words);
    Offset first_block = out.offsets[window];
    const std::size_t mask_words = windows.shape.mask_words(), first_word = std::size_t(first_block) * mask_words;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, std::size_t(out.offsets[window + 1]) * mask_words - first_word),
                         [&](std::size_t word) { out.masks[first_word + word] = 0; });
    windows.for_each_slice(team, window, [&](BlockSlice slice) {
      const Offset blocks = windows.mark(team, window, slice, marks);
      marks.count(team);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, slice.words), [&](int word) {
        Offset block = first_block + Offset(marks.before[word]);
        for (std::uint32_t bits = marks.marks[word]; bits != 0; bits &= bits - 1)
          out.columns[block++] = slice.begin + 32 * word + lowest_bit(bits);
      });
      place_entries(team, window, slice, marks, first_block);
      first_block += blocks;
      team.team_barrier();
    });
  }
};

/// The mean numbers of entries of a window from which teams are faster on an H200: independent entries count blocks of
/// shorter windows faster, and single threads fill them.
inline constexpr std::size_t least_counted_by_team = 1024, least_filled_by_team = 128;

/// Whether windows have at least this mean number of entries. Every four slices of the matrix raise the number by as
/// much again, because a team reads its window once for each slice.
inline bool windows_have(std::size_t entries, const CsrPattern<Offset>& A, std::size_t nonzeros, BlockShape shape) {
  const auto slices = static_cast<std::size_t>(A.columns / shape.width / (32 * most_slice_words));
  return nonzeros / static_cast<std::size_t>(shape.windows(A.rows)) >= entries * (1 + slices / 4);
}

/// Returns a policy of one team for each window.
template <class Exec>
Teams<Exec> window_teams(const Exec& exec, const CsrPattern<Offset>& A, std::size_t nonzeros, BlockShape shape,
                         std::size_t scratch) {
  const std::size_t entries = nonzeros / static_cast<std::size_t>(shape.windows(A.rows));
  const int lanes = entries > 2048 ? 512 : entries >= 128 ? 256 : 64;
  return teams(exec, shape.windows(A.rows), scratch, {lanes, lanes_for(static_cast<double>(nonzeros) / A.rows)});
}

}  // namespace Tessera::Impl
