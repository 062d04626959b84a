// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sorted_columns/SortedColumns.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <utility>

#include "ColumnLayers.hpp"
#include "InstantiateFormat.hpp"
#include "SortedColumnsFault.hpp"
#include "SortedKeys.hpp"

namespace Tessera::Impl {

constexpr Ordinal warp_size = 32;

/// The nonempty columns, sorted by length.
template <class Memory>
struct ColumnsByLength {
  Array<Ordinal*, Memory> order;
  Array<Offset*, Memory> lengths;
  Array<Offset*, Memory> starts;
};

/// \param columns [in] the columns, as rows of A's transpose
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
ColumnsByLength<Memory> columns_by_length(const ExecutionSpace& exec, const CsrPattern<Offset>& columns) {
  auto sorted = KeyedSlots<ExecutionSpace, Ordinal>::together(exec, static_cast<std::size_t>(columns.rows));
  const auto keys = sorted.keys;
  const auto slots = sorted.slots;
  std::size_t positions = 0;
  Kokkos::parallel_reduce(
      "Tessera::columns_by_length::keys", IndexPolicy<ExecutionSpace>(exec, 0, columns.rows),
      KOKKOS_LAMBDA(std::size_t column, std::size_t & sum) {
        keys(column) = std::uint64_t(columns.row_offsets[column + 1] - columns.row_offsets[column]);
        slots(column) = static_cast<Ordinal>(column);
        if (keys(column) > 0) ++sum;
      },
      positions);
  exec.fence("Tessera::columns_by_length");
  sorted.sort_together(exec, 0, key_bits(columns.columns));
  const auto by_length = sorted;
  const std::size_t empty = static_cast<std::size_t>(columns.rows) - positions;
  ColumnsByLength<Memory> out;
  out.order = allocate<decltype(out.order)>(exec, "Tessera::SortedColumns::column_order", positions);
  take_at_once<Memory>(exec, "Tessera::columns_by_length", [&](Arena<Memory>& arena) {
    arena.take(out.lengths, positions);
    arena.take(out.starts, positions);
  });
  Kokkos::parallel_for(
      "Tessera::columns_by_length", IndexPolicy<ExecutionSpace>(exec, 0, positions), KOKKOS_LAMBDA(std::size_t p) {
        out.order(p) = by_length.slots(empty + p);
        out.lengths(p) = static_cast<Offset>(by_length.keys(empty + p));
        out.starts(p) = columns.row_offsets[out.order(p)];
      });
  return out;
}

/// \throws std::invalid_argument if width or height is outside its range
inline void check_block_shape(Ordinal width, Ordinal height) {
  if (width < 0 || width > most_columns_of_block) {
    throw std::invalid_argument("Tessera::build_sorted_columns: sorted_columns_width is " + std::to_string(width) +
                                "; expected 1 to " + std::to_string(most_columns_of_block) + ", or 0 for " +
                                std::to_string(warp_size));
  }
  if (height < 0) {
    throw std::invalid_argument("Tessera::build_sorted_columns: sorted_columns_height is " + std::to_string(height) +
                                "; expected at least 1, or 0 for " + std::to_string(warp_size));
  }
}

template <class ExecutionSpace>
BuiltSortedColumns<typename ExecutionSpace::memory_space> build_sorted_columns(const ExecutionSpace& exec,
                                                                               const CsrPattern<Offset>& A,
                                                                               std::size_t nonzeros, Ordinal width,
                                                                               Ordinal height) {
  Impl::check_block_shape(width, height);
  BuiltSortedColumns<typename ExecutionSpace::memory_space> result;
  auto& p = result.pattern;
  p.rows = A.rows;
  p.columns = A.columns;
  p.nonzeros = nonzeros;
  p.width = width == 0 ? Impl::warp_size : width;
  p.height = height == 0 ? Impl::warp_size : height;
  auto turned = transpose(exec, A, nonzeros);
  auto columns = Impl::columns_by_length(exec, turned.pattern.view());
  const auto layout =
      Impl::layout_of_columns<ExecutionSpace>(exec, columns.lengths, columns.starts, nonzeros, p.width, p.height);
  p.column_order = columns.order;
  p.block_offsets = layout.block_offsets;
  p.block_positions = layout.block_positions;
  p.piece_offsets = layout.piece_offsets;
  p.piece_columns = layout.piece_columns;
  p.row_indices = Impl::allocate<decltype(p.row_indices)>(exec, "Tessera::SortedColumns::row_indices", nonzeros);
  const auto row_indices = p.row_indices;
  const Ordinal* rows_of_columns = turned.pattern.column_indices.data();
  const Offset* entries = turned.values.slots.data();
  const auto sources = layout.sources;  // becomes the map, which has the index of each entry in row order
  Kokkos::parallel_for(
      "Tessera::build_sorted_columns", Impl::IndexPolicy<ExecutionSpace>(exec, 0, nonzeros),
      KOKKOS_LAMBDA(std::size_t place) {
        const Offset source = sources(place);
        row_indices(place) = rows_of_columns[source];
        sources(place) = entries[source];
      });
  turned = {};  // frees memory before the next sort
  columns = {};
  result.values.slots = sources;
  const auto segments =
      Impl::segments_of_sets<ExecutionSpace>(exec, row_indices, layout.regular, A.rows, std::size_t(8) * p.width);
  p.position_indices = segments.position_indices;
  p.segment_lengths = segments.segment_lengths;
  return result;
}

template <class ExecutionSpace>
BuiltCsr<typename ExecutionSpace::memory_space> to_csr(const ExecutionSpace& exec,
                                                       const SortedColumns<typename ExecutionSpace::memory_space>& A) {
  Impl::KeyedSlots<ExecutionSpace, Offset> entries(exec, A.nonzeros);
  const Impl::EntryKeys set_key(entries, A.columns);
  const SortedColumnsPattern in = A.view();
  Kokkos::parallel_for(
      "Tessera::to_csr", Impl::IndexPolicy<ExecutionSpace>(exec, 0, static_cast<std::size_t>(in.units())),
      KOKKOS_LAMBDA(std::size_t unit) {
        for_each_element(in, Offset(unit), [&](Ordinal position, Offset place) {
          set_key(place, in.row_indices[place], in.column_order[position]);
        });
      });
  return Impl::csr_of_entries(exec, A.rows, A.columns, std::move(entries));
}

template <class ExecutionSpace>
std::string validate(const ExecutionSpace& exec, const SortedColumns<typename ExecutionSpace::memory_space>& A) {
  return Impl::of_format("sorted columns", Impl::sorted_columns_fault(exec, A));
}

#define TESSERA_INSTANTIATE(Exec, Ignored)                                                                     \
  template BuiltSortedColumns<Exec::memory_space> build_sorted_columns(const Exec&, const CsrPattern<Offset>&, \
                                                                       std::size_t, Ordinal, Ordinal);         \
  TESSERA_INSTANTIATE_FORMAT(SortedColumns, Exec)
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_INSTANTIATE, )

}  // namespace Tessera::Impl
