// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compact_rows/CompactRows.hpp"

#include <cstdint>
#include <string>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>

#include "CompactRowsFault.hpp"
#include "InstantiateFormat.hpp"

namespace Tessera::Impl {

/// Returns the least and the greatest column of a block.
KOKKOS_INLINE_FUNCTION Kokkos::pair<Ordinal, Ordinal> columns_of_block(const Ordinal* column_indices,
                                                                       std::size_t nonzeros, std::size_t block) {
  const std::size_t begin = block * CompactRowsPattern::block_entries, end = begin + CompactRowsPattern::block_entries;
  Ordinal least = column_indices[begin], greatest = least;
  for (std::size_t k = begin + 1; k < end && k < nonzeros; ++k) {
    const Ordinal column = column_indices[k];
    least = column < least ? column : least;
    greatest = column > greatest ? column : greatest;
  }
  return {least, greatest};
}

template <class ExecutionSpace>
std::size_t count_wide_blocks(const ExecutionSpace& exec, const CsrPattern<Offset>& A, std::size_t nonzeros) {
  std::size_t wide = 0;
  if (A.columns - 1 <= CompactRowsPattern::most_distance) return wide;
  Kokkos::parallel_reduce(
      "Tessera::count_wide_blocks", IndexPolicy<ExecutionSpace>(exec, 0, compact_row_blocks(nonzeros)),
      KOKKOS_LAMBDA(std::size_t block, std::size_t & sum) {
        const auto [least, greatest] = columns_of_block(A.column_indices, nonzeros, block);
        sum += greatest - least > CompactRowsPattern::most_distance ? 1 : 0;
      },
      wide);
  exec.fence("Tessera::count_wide_blocks");
  return wide;
}

/// Copies rows + 1 offsets. Those of no rows may be null.
template <class Exec, class Offsets>
void copy_offsets(const Exec& exec, const Offset* from, const Offsets& to) {
  if (to.extent(0) <= 1) return Kokkos::deep_copy(exec, to, Offset(0));
  using From = Kokkos::View<const Offset*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(exec, to, From(from, to.extent(0)));
}

/// Writes block_columns: first columns, and the numbers of wide blocks.
template <class Exec, class Memory>
void fill_blocks(const Exec& exec, const CsrPattern<Offset>& A, const CompactRows<Memory>& p) {
  const auto block_columns = p.block_columns;
  const std::size_t nonzeros = p.nonzeros;
  Kokkos::parallel_scan(
      "Tessera::fill_blocks", IndexPolicy<Exec>(exec, 0, block_columns.extent(0)),
      KOKKOS_LAMBDA(std::size_t block, Ordinal & wide, bool is_final) {
        const auto [least, greatest] = columns_of_block(A.column_indices, nonzeros, block);
        const bool is_wide = greatest - least > CompactRowsPattern::most_distance;
        if (is_final) block_columns(block) = is_wide ? -1 - wide : least;
        wide += is_wide ? 1 : 0;
      });
}

/// Writes low_columns and high_columns. The thread of the last entry also fills the rest of its block.
template <class Exec, class Memory>
void fill_columns(const Exec& exec, const CsrPattern<Offset>& A, const CompactRows<Memory>& p) {
  constexpr std::size_t size = CompactRowsPattern::block_entries;
  const auto filled = p;
  Kokkos::parallel_for(
      "Tessera::fill_compact_columns", IndexPolicy<Exec>(exec, 0, p.nonzeros), KOKKOS_LAMBDA(std::size_t entry) {
        const Ordinal column = A.column_indices[entry], first = filled.block_columns(entry / size);
        filled.low_columns(entry) = static_cast<std::uint16_t>(first < 0 ? column : column - first);
        if (first >= 0) return;
        const std::size_t place = static_cast<std::size_t>(-1 - first) * size + entry % size;
        filled.high_columns(place) = static_cast<std::uint16_t>(column >> 16);
        if (entry + 1 < filled.nonzeros) return;
        for (std::size_t rest = place + 1; rest % size != 0; ++rest) filled.high_columns(rest) = 0;
      });
}

template <class ExecutionSpace>
BuiltCompactRows<typename ExecutionSpace::memory_space> build_compact_rows(const ExecutionSpace& exec,
                                                                           const CsrPattern<Offset>& A,
                                                                           std::size_t nonzeros) {
  CompactRows<typename ExecutionSpace::memory_space> p;
  p.rows = A.rows;
  p.columns = A.columns;
  p.nonzeros = nonzeros;
  const std::size_t wide = count_wide_blocks(exec, A, nonzeros);
  take_at_once<typename ExecutionSpace::memory_space>(exec, "Tessera::CompactRows::columns", [&](auto& arena) {
    arena.take(p.high_columns, wide * CompactRowsPattern::block_entries);
    arena.take(p.low_columns, nonzeros);  // behind whole cache lines
  });
  take_at_once<typename ExecutionSpace::memory_space>(exec, "Tessera::CompactRows::offsets", [&](auto& arena) {
    arena.take_behind(p.row_offsets, static_cast<std::size_t>(A.rows) + 1);
    arena.take_behind(p.block_columns, compact_row_blocks(nonzeros));
  });
  copy_offsets(exec, A.row_offsets, p.row_offsets);
  fill_blocks(exec, A, p);
  fill_columns(exec, A, p);
  return {p, {}};
}

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const CompactRows<typename ExecutionSpace::memory_space>& A) {
  Csr<typename ExecutionSpace::memory_space> rows;
  rows.rows = A.rows;
  rows.columns = A.columns;
  rows.nonzeros = A.nonzeros;
  rows.summary = A.summary;
  rows.row_offsets = allocate<decltype(rows.row_offsets)>(exec, "Tessera::Csr::row_offsets", A.row_offsets.extent(0));
  rows.column_indices = allocate<decltype(rows.column_indices)>(exec, "Tessera::Csr::column_indices", A.nonzeros);
  copy_offsets(exec, A.row_offsets.data(), rows.row_offsets);
  const CompactRowsPattern from = A.view();
  const auto to = rows.column_indices;
  Kokkos::parallel_for(
      "Tessera::widen_columns", IndexPolicy<ExecutionSpace>(exec, 0, A.nonzeros),
      KOKKOS_LAMBDA(std::size_t entry) { to(entry) = from.column(static_cast<Offset>(entry)); });
  return {rows, {}};
}

template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const CompactRows<typename ExecutionSpace::memory_space>& A) {
  return Impl::of_format("compact rows", Impl::compact_rows_fault(exec, A));
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                                 \
  template BuiltCompactRows<Exec::memory_space> build_compact_rows(const Exec&, const CsrPattern<Offset>&, \
                                                                   std::size_t);                           \
  template std::size_t count_wide_blocks(const Exec&, const CsrPattern<Offset>&, std::size_t);             \
  TESSERA_INSTANTIATE_FORMAT(CompactRows, Exec)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
