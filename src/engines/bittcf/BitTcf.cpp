// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bittcf/BitTcf.hpp"

#include <string>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "InstantiateFormat.hpp"
#include "RowWalk.hpp"
#include "Validate.hpp"
#include "Windows.hpp"

namespace Tessera {

namespace Impl {

/// Bit 8 r + c for row r of column c, of the 8 columns of a tile.
KOKKOS_INLINE_FUNCTION std::uint64_t bittcf_mask(const std::uint8_t* rows) {
  std::uint64_t mask = 0;
  for (int c = 0; c < 8; ++c) {
    for (int r = 0; r < 8; ++r) mask |= std::uint64_t(rows[c] >> r & 1u) << (8 * r + c);
  }
  return mask;
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::size_t count_bittcf_tiles(const ExecutionSpace& exec, const CsrPattern<Offset>& A) {
  return Impl::count_tiles<8, 8>(exec, A);
}

template <class ExecutionSpace, class Offset>
BuiltBitTcf<Offset, typename ExecutionSpace::memory_space> build_bittcf(const ExecutionSpace& exec,
                                                                        const CsrPattern<Offset>& A,
                                                                        std::size_t nonzeros) {
  BitTcf<Offset, typename ExecutionSpace::memory_space> p{A.rows, A.columns, nonzeros, {}, {}, {}, {}};
  const auto windows = Impl::condense_windows<8, 8>(exec, A);
  p.window_offsets = windows.window_offsets;
  p.tile_columns = windows.columns;
  const std::size_t tiles = p.tile_columns.extent(0) / 8;
  p.tile_offsets = Impl::allocate<decltype(p.tile_offsets)>(exec, "Tessera::BitTcf::tile_offsets", tiles + 1);
  p.tile_masks = Impl::allocate<decltype(p.tile_masks)>(exec, "Tessera::BitTcf::tile_masks", tiles);
  const auto filled = p;
  Kokkos::parallel_for(
      "Tessera::build_bittcf", Impl::IndexPolicy<ExecutionSpace>(exec, 0, tiles), KOKKOS_LAMBDA(std::size_t tile) {
        const std::uint64_t mask = Impl::bittcf_mask(&windows.rows(8 * tile));
        filled.tile_masks(tile) = mask;
        filled.tile_offsets(tile + 1) = static_cast<Offset>(popcount(mask));
      });
  Impl::counts_to_offsets(exec, p.tile_offsets);
  return {p, Impl::map_from_rows(exec, A, p.view(), nonzeros, nonzeros)};
}

template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const BitTcf<Offset, typename ExecutionSpace::memory_space>& A) {
  return Impl::rows_of_format(exec, A.view(), A.nonzeros);
}

namespace Impl {

enum BitTcfFault : int { bittcf_count = CondensedColumns::faults, bittcf_rows_beyond };

inline std::string describe_bittcf(int fault) {
  static constexpr const char* texts[] = {
      "tile_offsets does not grow by the number of bits of the tile's mask",  // bittcf_count
      "tile_masks has a bit in a row beyond the last of the matrix",          // bittcf_rows_beyond
  };
  return fault < bittcf_count ? CondensedColumns::describe(fault) : texts[fault - bittcf_count];
}

/// The first broken invariant of the tiles of a window, given that the offsets are in order.
template <class Offset>
KOKKOS_INLINE_FUNCTION int bittcf_window_fault(const BitTcfPattern<Offset>& A, Ordinal window) {
  FirstFault found;
  CondensedColumns columns(A.columns);
  for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
    const std::uint64_t mask = A.tile_masks[tile];
    unsigned used = 0;
    for (int r = 0; r < 8; ++r) {
      used |= bittcf_row_mask(mask, r);
      found.check(window * 8 < A.rows - r || bittcf_row_mask(mask, r) == 0, bittcf_rows_beyond);
    }
    const bool is_last = tile + 1 == A.window_offsets[window + 1];
    columns.check_tile(A.tile_columns + std::size_t(tile) * 8, 8, used, is_last, found);
    const auto entries = static_cast<Offset>(popcount(mask));
    found.check(A.tile_offsets[tile + 1] - A.tile_offsets[tile] == entries, bittcf_count);
  }
  return found.fault;
}

template <class ExecutionSpace, class Offset>
std::string bittcf_fault(const ExecutionSpace& exec, const BitTcf<Offset, typename ExecutionSpace::memory_space>& A) {
  const auto windows = static_cast<std::size_t>(window_count(A.rows, 8));
  if (A.window_offsets.extent(0) != windows + 1) return "window_offsets does not have ceil(rows / 8) + 1 elements";
  if (A.tile_offsets.extent(0) != A.tiles() + 1) return "tile_offsets does not have tiles + 1 elements";
  if (A.tile_columns.extent(0) != A.tiles() * 8) return "tile_columns does not have 8 elements a tile";
  const BitTcfPattern<Offset> in = A.view();
  return first_of(
      [&] { return offsets_fault(exec, "window", in.window_offsets, windows, A.tiles(), "window_offsets", "tiles"); },
      [&] { return offsets_fault(exec, "tile", in.tile_offsets, A.tiles(), A.nonzeros, "tile_offsets", "nonzeros"); },
      [&] { return first_window_fault<bittcf_window_fault<Offset>>(exec, windows, in, describe_bittcf); });
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const BitTcf<Offset, typename ExecutionSpace::memory_space>& A) {
  return Impl::of_format("BitTCF", Impl::bittcf_fault(exec, A));
}

#define TESSERA_INSTANTIATE(Exec, Offset)                                                                             \
  template std::size_t count_bittcf_tiles(const Exec&, const CsrPattern<Offset>&);                                    \
  template BuiltBitTcf<Offset, Exec::memory_space> build_bittcf(const Exec&, const CsrPattern<Offset>&, std::size_t); \
  TESSERA_INSTANTIATE_FORMAT(BitTcf, Exec, Offset)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
