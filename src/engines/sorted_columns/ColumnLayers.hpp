// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/parallel/Arena.hpp>
#include <type_traits>
#include <vector>

#include "sorted_columns/SortedColumnsView.hpp"

/// How columns that are sorted by length are cut into blocks and pieces (see SortedColumnsPattern). The cuts depend on
/// the lengths only.
namespace Tessera::Impl {

/// Columns of the same length, from this position to that of the next run.
struct LengthRun {
  Offset position;
  Offset length;
};
// LengthRun has no padding: a copy from a device would read it uninitialised.
static_assert(std::has_unique_object_representations_v<LengthRun>);

/// Entries [depth, depth + height) of the columns from a position on. A table of layers ends with a layer without
/// blocks. It represents the entries that are in no layer.
struct ColumnLayer {
  Ordinal position;  // the first column
  Offset depth;      // the first entry of each column
  Offset height;     // entries of each column
  Offset block;      // the first block
  Offset element;    // the first element of that block
};

/// A column of the irregular part. A table of such columns ends with an extra element, which has the totals.
struct IrregularColumn {
  Offset candidate;  // entries of the irregular columns before it, including those in blocks
  Offset element;    // its first element
  Offset piece;      // its first piece
};

/// Returns the last element of a table with `member` <= wanted. Members ascend, and the first is at most `wanted`.
template <class Table>
KOKKOS_INLINE_FUNCTION std::size_t last_not_above(const Table& table, Offset Table::value_type::*member,
                                                  Offset wanted) {
  std::size_t low = 0, high = table.extent(0);
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    if (table(middle).*member <= wanted) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Returns the runs of equal lengths. There are at most sqrt(2 nonzeros).
template <class ExecutionSpace, class Lengths>
static auto runs_of_lengths(const ExecutionSpace& exec, const Lengths& lengths) -> std::vector<LengthRun> {
  using Run = LengthRun;
  const std::size_t positions = lengths.extent(0);
  const auto is_first = KOKKOS_LAMBDA(std::size_t p) { return p == 0 || lengths(p) != lengths(p - 1); };
  std::size_t count = 0;
  Kokkos::parallel_reduce(
      "Tessera::runs_of_lengths::count", IndexPolicy<ExecutionSpace>(exec, 0, positions),
      KOKKOS_LAMBDA(std::size_t p, std::size_t & sum) { sum += is_first(p); }, count);
  exec.fence("Tessera::runs_of_lengths");
  using Runs = Array<Run*, typename ExecutionSpace::memory_space>;
  const auto runs = allocate<Runs>(exec, "Tessera::runs_of_lengths", count);
  Kokkos::parallel_scan(
      "Tessera::runs_of_lengths", IndexPolicy<ExecutionSpace>(exec, 0, positions),
      KOKKOS_LAMBDA(std::size_t p, std::size_t & sum, bool final) {
        if (!is_first(p)) return;
        if (final) runs(sum) = Run{static_cast<typename Lengths::value_type>(p), lengths(p)};
        ++sum;
      });
  return host_copy(exec, runs);
}

inline std::vector<ColumnLayer> layers_of_columns(const std::vector<LengthRun>& runs, Ordinal positions, Ordinal width,
                                                  Ordinal height) {
  std::vector<ColumnLayer> layers;
  ColumnLayer next{};
  for (const LengthRun& run : runs) {
    next.position = static_cast<Ordinal>(run.position);  // columns before it have no entries left
    const auto blocks = static_cast<Offset>((positions - next.position) / width);
    if (blocks == 0) break;
    while (next.depth < run.length) {
      next.height = std::min(static_cast<Offset>(height), run.length - next.depth);
      layers.push_back(next);
      next.depth += next.height;
      next.block += blocks;
      next.element += blocks * static_cast<Offset>(width) * next.height;
    }
  }
  next.height = 0;
  layers.push_back(next);
  return layers;
}

/// Returns the columns with irregular entries, from right to left.
///
/// \param right_most [in] lengths of the last width - 1 columns, or of all if there are fewer
inline std::vector<IrregularColumn> irregular_columns(const std::vector<ColumnLayer>& layers,
                                                      const std::vector<Offset>& right_most, Ordinal positions,
                                                      Ordinal width) {
  // left[c]: number of entries of column c from the right (counted from 1) that are in no layer.
  std::vector<Offset> left(static_cast<std::size_t>(width) + 1, 0);
  for (const auto& layer : layers) left[static_cast<std::size_t>((positions - layer.position) % width)] += layer.height;
  for (std::size_t c = left.size() - 1; c-- > 0;) left[c] += left[c + 1];
  std::vector<IrregularColumn> columns;
  const ColumnLayer& rest = layers.back();
  IrregularColumn next{0, rest.element, 0};
  for (std::size_t c = 1; c <= right_most.size(); ++c) {
    const Offset length = right_most[right_most.size() - c];
    const Offset entries = left[c] + (length > rest.depth ? length - rest.depth : 0);
    if (entries == 0) break;
    columns.push_back(next);
    next.candidate += length;
    next.element += entries;
    next.piece += (entries + static_cast<Offset>(width) - 1) / static_cast<Offset>(width);
  }
  columns.push_back(next);
  return columns;
}

/// Blocks and pieces, and for each element its source among the entries of the sorted columns.
template <class MemorySpace>
struct ColumnLayout {
  Array<Offset*, MemorySpace> block_offsets;
  Array<Ordinal*, MemorySpace> block_positions;
  Array<Offset*, MemorySpace> piece_offsets;
  Array<std::uint32_t*, MemorySpace> piece_columns;
  Array<Offset*, MemorySpace> sources;
  std::size_t regular = 0;
};

/// Fills the blocks and the sources of their elements. Each thread fills a column of a block.
template <class ExecutionSpace, class Memory, class Layers>
static void lay_out_blocks(const ExecutionSpace& exec, const Layers& layers, const Array<Offset*, Memory>& starts,
                           Ordinal width, const ColumnLayout<Memory>& out) {
  const auto w = static_cast<std::size_t>(width);
  const std::size_t blocks = out.block_positions.extent(0);
  Kokkos::parallel_for(
      "Tessera::lay_out_blocks", IndexPolicy<ExecutionSpace>(exec, 0, blocks * w + 1), KOKKOS_LAMBDA(std::size_t i) {
        const auto block = static_cast<Offset>(i / w);
        const std::size_t c = i % w;
        const auto layer = layers(last_not_above(layers, &ColumnLayer::block, block));
        const std::size_t number = std::size_t(block - layer.block);
        const std::size_t first = std::size_t(layer.element) + number * w * std::size_t(layer.height);
        const std::size_t position = std::size_t(layer.position) + number * w;
        if (c == 0) out.block_offsets(block) = Offset(first);
        if (std::size_t(block) == blocks) return;
        if (c == 0) out.block_positions(block) = static_cast<Ordinal>(position);
        for (std::size_t step = 0; step < std::size_t(layer.height); ++step) {
          out.sources(first + step * w + c) = starts(position + c) + layer.depth + Offset(step);
        }
      });
}

/// Fills the pieces.
template <class ExecutionSpace, class Memory, class Columns>
static void lay_out_pieces(const ExecutionSpace& exec, const Columns& columns, Ordinal width,
                           const ColumnLayout<Memory>& out) {
  const std::size_t pieces = out.piece_columns.extent(0);
  Kokkos::parallel_for(
      "Tessera::lay_out_pieces", IndexPolicy<ExecutionSpace>(exec, 0, pieces + 1), KOKKOS_LAMBDA(std::size_t piece) {
        const std::size_t i = last_not_above(columns, &IrregularColumn::piece, Offset(piece));
        const Offset number = Offset(piece) - columns(i).piece;
        out.piece_offsets(piece) = columns(i).element + number * Offset(width);
        if (piece == pieces) return;
        const bool is_split = columns(i + 1).piece - columns(i).piece > Offset(1);
        out.piece_columns(piece) = std::uint32_t(i) | (is_split ? SortedColumnsPattern::split_bit : 0u);
      });
}

/// Fills the sources of irregular elements: entries of the irregular columns outside all layers.
template <class ExecutionSpace, class Memory, class Layers, class Columns>
static void place_irregular_entries(const ExecutionSpace& exec, const Layers& layers, const Columns& columns,
                                    Offset candidates, const Array<Offset*, Memory>& starts, Ordinal width,
                                    const ColumnLayout<Memory>& out) {
  const auto positions = static_cast<Ordinal>(starts.extent(0));
  const std::size_t first = out.regular;
  Kokkos::parallel_scan(
      "Tessera::place_irregular_entries", IndexPolicy<ExecutionSpace>(exec, 0, std::size_t(candidates)),
      KOKKOS_LAMBDA(std::size_t candidate, std::size_t & sum, bool final) {
        const std::size_t i = last_not_above(columns, &IrregularColumn::candidate, Offset(candidate));
        const Offset depth = Offset(candidate) - columns(i).candidate;
        const auto layer = layers(last_not_above(layers, &ColumnLayer::depth, depth));
        if (std::size_t((positions - layer.position) % width) <= i) return;  // is in a block
        if (final) out.sources(first + sum) = starts(std::size_t(positions) - 1 - i) + depth;
        ++sum;
      });
}

/// \param lengths [in] lengths of the columns, ascending, none of them 0
/// \param starts  [in] first entry of each column
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
ColumnLayout<Memory> layout_of_columns(const ExecutionSpace& exec, const Array<Offset*, Memory>& lengths,
                                       const Array<Offset*, Memory>& starts, std::size_t nonzeros, Ordinal width,
                                       Ordinal height) {
  const std::size_t positions = lengths.extent(0);
  const auto layers = layers_of_columns(runs_of_lengths(exec, lengths), static_cast<Ordinal>(positions), width, height);
  const std::size_t right = std::min(positions, static_cast<std::size_t>(width) - 1);
  const auto right_most = host_copy(exec, Kokkos::subview(lengths, std::pair(positions - right, positions)));
  const auto columns = irregular_columns(layers, right_most, static_cast<Ordinal>(positions), width);
  const auto blocks = static_cast<std::size_t>(layers.back().block);
  const auto pieces = static_cast<std::size_t>(columns.back().piece);
  ColumnLayout<Memory> out;
  take_at_once<Memory>(exec, "Tessera::ColumnLayout", [&](Arena<Memory>& arena) {
    arena.take(out.block_offsets, blocks + 1);
    arena.take_behind(out.piece_offsets, pieces + 1);
    arena.take_behind(out.block_positions, blocks);
    arena.take_behind(out.piece_columns, pieces);
  });
  out.sources = allocate<Array<Offset*, Memory>>(exec, "Tessera::sources", nonzeros);
  out.regular = static_cast<std::size_t>(layers.back().element);
  Array<ColumnLayer*, Memory> device_layers;
  Array<IrregularColumn*, Memory> device_columns;
  copy_at_once(exec, "Tessera::layers", TableCopy{layers, device_layers}, TableCopy{columns, device_columns});
  lay_out_blocks(exec, device_layers, starts, width, out);
  lay_out_pieces(exec, device_columns, width, out);
  place_irregular_entries(exec, device_layers, device_columns, columns.back().candidate, starts, width, out);
  return out;
}

}  // namespace Tessera::Impl
