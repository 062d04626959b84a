// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tessera/format/SortedColumns.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <utility>

#include "ColumnLayers.hpp"
#include "SortedKeys.hpp"
#include "Validate.hpp"

namespace Tessera {

namespace Impl {

constexpr Ordinal warp_size = 32;
constexpr Ordinal most_columns_of_block = 1024;  // a set's places fit in 16 bits

/// The columns that are not empty, sorted: which, their lengths, and their first entries.
template <class Offset, class Memory>
struct ColumnsByLength {
  Kokkos::View<Ordinal*, Memory> order;
  Kokkos::View<Offset*, Memory> lengths;
  Kokkos::View<Offset*, Memory> starts;
};

/// \param columns [in] as rows: of A's transpose
template <class ExecutionSpace, class Offset, class Memory = typename ExecutionSpace::memory_space>
ColumnsByLength<Offset, Memory> columns_by_length(const ExecutionSpace& exec, const CsrPattern<Offset>& columns) {
  KeyedSlots<ExecutionSpace, Ordinal> sorted(exec, columns.rows);
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
  sorted.sort(exec, 0, key_bits(columns.columns));
  const auto by_length = sorted;
  const std::size_t empty = static_cast<std::size_t>(columns.rows) - positions;
  ColumnsByLength<Offset, Memory> out;
  out.order = allocate<decltype(out.order)>(exec, "Tessera::SortedColumns::column_order", positions);
  out.lengths = allocate<decltype(out.lengths)>(exec, "Tessera::lengths", positions);
  out.starts = allocate<decltype(out.starts)>(exec, "Tessera::starts", positions);
  Kokkos::parallel_for(
      "Tessera::columns_by_length", IndexPolicy<ExecutionSpace>(exec, 0, positions), KOKKOS_LAMBDA(std::size_t p) {
        out.order(p) = by_length.slots(empty + p);
        out.lengths(p) = static_cast<Offset>(by_length.keys(empty + p));
        out.starts(p) = columns.row_offsets[out.order(p)];
      });
  return out;
}

/// Sets of regular elements, each sorted by row.
template <class Memory>
struct Segments {
  Kokkos::View<std::uint16_t*, Memory> position_indices;
  Kokkos::View<std::int16_t*, Memory> segment_lengths;
};

template <class ExecutionSpace, class Offset, class Memory = typename ExecutionSpace::memory_space>
Segments<Memory> segments_of_sets(const ExecutionSpace& exec, const Kokkos::View<Ordinal*, Memory>& row_indices,
                                  std::size_t regular, Ordinal rows, std::size_t set_size) {
  const int row_bits = key_bits(rows);
  KeyedSlots<ExecutionSpace, Offset> elements(exec, regular);
  std::uint64_t* const keys = elements.keys.data();
  Offset* const slots = elements.slots.data();
  Kokkos::parallel_for(
      "Tessera::segments_of_sets::keys", IndexPolicy<ExecutionSpace>(exec, 0, regular), KOKKOS_LAMBDA(std::size_t i) {
        keys[i] = (std::uint64_t(i / set_size) << row_bits) + std::uint64_t(row_indices(i));
        slots[i] = static_cast<Offset>(i);
      });
  elements.sort(exec, 0, row_bits + static_cast<int>(std::bit_width(regular / set_size)));
  const auto sorted = elements;
  Segments<Memory> out;
  out.position_indices =
      allocate<decltype(out.position_indices)>(exec, "Tessera::SortedColumns::position_indices", regular);
  out.segment_lengths =
      allocate<decltype(out.segment_lengths)>(exec, "Tessera::SortedColumns::segment_lengths", regular);
  Kokkos::parallel_for(
      "Tessera::segments_of_sets", IndexPolicy<ExecutionSpace>(exec, 0, regular), KOKKOS_LAMBDA(std::size_t i) {
        out.position_indices(sorted.slots(i)) = static_cast<std::uint16_t>(i % set_size);
        const std::uint64_t key = sorted.keys(i);
        out.segment_lengths(i) = 0;
        if (i > 0 && sorted.keys(i - 1) == key) return;
        std::size_t end = i + 1;
        while (end < regular && sorted.keys(end) == key) ++end;
        out.segment_lengths(i) = end == i + 1 ? std::int16_t(-1) : static_cast<std::int16_t>(end - i - 1);
      });
  return out;
}

/// \throws std::invalid_argument at a width or a height that no format has
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

}  // namespace Impl

template <class ExecutionSpace, class Offset>
BuiltSortedColumns<Offset, typename ExecutionSpace::memory_space> build_sorted_columns(const ExecutionSpace& exec,
                                                                                       const CsrPattern<Offset>& A,
                                                                                       std::size_t nonzeros,
                                                                                       Ordinal width, Ordinal height) {
  Impl::check_block_shape(width, height);
  BuiltSortedColumns<Offset, typename ExecutionSpace::memory_space> result;
  auto& p = result.pattern;
  p.rows = A.rows;
  p.columns = A.columns;
  p.nonzeros = nonzeros;
  p.width = width == 0 ? Impl::warp_size : width;
  p.height = height == 0 ? Impl::warp_size : height;
  auto turned = transpose(exec, A, nonzeros);
  auto columns = Impl::columns_by_length(exec, turned.pattern.view());
  const auto layout = Impl::layout_of_columns<ExecutionSpace, Offset>(exec, columns.lengths, columns.starts, nonzeros,
                                                                      p.width, p.height);
  p.column_order = columns.order;
  p.block_offsets = layout.block_offsets;
  p.block_positions = layout.block_positions;
  p.piece_offsets = layout.piece_offsets;
  p.piece_columns = layout.piece_columns;
  p.row_indices = Impl::allocate<decltype(p.row_indices)>(exec, "Tessera::SortedColumns::row_indices", nonzeros);
  const auto row_indices = p.row_indices;
  const Ordinal* rows_of_columns = turned.pattern.column_indices.data();
  const Offset* entries = turned.values.slots.data();
  const auto sources = layout.sources;  // becomes the map: from the order of the columns to that of the rows
  Kokkos::parallel_for(
      "Tessera::build_sorted_columns", Impl::IndexPolicy<ExecutionSpace>(exec, 0, nonzeros),
      KOKKOS_LAMBDA(std::size_t place) {
        const Offset source = sources(place);
        row_indices(place) = rows_of_columns[source];
        sources(place) = entries[source];
      });
  turned = {};  // its memory, before more is sorted
  columns = {};
  result.values.slots = sources;
  const auto segments = Impl::segments_of_sets<ExecutionSpace, Offset>(exec, row_indices, layout.regular, A.rows,
                                                                       std::size_t(8) * p.width);
  p.position_indices = segments.position_indices;
  p.segment_lengths = segments.segment_lengths;
  return result;
}

template <class ExecutionSpace, class Offset>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const SortedColumns<Offset, typename ExecutionSpace::memory_space>& A) {
  const int column_bits = Impl::key_bits(A.columns);
  Impl::KeyedSlots<ExecutionSpace, Offset> entries(exec, A.nonzeros);
  std::uint64_t* const keys = entries.keys.data();
  Offset* const slots = entries.slots.data();
  const SortedColumnsPattern<Offset> in = A.view();
  Kokkos::parallel_for(
      "Tessera::to_csr", Impl::IndexPolicy<ExecutionSpace>(exec, 0, static_cast<std::size_t>(in.units())),
      KOKKOS_LAMBDA(std::size_t unit) {
        for_each_element(in, Offset(unit), [&](Ordinal position, Offset place) {
          const auto column = static_cast<std::uint64_t>(in.column_order[position]);
          keys[place] = (static_cast<std::uint64_t>(in.row_indices[place]) << column_bits) + column;
          slots[place] = place;
        });
      });
  return Impl::csr_of_entries(exec, A.rows, A.columns, std::move(entries));
}

namespace Impl {

enum SortedColumnsFault : int {
  sorted_columns_outside,
  sorted_columns_twice,
  sorted_columns_block_shape,
  sorted_columns_block_position,
  sorted_columns_piece_column,
  sorted_columns_length,
  sorted_columns_order,
  sorted_columns_block_layout,
  sorted_columns_piece_layout,
  sorted_columns_row_outside,
  sorted_columns_row_order,
  sorted_columns_position_index,
  sorted_columns_segment_length
};

inline std::string describe_sorted_columns(int fault) {
  switch (fault) {
    case sorted_columns_outside:
      return "column_order holds a column outside the matrix";
    case sorted_columns_twice:
      return "column_order holds a column twice";
    case sorted_columns_block_shape:
      return "block_offsets does not grow by a multiple of the width";
    case sorted_columns_block_position:
      return "block_positions leaves no room for the columns of a block";
    case sorted_columns_piece_column:
      return "piece_columns holds a position beyond the first";
    case sorted_columns_length:
      return "a column has no entry, or more than there are rows";
    case sorted_columns_order:
      return "column_order does not ascend by the number of entries, then by the column";
    case sorted_columns_block_layout:
      return "block_offsets or block_positions is not where the layers have the block";
    case sorted_columns_piece_layout:
      return "piece_offsets or piece_columns is not what the layers leave";
    case sorted_columns_row_outside:
      return "row_indices holds a row outside the matrix";
    case sorted_columns_row_order:
      return "row_indices does not ascend strictly along a column";
    case sorted_columns_position_index:
      return "position_indices is not the element's place in its set sorted by row";
    case sorted_columns_segment_length:
      return "segment_lengths is not the number of elements that follow in the row";
  }
  return {};
}

template <class Holds>
struct FaultUnless {
  Holds holds;
  int fault;

  KOKKOS_FUNCTION int operator()(std::size_t unit) const { return holds(unit) ? int(no_fault) : fault; }
};

/// first_fault of a single check.
template <class ExecutionSpace, class Holds>
std::string first_broken(const ExecutionSpace& exec, const std::string& unit_name, std::size_t units, int fault,
                         const Holds& holds) {
  return first_fault(exec, unit_name, units, FaultUnless<Holds>{holds, fault}, describe_sorted_columns);
}

template <class ExecutionSpace, class Offset>
std::string sorted_columns_size_fault(const SortedColumns<Offset, typename ExecutionSpace::memory_space>& A) {
  if (A.width < 1 || A.width > most_columns_of_block) return "width is not from 1 to 1024";
  if (A.height < 1) return "height is less than 1";
  if (A.column_order.extent(0) > static_cast<std::size_t>(A.columns))
    return "column_order has more elements than columns";
  if (A.block_offsets.extent(0) != A.tiles() + 1) return "block_offsets does not have blocks + 1 elements";
  if (A.piece_offsets.extent(0) != A.pieces() + 1) return "piece_offsets does not have pieces + 1 elements";
  if (A.row_indices.extent(0) != A.nonzeros) return "row_indices does not have an element a nonzero";
  const std::size_t regular = A.position_indices.extent(0);
  if (A.segment_lengths.extent(0) != regular) return "segment_lengths does not have an element a regular element";
  if (A.tiles() == 0 && regular > 0) return "there are regular elements and no blocks";
  if (A.pieces() == 0 && A.nonzeros != regular) return "there are irregular elements and no pieces";
  return {};
}

/// What must hold before any array may be followed into another.
template <class ExecutionSpace, class Offset>
std::string sorted_columns_reference_fault(const ExecutionSpace& exec,
                                           const SortedColumns<Offset, typename ExecutionSpace::memory_space>& A) {
  const SortedColumnsPattern<Offset> in = A.view();
  const std::size_t regular = A.position_indices.extent(0);
  auto fault = first_broken(
      exec, "position", A.column_order.extent(0), sorted_columns_outside,
      KOKKOS_LAMBDA(std::size_t p) { return in.column_order[p] >= 0 && in.column_order[p] < in.columns; });
  if (!fault.empty()) return fault;
  fault = offsets_fault(exec, "block", in.block_offsets, A.tiles(), regular, "block_offsets", "regular elements");
  if (!fault.empty()) return fault;
  fault = offsets_fault(exec, "piece", in.piece_offsets, A.pieces(), A.nonzeros, "piece_offsets", "nonzeros", regular);
  if (!fault.empty()) return fault;
  fault = first_fault(
      exec, "block", A.tiles(),
      KOKKOS_LAMBDA(std::size_t block) {
        FirstFault found;
        const Ordinal position = in.block_positions[block];
        const Offset elements = in.block_offsets[block + 1] - in.block_offsets[block];
        found.check(elements % Offset(in.width) == Offset(0), sorted_columns_block_shape);
        found.check(position >= 0 && position <= in.positions - in.width, sorted_columns_block_position);
        return found.fault;
      },
      describe_sorted_columns);
  if (!fault.empty()) return fault;
  fault = first_broken(
      exec, "piece", A.pieces(), sorted_columns_piece_column, KOKKOS_LAMBDA(std::size_t piece) {
        return (in.piece_columns[piece] & ~in.split_bit) < std::uint32_t(in.positions);
      });
  if (!fault.empty()) return fault;
  return first_broken(
      exec, "element", A.nonzeros, sorted_columns_row_outside,
      KOKKOS_LAMBDA(std::size_t place) { return in.row_indices[place] >= 0 && in.row_indices[place] < in.rows; });
}

/// The number of entries at each position. Sums of integers are the same in any order.
template <class ExecutionSpace, class Offset, class Memory = typename ExecutionSpace::memory_space>
Kokkos::View<Offset*, Memory> lengths_of_positions(const ExecutionSpace& exec, const SortedColumnsPattern<Offset>& A) {
  const Kokkos::View<Offset*, Memory> lengths(Kokkos::view_alloc(exec, "Tessera::lengths"), A.positions);
  Kokkos::parallel_for(
      "Tessera::lengths_of_positions", IndexPolicy<ExecutionSpace>(exec, 0, static_cast<std::size_t>(A.units())),
      KOKKOS_LAMBDA(std::size_t unit) {
        for_each_element(A, Offset(unit), [&](Ordinal p, Offset) { Kokkos::atomic_add(&lengths(p), Offset(1)); });
      });
  return lengths;
}

/// 1 for each position whose column is at another one too. Takes memory for the positions, not for the columns, of
/// which a file may claim any number.
template <class ExecutionSpace, class Offset, class Memory = typename ExecutionSpace::memory_space>
Kokkos::View<char*, Memory> repeated_columns(const ExecutionSpace& exec, const SortedColumnsPattern<Offset>& A) {
  const auto positions = static_cast<std::size_t>(A.positions);
  const Kokkos::View<char*, Memory> repeated(Kokkos::view_alloc(exec, "Tessera::repeated"), positions);
  KeyedSlots<ExecutionSpace, Offset> sorted(exec, positions);
  const auto keys = sorted.keys;
  const auto slots = sorted.slots;
  Kokkos::parallel_for(
      "Tessera::keys_of_positions", IndexPolicy<ExecutionSpace>(exec, 0, positions), KOKKOS_LAMBDA(std::size_t p) {
        keys(p) = static_cast<std::uint64_t>(A.column_order[p]);
        slots(p) = static_cast<Offset>(p);
      });
  sorted.sort(exec, 0, key_bits(A.columns));
  const auto sorted_keys = sorted.keys;
  const auto sorted_slots = sorted.slots;
  Kokkos::parallel_for(
      "Tessera::repeated_columns", IndexPolicy<ExecutionSpace>(exec, 1, std::max<std::size_t>(positions, 1)),
      KOKKOS_LAMBDA(std::size_t i) {
        if (sorted_keys(i - 1) == sorted_keys(i)) repeated(sorted_slots(i - 1)) = repeated(sorted_slots(i)) = 1;
      });
  return repeated;
}

/// Whether the columns are sorted, each there once.
template <class ExecutionSpace, class Offset, class Memory = typename ExecutionSpace::memory_space>
std::string column_order_fault(const ExecutionSpace& exec, const SortedColumnsPattern<Offset>& A,
                               const Kokkos::View<Offset*, Memory>& lengths) {
  const auto repeated = repeated_columns(exec, A);
  const auto positions = static_cast<std::size_t>(A.positions);
  return first_fault(
      exec, "position", positions,
      KOKKOS_LAMBDA(std::size_t p) {
        FirstFault found;
        const Ordinal column = A.column_order[p];
        found.check(repeated(p) == 0, sorted_columns_twice);
        found.check(lengths(p) > Offset(0) && std::size_t(lengths(p)) <= std::size_t(A.rows), sorted_columns_length);
        const bool longer = p == 0 || lengths(p) > lengths(p - 1);
        found.check(longer || (lengths(p) == lengths(p - 1) && column > A.column_order[p - 1]), sorted_columns_order);
        return found.fault;
      },
      describe_sorted_columns);
}

/// Whether blocks and pieces are those of the layout.
template <class ExecutionSpace, class Offset, class Memory = typename ExecutionSpace::memory_space>
std::string layout_fault(const ExecutionSpace& exec, const SortedColumnsPattern<Offset>& A,
                         const ColumnLayout<Offset, Memory>& layout) {
  const std::size_t blocks = layout.block_positions.extent(0), pieces = layout.piece_columns.extent(0);
  if (std::size_t(A.blocks) != blocks) return "the layers have " + std::to_string(blocks) + " blocks";
  if (std::size_t(A.pieces) != pieces) return "the layers leave " + std::to_string(pieces) + " pieces";
  const auto fault = first_broken(
      exec, "block", blocks + 1, sorted_columns_block_layout, KOKKOS_LAMBDA(std::size_t block) {
        return A.block_offsets[block] == layout.block_offsets(block) &&
               (block == blocks || A.block_positions[block] == layout.block_positions(block));
      });
  if (!fault.empty()) return fault;
  return first_broken(
      exec, "piece", pieces + 1, sorted_columns_piece_layout, KOKKOS_LAMBDA(std::size_t piece) {
        return A.piece_offsets[piece] == layout.piece_offsets(piece) &&
               (piece == pieces || A.piece_columns[piece] == layout.piece_columns(piece));
      });
}

/// Whether rows ascend along each column, through blocks and pieces.
template <class ExecutionSpace, class Offset, class Memory = typename ExecutionSpace::memory_space>
std::string row_order_fault(const ExecutionSpace& exec, const SortedColumnsPattern<Offset>& A,
                            const Kokkos::View<Offset*, Memory>& lengths, const Kokkos::View<Offset*, Memory>& starts,
                            const Kokkos::View<Offset*, Memory>& sources) {
  const auto rows = allocate<Kokkos::View<Ordinal*, Memory>>(exec, "Tessera::rows", sources.extent(0));
  Kokkos::parallel_for(
      "Tessera::row_order_fault", IndexPolicy<ExecutionSpace>(exec, 0, sources.extent(0)),
      KOKKOS_LAMBDA(std::size_t place) { rows(sources(place)) = A.row_indices[place]; });
  return first_broken(
      exec, "position", lengths.extent(0), sorted_columns_row_order, KOKKOS_LAMBDA(std::size_t p) {
        bool ascends = true;
        for (Offset k = starts(p) + 1; k < starts(p) + lengths(p); ++k) ascends = ascends && rows(k - 1) < rows(k);
        return ascends;
      });
}

template <class ExecutionSpace, class Offset>
std::string segments_fault(const ExecutionSpace& exec,
                           const SortedColumns<Offset, typename ExecutionSpace::memory_space>& A) {
  const std::size_t regular = A.position_indices.extent(0);
  const auto segments =
      segments_of_sets<ExecutionSpace, Offset>(exec, A.row_indices, regular, A.rows, std::size_t(8) * A.width);
  const auto position_indices = A.position_indices;
  const auto segment_lengths = A.segment_lengths;
  const auto fault = first_broken(
      exec, "element", regular, sorted_columns_position_index,
      KOKKOS_LAMBDA(std::size_t i) { return position_indices(i) == segments.position_indices(i); });
  if (!fault.empty()) return fault;
  return first_broken(
      exec, "place", regular, sorted_columns_segment_length,
      KOKKOS_LAMBDA(std::size_t i) { return segment_lengths(i) == segments.segment_lengths(i); });
}

template <class ExecutionSpace, class Offset>
std::string sorted_columns_fault(const ExecutionSpace& exec,
                                 const SortedColumns<Offset, typename ExecutionSpace::memory_space>& A) {
  auto fault = sorted_columns_size_fault<ExecutionSpace>(A);
  if (!fault.empty()) return fault;
  fault = sorted_columns_reference_fault(exec, A);
  if (!fault.empty()) return fault;
  const SortedColumnsPattern<Offset> in = A.view();
  const auto lengths = lengths_of_positions(exec, in);
  fault = column_order_fault(exec, in, lengths);
  if (!fault.empty()) return fault;
  const auto starts = allocate<decltype(lengths)>(exec, "Tessera::starts", lengths.extent(0));
  Kokkos::parallel_scan(
      "Tessera::starts", IndexPolicy<ExecutionSpace>(exec, 0, lengths.extent(0)),
      KOKKOS_LAMBDA(std::size_t p, Offset & sum, bool final) {
        if (final) starts(p) = sum;
        sum += lengths(p);
      });
  const auto layout = layout_of_columns<ExecutionSpace, Offset>(exec, lengths, starts, A.nonzeros, A.width, A.height);
  fault = layout_fault(exec, in, layout);
  if (!fault.empty()) return fault;
  fault = row_order_fault(exec, in, lengths, starts, layout.sources);
  if (!fault.empty()) return fault;
  return segments_fault(exec, A);
}

}  // namespace Impl

template <class ExecutionSpace, class Offset>
std::string validate(const ExecutionSpace& exec,
                     const SortedColumns<Offset, typename ExecutionSpace::memory_space>& A) {
  return Impl::of_format("sorted columns", Impl::sorted_columns_fault(exec, A));
}

/// Sorted are the entries by columns, columns by length, and elements of blocks by row.
template <class Offset, class MemorySpace>
template <class ExecutionSpace>
FormatMemory SortedColumns<Offset, MemorySpace>::memory(const ExecutionSpace& exec, const Csr<Offset, MemorySpace>& A,
                                                        const FormatParameters& parameters, std::size_t, double) {
  const auto rows = static_cast<std::size_t>(A.rows), columns = static_cast<std::size_t>(A.columns);
  const auto or_32 = [](int given) { return static_cast<std::size_t>(given > 0 ? given : 32); };
  const std::size_t width = or_32(parameters.sorted_columns_width), height = or_32(parameters.sorted_columns_height);
  const std::size_t nonzeros = A.nonzeros, positions = std::min(columns, nonzeros);
  const std::size_t units = 2 * (nonzeros / width + width + 1);  // blocks and pieces
  const std::size_t element_bytes = 2 * sizeof(std::uint16_t);   // of a block, besides the row
  FormatMemory memory;
  memory.pattern = units * (sizeof(Offset) + sizeof(Ordinal)) + positions * sizeof(Ordinal) +
                   nonzeros * (sizeof(Ordinal) + element_bytes);
  memory.places = nonzeros;
  const auto lengths = static_cast<std::size_t>(std::sqrt(2.0 * static_cast<double>(nonzeros))) + 1;
  const std::size_t tables = 64 * (lengths + width + rows / height + 2);
  const std::size_t turned = csr_bytes<Offset>(columns, nonzeros) + nonzeros * sizeof(Offset);
  const std::size_t by_length =
      radix_sort_bytes(exec, columns, sizeof(Ordinal)) + positions * (sizeof(Ordinal) + 2 * sizeof(Offset)) + tables;
  // Pattern and map are there only in part when the most is sorted: after the transpose, without what sorting gives.
  const std::size_t transposed = sorted_csr_bytes<Offset>(exec, columns, nonzeros);
  const std::size_t last = memory.pattern - nonzeros * element_bytes + nonzeros * sizeof(Offset) +
                           radix_sort_bytes(exec, nonzeros, sizeof(Offset));
  const std::size_t all = memory.pattern + nonzeros * sizeof(Offset);
  const std::size_t most = std::max({all, transposed, turned + by_length + all - nonzeros * element_bytes, last});
  memory.scratch = most - all;
  return memory;
}

#define TESSERA_INSTANTIATE(Exec, Offset)                                                                              \
  template BuiltSortedColumns<Offset, Exec::memory_space> build_sorted_columns(const Exec&, const CsrPattern<Offset>&, \
                                                                               std::size_t, Ordinal, Ordinal);         \
  template BuiltCsr<Offset, Exec::memory_space> to_csr(const Exec&, const SortedColumns<Offset, Exec::memory_space>&); \
  template std::string validate(const Exec&, const SortedColumns<Offset, Exec::memory_space>&);                        \
  template FormatMemory SortedColumns<Offset, Exec::memory_space>::memory(                                             \
      const Exec&, const Csr<Offset, Exec::memory_space>&, const FormatParameters&, std::size_t, double);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_OFFSET, TESSERA_INSTANTIATE)

}  // namespace Tessera
