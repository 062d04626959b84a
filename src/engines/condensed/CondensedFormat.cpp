// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "condensed/CondensedFormat.hpp"

#include <string>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "InstantiateFormat.hpp"
#include "RowWalk.hpp"
#include "Validate.hpp"
#include "Windows.hpp"

namespace Tessera::Impl {

/// Returns a strip's mask. Bit 8 r + c is bit 8 strip + r of rows[c], the set of rows with entries in tile column c.
template <class Rows>
KOKKOS_INLINE_FUNCTION std::uint64_t mask_of_strip(const Rows* rows, int strip) {
  std::uint64_t mask = 0;
  for (int c = 0; c < 8; ++c) {
    const unsigned column = static_cast<unsigned>(rows[c]) >> (8 * strip);
    for (int r = 0; r < 8; ++r) mask |= std::uint64_t(column >> r & 1u) << (8 * r + c);
  }
  return mask;
}

template <class ExecutionSpace>
std::size_t count_bittcf_tiles(const ExecutionSpace& exec, const CsrPattern<Offset>& A) {
  return Impl::count_tiles<8, 8>(exec, A);
}

template <int strips, class ExecutionSpace>
BuiltCondensed<strips, typename ExecutionSpace::memory_space> build_condensed(const ExecutionSpace& exec,
                                                                              const CsrPattern<Offset>& A,
                                                                              std::size_t nonzeros) {
  using Memory = typename ExecutionSpace::memory_space;
  CondensedFormat<Memory, strips> p{A.rows, A.columns, nonzeros, {}, {}, {}, {}};
  const auto windows = Impl::condense_windows<8 * strips, 8>(exec, A, [&](std::size_t tiles) {
    Impl::take_at_once<Memory>(exec, "Tessera::Condensed::tiles", [&](Impl::Arena<Memory>& arena) {
      arena.take(p.tile_columns, 8 * tiles);
      arena.take_behind(p.tile_masks, strips * tiles);
      arena.take_behind(p.tile_offsets, tiles + 1);
    });
    return p.tile_columns;
  });
  p.window_offsets = windows.window_offsets;
  const std::size_t tiles = p.tile_columns.extent(0) / 8;
  const auto filled = p;
  Kokkos::parallel_for(
      "Tessera::build_condensed", Impl::IndexPolicy<ExecutionSpace>(exec, 0, tiles), KOKKOS_LAMBDA(std::size_t tile) {
        int entries = 0;
        for (int strip = 0; strip < strips; ++strip) {
          const std::uint64_t mask = Impl::mask_of_strip(&windows.rows(8 * tile), strip);
          filled.tile_masks(strips * tile + strip) = mask;
          entries += popcount(mask);
        }
        filled.tile_offsets(tile + 1) = static_cast<Offset>(entries);
      });
  Impl::counts_to_offsets(exec, p.tile_offsets);
  return {p, Impl::map_from_rows(exec, A, p.view(), nonzeros, nonzeros)};
}

template <class ExecutionSpace, int strips>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const CondensedFormat<typename ExecutionSpace::memory_space, strips>& A) {
  return Impl::rows_of_format(exec, A.view(), A.nonzeros);
}

enum CondensedFault : int { condensed_count = CondensedColumns::faults, condensed_rows_beyond };

inline std::string describe_condensed(int fault) {
  static constexpr const char* texts[] = {
      "tile_offsets does not grow by the number of bits of the tile's masks",  // condensed_count
      "tile_masks has a bit in a row beyond the last of the matrix",           // condensed_rows_beyond
  };
  return fault < condensed_count ? CondensedColumns::describe(fault) : texts[fault - condensed_count];
}

/// Returns the first broken invariant of the tiles of a window whose offsets are valid.
template <int strips>
KOKKOS_INLINE_FUNCTION int condensed_window_fault(const CondensedTiles<strips>& A, Ordinal window) {
  FirstFault found;
  CondensedColumns columns(A.columns);
  for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
    const std::uint64_t* const masks = A.tile_masks + std::size_t(tile) * strips;
    unsigned used = 0;
    int entries = 0;
    for (int row = 0; row < A.tile_rows; ++row) {
      const unsigned bits = row_of_mask(masks[row / 8], row % 8);
      used |= bits;
      found.check(window * A.tile_rows < A.rows - row || bits == 0, condensed_rows_beyond);
    }
    for (int strip = 0; strip < strips; ++strip) entries += popcount(masks[strip]);
    const bool is_last = tile + 1 == A.window_offsets[window + 1];
    columns.check_tile(A.tile_columns + std::size_t(tile) * 8, 8, used, is_last, found);
    found.check(A.tile_offsets[tile + 1] - A.tile_offsets[tile] == static_cast<Offset>(entries), condensed_count);
  }
  return found.fault;
}

template <class ExecutionSpace, int strips>
std::string condensed_fault(const ExecutionSpace& exec,
                            const CondensedFormat<typename ExecutionSpace::memory_space, strips>& A) {
  const CondensedTiles<strips> in = A.view();
  const auto windows = static_cast<std::size_t>(in.windows());
  if (A.window_offsets.extent(0) != windows + 1)
    return "window_offsets does not have ceil(rows / " + std::to_string(in.tile_rows) + ") + 1 elements";
  if (A.tile_masks.extent(0) % strips != 0)
    return "tile_masks does not have " + std::to_string(strips) + " elements a tile";
  if (A.tile_offsets.extent(0) != A.tiles() + 1) return "tile_offsets does not have tiles + 1 elements";
  if (A.tile_columns.extent(0) != A.tiles() * 8) return "tile_columns does not have 8 elements a tile";
  return first_of(
      [&] { return offsets_fault(exec, "window", in.window_offsets, windows, A.tiles(), "window_offsets", "tiles"); },
      [&] { return offsets_fault(exec, "tile", in.tile_offsets, A.tiles(), A.nonzeros, "tile_offsets", "nonzeros"); },
      [&] { return first_window_fault<condensed_window_fault<strips>>(exec, windows, in, describe_condensed); });
}

template <class ExecutionSpace, int strips>
std::string validate(const ExecutionSpace& exec,
                     const CondensedFormat<typename ExecutionSpace::memory_space, strips>& A) {
  return Impl::of_format(strips == 1 ? "BitTCF" : "BMat", Impl::condensed_fault(exec, A));
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                                  \
  template std::size_t count_bittcf_tiles(const Exec&, const CsrPattern<Offset>&);                          \
  template BuiltCondensed<1, Exec::memory_space> build_condensed<1>(const Exec&, const CsrPattern<Offset>&, \
                                                                    std::size_t);                           \
  template BuiltCondensed<2, Exec::memory_space> build_condensed<2>(const Exec&, const CsrPattern<Offset>&, \
                                                                    std::size_t);                           \
  TESSERA_INSTANTIATE_FORMAT(BitTcf, Exec)                                                                  \
  TESSERA_INSTANTIATE_FORMAT(Bmat, Exec)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
