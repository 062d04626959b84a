// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bmat/Bmat.hpp"

#include <string>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "BmatFault.hpp"
#include "InstantiateFormat.hpp"
#include "RowWalk.hpp"
#include "Validate.hpp"
#include "Windows.hpp"

namespace Tessera {

namespace Impl {

/// The four words of a tile, from the rows of its 8 columns.
KOKKOS_INLINE_FUNCTION void fill_bmat_words(const std::uint16_t* rows, std::uint32_t* words) {
  std::uint32_t bits[4] = {0, 0, 0, 0};
  for (int c = 0; c < 8; ++c) {
    for (unsigned left = rows[c]; left != 0; left &= left - 1) {
      const int r = lowest_bit(left);
      bits[bmat_word(r, c)] |= std::uint32_t(1) << bmat_bit(r, c);
    }
  }
  for (int w = 0; w < 4; ++w) words[w] = bits[w];
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::size_t count_bmat_tiles(const ExecutionSpace& exec, const CsrPattern<Offset>& A) {
  return Impl::count_tiles<16, 8>(exec, A);
}

template <class ExecutionSpace, class Offset>
BuiltBmat<Offset, typename ExecutionSpace::memory_space> build_bmat(const ExecutionSpace& exec,
                                                                    const CsrPattern<Offset>& A, std::size_t nonzeros) {
  Bmat<Offset, typename ExecutionSpace::memory_space> p{A.rows, A.columns, nonzeros, {}, {}, {}, {}};
  const auto windows = Impl::condense_windows<16, 8>(exec, A);
  p.window_offsets = windows.window_offsets;
  p.tile_columns = windows.columns;
  const std::size_t tiles = p.tile_columns.extent(0) / 8;
  p.value_offsets =
      Impl::allocate<decltype(p.value_offsets)>(exec, "Tessera::Bmat::value_offsets", p.window_offsets.extent(0));
  p.tile_words = Impl::allocate<decltype(p.tile_words)>(exec, "Tessera::Bmat::tile_words", tiles * 4);
  const auto filled = p;
  Kokkos::parallel_for(
      "Tessera::build_bmat", Impl::IndexPolicy<ExecutionSpace>(exec, 0, tiles), KOKKOS_LAMBDA(std::size_t tile) {
        Impl::fill_bmat_words(&windows.rows(8 * tile), &filled.tile_words(4 * tile));
      });
  Kokkos::parallel_for(
      "Tessera::build_bmat::value_offsets", Impl::IndexPolicy<ExecutionSpace>(exec, 0, p.value_offsets.extent(0)),
      KOKKOS_LAMBDA(std::size_t window) {
        const std::size_t row = 16 * window;
        filled.value_offsets(window) = A.row_offsets[row < std::size_t(A.rows) ? row : std::size_t(A.rows)];
      });
  return {p, Impl::map_from_rows(exec, A, p.view(), nonzeros, nonzeros)};
}

template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const Bmat<Offset, typename ExecutionSpace::memory_space>& A) {
  return Impl::rows_of_format(exec, A.view(), A.nonzeros);
}

namespace Impl {

template <class ExecutionSpace, class Offset>
std::string bmat_fault(const ExecutionSpace& exec, const Bmat<Offset, typename ExecutionSpace::memory_space>& A) {
  const auto windows = static_cast<std::size_t>(window_count(A.rows, 16));
  if (A.window_offsets.extent(0) != windows + 1) return "window_offsets does not have ceil(rows / 16) + 1 elements";
  if (A.value_offsets.extent(0) != windows + 1) return "value_offsets does not have ceil(rows / 16) + 1 elements";
  if (A.tile_words.extent(0) % 4 != 0) return "tile_words does not have 4 elements a tile";
  if (A.tile_columns.extent(0) != A.tiles() * 8) return "tile_columns does not have 8 elements a tile";
  const BmatPattern<Offset> in = A.view();
  return first_of(
      [&] { return offsets_fault(exec, "window", in.window_offsets, windows, A.tiles(), "window_offsets", "tiles"); },
      [&] { return offsets_fault(exec, "window", in.value_offsets, windows, A.nonzeros, "value_offsets", "nonzeros"); },
      [&] { return first_window_fault<bmat_window_fault<Offset>>(exec, windows, in, describe_bmat); });
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec, const Bmat<Offset, typename ExecutionSpace::memory_space>& A) {
  return Impl::of_format("BMat", Impl::bmat_fault(exec, A));
}

#define TESSERA_INSTANTIATE(Exec, Offset)                                                                         \
  template std::size_t count_bmat_tiles(const Exec&, const CsrPattern<Offset>&);                                  \
  template BuiltBmat<Offset, Exec::memory_space> build_bmat(const Exec&, const CsrPattern<Offset>&, std::size_t); \
  TESSERA_INSTANTIATE_FORMAT(Bmat, Exec, Offset)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
