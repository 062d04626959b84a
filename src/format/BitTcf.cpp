// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <string>
#include <tessera/format/BitTcf.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "WindowMerge.hpp"

namespace Tessera {

namespace Impl {

template <class ExecutionSpace>
using WindowPolicy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Ordinal>>;

constexpr Ordinal window_count(Ordinal rows) { return rows / 8 + (rows % 8 != 0); }

template <class Offset>
KOKKOS_INLINE_FUNCTION Offset tiles_of_window(const CsrPattern<Offset>& A, Ordinal window) {
  const Offset columns = merge_window<8>(A, window * 8, [](Ordinal, unsigned) {});
  return (columns + 7) / 8;
}

/// Fills the columns and masks of a window's tiles, and the number of entries of tile t into tile_offsets[t + 1].
template <class Offset, class Pattern>
KOKKOS_INLINE_FUNCTION void fill_window(const CsrPattern<Offset>& A, Ordinal window, const Pattern& out) {
  Offset tile = out.window_offsets(window);
  int slot = 0;
  std::uint64_t mask = 0;
  const auto close_tile = [&] {
    for (int c = slot; c < 8; ++c) out.tile_columns(std::size_t(tile) * 8 + c) = BitTcfPattern<Offset>::no_column;
    out.tile_masks(tile) = mask;
    out.tile_offsets(tile + 1) = static_cast<Offset>(Kokkos::popcount(mask));
    ++tile;
    slot = 0;
    mask = 0;
  };
  merge_window<8>(A, window * 8, [&](Ordinal column, unsigned rows) {
    out.tile_columns(std::size_t(tile) * 8 + slot) = column;
    for (int r = 0; r < 8; ++r) mask |= std::uint64_t(rows >> r & 1u) << (8 * r + slot);
    if (++slot == 8) close_tile();
  });
  if (slot > 0) close_tile();
}

/// slots(k) = the entry of the canonical rows that is k-th in the order of the tiles. Within a tile a row's entries are
/// consecutive in both orders, so that a running entry per row is all that it takes.
template <class Offset, class Pattern, class Slots>
KOKKOS_INLINE_FUNCTION void fill_slots(const CsrPattern<Offset>& A, Ordinal window, const Pattern& in,
                                       const Slots& slots) {
  for (int r = 0; r < 8 && window * 8 < A.rows - r; ++r) {
    Offset entry = A.row_offsets[window * 8 + r];
    for (Offset tile = in.window_offsets(window); tile < in.window_offsets(window + 1); ++tile) {
      const std::uint64_t mask = in.tile_masks(tile);
      const std::uint64_t before = mask & ((std::uint64_t(1) << (8 * r)) - 1);
      Offset k = in.tile_offsets(tile) + static_cast<Offset>(Kokkos::popcount(before));
      for (int left = Kokkos::popcount(bittcf_row_mask(mask, r)); left > 0; --left) slots(k++) = entry++;
    }
  }
}

/// In place: counts in offsets(1 ... size) become offsets, offsets(0) = 0.
template <class ExecutionSpace, class Offsets>
void counts_to_offsets(const ExecutionSpace& exec, const Offsets& offsets) {
  using Offset = typename Offsets::value_type;
  Kokkos::parallel_scan(
      "Tessera::counts_to_offsets",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(exec, 0, offsets.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, Offset & sum, bool final) {
        sum += i == 0 ? Offset(0) : offsets(i);
        if (final) offsets(i) = sum;
      });
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::size_t count_bittcf_tiles(const ExecutionSpace& exec, const CsrPattern<Offset>& A) {
  std::size_t tiles = 0;
  Kokkos::parallel_reduce(
      "Tessera::count_bittcf_tiles", Impl::WindowPolicy<ExecutionSpace>(exec, 0, Impl::window_count(A.rows)),
      KOKKOS_LAMBDA(Ordinal window, std::size_t & sum) { sum += std::size_t(Impl::tiles_of_window(A, window)); },
      tiles);
  exec.fence("Tessera::count_bittcf_tiles");
  return tiles;
}

template <class ExecutionSpace, class Offset>
BuiltBitTcf<Offset, typename ExecutionSpace::memory_space> build_bittcf(const ExecutionSpace& exec,
                                                                        const CsrPattern<Offset>& A,
                                                                        std::size_t nonzeros) {
  using Memory = typename ExecutionSpace::memory_space;
  const auto uninitialized = [&](const std::string& label) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label);
  };
  const Ordinal windows = Impl::window_count(A.rows);
  const Impl::WindowPolicy<ExecutionSpace> every_window(exec, 0, windows);
  BitTcf<Offset, Memory> p{A.rows, A.columns, nonzeros, {}, {}, {}, {}};

  p.window_offsets =
      decltype(p.window_offsets)(uninitialized("Tessera::BitTcf::window_offsets"), windows + std::size_t(1));
  const auto window_offsets = p.window_offsets;
  Kokkos::parallel_for(
      "Tessera::build_bittcf::count", every_window,
      KOKKOS_LAMBDA(Ordinal window) { window_offsets(window + 1) = Impl::tiles_of_window(A, window); });
  Impl::counts_to_offsets(exec, window_offsets);
  Offset tiles = 0;
  Kokkos::deep_copy(exec, tiles, Kokkos::subview(window_offsets, windows));
  exec.fence("Tessera::build_bittcf");

  const auto size = static_cast<std::size_t>(tiles);
  p.tile_offsets = decltype(p.tile_offsets)(uninitialized("Tessera::BitTcf::tile_offsets"), size + 1);
  p.tile_columns = decltype(p.tile_columns)(uninitialized("Tessera::BitTcf::tile_columns"), size * 8);
  p.tile_masks = decltype(p.tile_masks)(uninitialized("Tessera::BitTcf::tile_masks"), size);
  const auto filled = p;
  Kokkos::parallel_for(
      "Tessera::build_bittcf::fill", every_window,
      KOKKOS_LAMBDA(Ordinal window) { Impl::fill_window(A, window, filled); });
  Impl::counts_to_offsets(exec, p.tile_offsets);

  ValueMap<Offset, Memory> map;
  map.slots = decltype(map.slots)(uninitialized("Tessera::BitTcf::slots"), nonzeros);
  const auto slots = map.slots;
  Kokkos::parallel_for(
      "Tessera::build_bittcf::slots", every_window,
      KOKKOS_LAMBDA(Ordinal window) { Impl::fill_slots(A, window, filled, slots); });
  return {p, map};
}

template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> bittcf_to_csr(
    const ExecutionSpace& exec, const BitTcf<Offset, typename ExecutionSpace::memory_space>& A) {
  using Memory = typename ExecutionSpace::memory_space;
  const auto uninitialized = [&](const std::string& label) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label);
  };
  BuiltCsr<Offset, Memory> result;
  Csr<Offset, Memory>& csr = result.pattern;
  csr.rows = A.rows;
  csr.columns = A.columns;
  csr.nonzeros = A.nonzeros;
  csr.row_offsets = decltype(csr.row_offsets)(uninitialized("Tessera::Csr::row_offsets"), A.rows + std::size_t(1));
  csr.column_indices = decltype(csr.column_indices)(uninitialized("Tessera::Csr::column_indices"), A.nonzeros);
  result.values.slots = decltype(result.values.slots)(uninitialized("Tessera::Csr::slots"), A.nonzeros);
  const auto row_offsets = csr.row_offsets;
  const auto columns = csr.column_indices;
  const auto slots = result.values.slots;
  const BitTcfPattern<Offset> in = A.view();
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> every_row(exec, 0, A.rows);
  Kokkos::parallel_for(
      "Tessera::bittcf_to_csr::count", every_row, KOKKOS_LAMBDA(Ordinal row) {
        Offset count = 0;
        for (Offset tile = in.window_offsets[row / 8]; tile < in.window_offsets[row / 8 + 1]; ++tile)
          count += static_cast<Offset>(Kokkos::popcount(bittcf_row_mask(in.tile_masks[tile], row % 8)));
        row_offsets(row + 1) = count;
      });
  Impl::counts_to_offsets(exec, row_offsets);
  Kokkos::parallel_for(
      "Tessera::bittcf_to_csr::fill", every_row, KOKKOS_LAMBDA(Ordinal row) {
        Offset entry = row_offsets(row);
        for (Offset tile = in.window_offsets[row / 8]; tile < in.window_offsets[row / 8 + 1]; ++tile) {
          const std::uint64_t mask = in.tile_masks[tile];
          const std::uint64_t before = mask & ((std::uint64_t(1) << (8 * (row % 8))) - 1);
          Offset k = in.tile_offsets[tile] + static_cast<Offset>(Kokkos::popcount(before));
          for (unsigned bits = bittcf_row_mask(mask, row % 8); bits != 0; bits &= bits - 1, ++k, ++entry) {
            columns(entry) = in.tile_columns[std::size_t(tile) * 8 + Kokkos::countr_zero(bits)];
            slots(entry) = k;
          }
        }
      });
  return result;
}

namespace Impl {

/// The invariants of BitTCF in the order in which they are checked.
enum BitTcfFault : int {
  window_offsets_wrong,
  tile_offsets_wrong,
  column_out_of_range,
  columns_not_ascending,
  gap_in_columns,
  mask_outside_columns,
  column_without_entry,
  rows_beyond_matrix,
  no_fault
};

inline const char* describe(int fault) {
  switch (fault) {
    case window_offsets_wrong:
      return "window_offsets do not ascend from 0 to the number of tiles, or a tile count is wrong";
    case tile_offsets_wrong:
      return "tile_offsets do not ascend from 0 to the number of nonzeros by each mask's bit count";
    case column_out_of_range:
      return "tile_columns holds a column outside the matrix";
    case columns_not_ascending:
      return "tile_columns does not ascend strictly within a window";
    case gap_in_columns:
      return "tile_columns has an unused slot that is not at the end of a window's last tile";
    case mask_outside_columns:
      return "tile_masks has a bit in an unused column";
    case column_without_entry:
      return "tile_masks has no bit in a used column";
    case rows_beyond_matrix:
      return "tile_masks has a bit in a row beyond the last of the matrix";
  }
  return "";
}

/// The first broken invariant of one window, given that window_offsets are in order.
template <class Offset>
KOKKOS_INLINE_FUNCTION int window_fault(const BitTcfPattern<Offset>& A, Ordinal window) {
  Ordinal previous = -1;
  bool ended = false;
  int fault = no_fault;
  const auto check = [&](bool holds, int which) {
    if (!holds && which < fault) fault = which;
  };
  for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
    const std::uint64_t mask = A.tile_masks[tile];
    check(A.tile_offsets[tile + 1] - A.tile_offsets[tile] == static_cast<Offset>(Kokkos::popcount(mask)),
          tile_offsets_wrong);
    for (int c = 0; c < 8; ++c) {
      const Ordinal column = A.tile_columns[std::size_t(tile) * 8 + c];
      const bool has_entry = (mask & (std::uint64_t(0x0101010101010101) << c)) != 0;
      if (column == BitTcfPattern<Offset>::no_column) {
        check(c > 0 && tile + 1 == A.window_offsets[window + 1], gap_in_columns);
        check(!has_entry, mask_outside_columns);
        ended = true;
        continue;
      }
      check(!ended, gap_in_columns);
      check(column >= 0 && column < A.columns, column_out_of_range);
      check(column > previous, columns_not_ascending);
      check(has_entry, column_without_entry);
      previous = column;
    }
    for (int r = 0; r < 8; ++r) check(window * 8 < A.rows - r || bittcf_row_mask(mask, r) == 0, rows_beyond_matrix);
  }
  return fault;
}

/// Asks fault_of(window) everywhere and describes the fault of the first window that has one. The pair (window, fault)
/// is packed into one number, so that the least is the first.
template <class ExecutionSpace, class FaultOf>
std::string first_fault(const ExecutionSpace& exec, Ordinal windows, const FaultOf& fault_of) {
  constexpr std::uint64_t nothing = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t first = nothing;
  Kokkos::parallel_reduce(
      "Tessera::validate", Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, windows),
      KOKKOS_LAMBDA(Ordinal window, std::uint64_t & least) {
        const int fault = fault_of(window);
        const std::uint64_t key = std::uint64_t(window) * 16 + std::uint64_t(fault);
        if (fault != no_fault && key < least) least = key;
      },
      Kokkos::Min<std::uint64_t>(first));
  exec.fence("Tessera::validate");
  if (windows == 0 || first == nothing) return {};
  return "BitTCF: window " + std::to_string(first / 16) + ": " + describe(int(first % 16));
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const BitTcf<Offset, typename ExecutionSpace::memory_space>& A) {
  const Ordinal windows = Impl::window_count(A.rows);
  if (A.window_offsets.extent(0) != std::size_t(windows) + 1)
    return "BitTCF: window_offsets does not have ceil(rows / 8) + 1 elements";
  if (A.tile_offsets.extent(0) != A.tiles() + 1) return "BitTCF: tile_offsets does not have tiles + 1 elements";
  if (A.tile_columns.extent(0) != A.tiles() * 8) return "BitTCF: tile_columns does not have 8 elements a tile";
  const BitTcfPattern<Offset> in = A.view();
  const std::size_t tiles = A.tiles(), nonzeros = A.nonzeros;
  const std::string offsets_fault = Impl::first_fault(
      exec, windows, KOKKOS_LAMBDA(Ordinal window) {
        const Offset begin = in.window_offsets[window], end = in.window_offsets[window + 1];
        const bool starts = window > 0 || (begin == Offset(0) && in.tile_offsets[0] == Offset(0));
        const bool ends =
            window + 1 < windows || (std::size_t(end) == tiles && std::size_t(in.tile_offsets[tiles]) == nonzeros);
        return starts && ends && begin <= end && std::size_t(end) <= tiles ? Impl::no_fault
                                                                           : Impl::window_offsets_wrong;
      });
  if (!offsets_fault.empty()) return offsets_fault;
  return Impl::first_fault(
      exec, windows, KOKKOS_LAMBDA(Ordinal window) { return Impl::window_fault(in, window); });
}

#define TESSERA_INSTANTIATE(Exec, Offset)                                                                              \
  template std::size_t count_bittcf_tiles(const Exec&, const CsrPattern<Offset>&);                                     \
  template BuiltBitTcf<Offset, Exec::memory_space> build_bittcf(const Exec&, const CsrPattern<Offset>&, std::size_t);  \
  template BuiltCsr<Offset, Exec::memory_space> bittcf_to_csr(const Exec&, const BitTcf<Offset, Exec::memory_space>&); \
  template std::string validate(const Exec&, const BitTcf<Offset, Exec::memory_space>&);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
