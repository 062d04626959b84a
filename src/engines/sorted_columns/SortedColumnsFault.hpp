// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/parallel/KeyedSlots.hpp>

#include "ColumnLayers.hpp"
#include "RowSegments.hpp"
#include "Validate.hpp"
#include "sorted_columns/SortedColumns.hpp"

/// The invariants of sorted columns.
namespace Tessera::Impl {

constexpr Ordinal most_columns_of_block = 1024;  // with more, places in a set would not fit in 16 bits

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
  static constexpr const char* texts[] = {
      "column_order holds a column outside the matrix",                             // sorted_columns_outside
      "column_order holds a column twice",                                          // sorted_columns_twice
      "block_offsets does not grow by a multiple of the width",                     // sorted_columns_block_shape
      "block_positions leaves no room for the columns of a block",                  // sorted_columns_block_position
      "piece_columns holds a position beyond the first",                            // sorted_columns_piece_column
      "a column has no entry, or more than there are rows",                         // sorted_columns_length
      "column_order does not ascend by the number of entries, then by the column",  // sorted_columns_order
      "block_offsets or block_positions is not where the layers have the block",    // sorted_columns_block_layout
      "piece_offsets or piece_columns is not what the layers leave",                // sorted_columns_piece_layout
      "row_indices holds a row outside the matrix",                                 // sorted_columns_row_outside
      "row_indices does not ascend strictly along a column",                        // sorted_columns_row_order
      "position_indices is not the element's place in its set sorted by row",       // sorted_columns_position_index
      "segment_lengths is not the number of elements that follow in the row",       // sorted_columns_segment_length
  };
  return texts[fault];
}

template <class Holds>
struct FaultUnless {
  Holds holds;
  int fault;

  KOKKOS_FUNCTION int operator()(std::size_t unit) const { return holds(unit) ? int(no_fault) : fault; }
};

/// Returns first_fault() for a single check.
template <class ExecutionSpace, class Holds>
std::string first_broken(const ExecutionSpace& exec, const std::string& unit_name, std::size_t units, int fault,
                         const Holds& holds) {
  return first_fault(exec, unit_name, units, FaultUnless<Holds>{holds, fault}, describe_sorted_columns);
}

template <class ExecutionSpace>
std::string sorted_columns_size_fault(const SortedColumns<typename ExecutionSpace::memory_space>& A) {
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

/// Checks elements that are used as indices into other arrays.
template <class ExecutionSpace>
std::string sorted_columns_reference_fault(const ExecutionSpace& exec,
                                           const SortedColumns<typename ExecutionSpace::memory_space>& A) {
  const SortedColumnsPattern in = A.view();
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

/// Returns the number of entries at each position. Integers may be summed in any order.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
Array<Offset*, Memory> lengths_of_positions(const ExecutionSpace& exec, const SortedColumnsPattern& A) {
  const auto lengths =
      allocate_zeros<Array<Offset*, Memory>>(exec, "Tessera::lengths", static_cast<std::size_t>(A.positions));
  Kokkos::parallel_for(
      "Tessera::lengths_of_positions", IndexPolicy<ExecutionSpace>(exec, 0, static_cast<std::size_t>(A.units())),
      KOKKOS_LAMBDA(std::size_t unit) {
        for_each_element(A, Offset(unit), [&](Ordinal p, Offset) { Kokkos::atomic_add(&lengths(p), Offset(1)); });
      });
  return lengths;
}

/// Marks each position whose column also is at another position. Memory grows with the number of positions, not of
/// columns, because a file may claim any number of columns.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
Array<char*, Memory> repeated_columns(const ExecutionSpace& exec, const SortedColumnsPattern& A) {
  const auto positions = static_cast<std::size_t>(A.positions);
  const auto repeated = allocate_zeros<Array<char*, Memory>>(exec, "Tessera::repeated", positions);
  auto sorted = KeyedSlots<ExecutionSpace, Offset>::together(exec, positions);
  const auto keys = sorted.keys;
  const auto slots = sorted.slots;
  Kokkos::parallel_for(
      "Tessera::keys_of_positions", IndexPolicy<ExecutionSpace>(exec, 0, positions), KOKKOS_LAMBDA(std::size_t p) {
        keys(p) = static_cast<std::uint64_t>(A.column_order[p]);
        slots(p) = static_cast<Offset>(p);
      });
  sorted.sort_together(exec, 0, key_bits(A.columns));
  const auto sorted_keys = sorted.keys;
  const auto sorted_slots = sorted.slots;
  Kokkos::parallel_for(
      "Tessera::repeated_columns", IndexPolicy<ExecutionSpace>(exec, 1, std::max<std::size_t>(positions, 1)),
      KOKKOS_LAMBDA(std::size_t i) {
        if (sorted_keys(i - 1) == sorted_keys(i)) repeated(sorted_slots(i - 1)) = repeated(sorted_slots(i)) = 1;
      });
  return repeated;
}

/// Checks that the columns are sorted, and that each occurs once.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
std::string column_order_fault(const ExecutionSpace& exec, const SortedColumnsPattern& A,
                               const Array<Offset*, Memory>& lengths) {
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

/// Checks that blocks and pieces are those of the layout.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
std::string layout_fault(const ExecutionSpace& exec, const SortedColumnsPattern& A,
                         const ColumnLayout<Memory>& layout) {
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

/// Checks that rows ascend along each column, through blocks and pieces.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
std::string row_order_fault(const ExecutionSpace& exec, const SortedColumnsPattern& A,
                            const Array<Offset*, Memory>& lengths, const Array<Offset*, Memory>& starts,
                            const Array<Offset*, Memory>& sources) {
  const auto rows = allocate<Array<Ordinal*, Memory>>(exec, "Tessera::rows", sources.extent(0));
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

template <class ExecutionSpace>
std::string segments_fault(const ExecutionSpace& exec, const SortedColumns<typename ExecutionSpace::memory_space>& A) {
  const std::size_t regular = A.position_indices.extent(0);
  const auto segments =
      segments_of_sets<ExecutionSpace>(exec, A.row_indices, regular, A.rows, std::size_t(8) * A.width);
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

template <class ExecutionSpace>
std::string sorted_columns_fault(const ExecutionSpace& exec,
                                 const SortedColumns<typename ExecutionSpace::memory_space>& A) {
  auto fault = sorted_columns_size_fault<ExecutionSpace>(A);
  if (!fault.empty()) return fault;
  fault = sorted_columns_reference_fault(exec, A);
  if (!fault.empty()) return fault;
  const SortedColumnsPattern in = A.view();
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
  const auto layout = layout_of_columns<ExecutionSpace>(exec, lengths, starts, A.nonzeros, A.width, A.height);
  fault = layout_fault(exec, in, layout);
  if (!fault.empty()) return fault;
  fault = row_order_fault(exec, in, lengths, starts, layout.sources);
  if (!fault.empty()) return fault;
  return segments_fault(exec, A);
}

}  // namespace Tessera::Impl
