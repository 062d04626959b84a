// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/Half.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/metrics/RowLengths.hpp>
#include <tessera/metrics/RowSample.hpp>
#include <tessera/metrics/WindowColumns.hpp>
#include <tessera/select/Choose.hpp>
#include <type_traits>

#include "bcsr/Bcsr.hpp"
#include "bcsr/BcsrEngine.hpp"
#include "compact_rows/CompactRows.hpp"
#include "condensed/CondensedFormat.hpp"
#include "row_groups/RowGroups.hpp"
/// Counts the statistics that the choice of a format depends on.
namespace Tessera::Impl {

/// Returns n if one in n columns is enough to estimate the distinct columns of windows: a power of two. A window of 128
/// rows with more than 8192 entries, of a matrix of more than two million, then counts about 4096.
inline unsigned counted_columns(Ordinal rows, std::size_t nonzeros) {
  const std::size_t window = rows == 0 ? 0 : nonzeros / ((static_cast<std::size_t>(rows) - 1) / 128 + 1);
  unsigned one_in = 1;
  while (nonzeros > std::size_t(1) << 21 && one_in < 16 && window / one_in > 8192) one_in *= 2;
  return one_in;
}

/// Counts the distinct columns and the tiles of windows.
///
/// \param one_in [in] one in this number of columns is counted
template <class ExecutionSpace>
void count_windows(const ExecutionSpace& exec, const Csr<typename ExecutionSpace::memory_space>& A,
                   MatrixStatistics& statistics, unsigned one_in = 1) {
  for (const WindowColumns& windows : window_columns(exec, A.view(), A.nonzeros, one_in)) {
    const auto columns = static_cast<double>(windows.columns), tiles = static_cast<double>(windows.tiles);
    const auto most_columns = static_cast<double>(windows.most_columns), most_tiles = std::ceil(most_columns / 8);
    if (windows.window_rows == 8) {
      statistics.window8_columns = columns;
      statistics.bittcf_tiles = tiles;
      statistics.window8_most_tiles = most_tiles;
    } else if (windows.window_rows == 16) {
      statistics.bmat_tiles = tiles;
      statistics.window16_most_tiles = most_tiles;
    } else if (windows.window_rows == 64) {
      statistics.window64_columns = columns;
      statistics.window64_most_columns = most_columns;
    } else if (windows.window_rows == 128) {
      statistics.window128_columns = columns;
    }
  }
}

/// Counts the blocks of BCSR if at least the share `least_density` of the places in BitTCF's tiles are entries. BCSR
/// never has fewer blocks than BitTCF has tiles. If tiles are emptier, blocks would store too many zeros.
template <class ExecutionSpace>
void count_blocks(const ExecutionSpace& exec, const Csr<typename ExecutionSpace::memory_space>& A,
                  const FormatParameters& parameters, double least_density, MatrixStatistics& statistics) {
  if (A.nonzeros == 0 || statistics.nonzeros < least_density * 64 * statistics.bittcf_tiles) return;
  const auto [shape, blocks] =
      bcsr_blocks(exec, A.view(), A.nonzeros, parameters, static_cast<std::size_t>(statistics.matrix_bytes));
  statistics.bcsr_block_rows = shape.height;
  statistics.bcsr_block_columns = shape.width;
  statistics.bcsr_blocks = static_cast<double>(blocks);
}

/// Counts the blocks of BCSR for warpgroups, unless a lower bound on their places says that they are too empty.
template <class ExecutionSpace>
void count_warpgroup_blocks(const ExecutionSpace& exec, const Csr<typename ExecutionSpace::memory_space>& A,
                            const GpuModel& gpu, MatrixStatistics& statistics) {
  const double least_places = warpgroup_block * statistics.window64_columns;
  if (gpu.warpgroup_narrow_s == 0 || statistics.nonzeros < gpu.warpgroup_density * least_places) return;
  constexpr int side = static_cast<int>(warpgroup_block);
  statistics.warpgroup_blocks = static_cast<double>(count_bcsr_blocks(exec, A.view(), A.nonzeros, side, side));
}

/// Takes the blocks for warpgroups instead of others if they are predicted to be faster.
inline void take_faster_blocks(const GpuModel& gpu, MatrixStatistics& statistics) {
  if (statistics.warpgroup_blocks == 0) return;
  MatrixStatistics large = statistics;
  large.bcsr_block_rows = large.bcsr_block_columns = warpgroup_block;
  large.bcsr_blocks = statistics.warpgroup_blocks;
  const auto seconds = [&](const MatrixStatistics& m) {
    return m.bcsr_blocks == 0 ? std::nullopt : BcsrCost::gpu_seconds(m, {Format::Bcsr, m.bcsr_blocks, 0}, gpu);
  };
  const auto [of_large, of_others] = std::pair(seconds(large), seconds(statistics));
  if (of_large && (!of_others || *of_large < *of_others)) statistics = large;
}

/// Counts row groups if rows share columns.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
void count_groups(const ExecutionSpace& exec, const Csr<Memory>& A, const FormatParameters& parameters,
                  double least_sharing, MatrixStatistics& statistics) {
  if (A.nonzeros == 0 || statistics.nonzeros < least_sharing * statistics.window8_columns) return;
  const RowGroupCounts counts = count_row_groups(exec, A.view(), A.nonzeros, parameters.group_rows);
  statistics.row_groups = static_cast<double>(counts.groups);
  statistics.group_columns = static_cast<double>(counts.columns);
  statistics.group_values = static_cast<double>(counts.values);
}

/// Calls count(). Returns whether there was enough memory.
template <class Count>
bool count_if_it_fits(const Count& count) {
  try {
    count();
    return true;
  } catch (const FormatTooLarge&) {
    return false;
  }
}

/// Returns the statistics that follow from the size of a matrix and from the options. Nothing is counted.
template <class Scalar, class Machine>
MatrixStatistics statistics_of_size(const PlanOptions& options, Ordinal rows, Ordinal columns, std::size_t nonzeros) {
  constexpr bool is_host_model = std::is_same_v<Machine, MachineModel>;
  MatrixStatistics statistics;
  statistics.rows = rows;
  statistics.columns = columns;
  statistics.nonzeros = static_cast<double>(nonzeros);
  statistics.matrix_bytes = sizeof(Scalar);
  // Hosts multiply float copies of vectors.
  statistics.vector_bytes = options.half_vectors && !is_host_model ? sizeof(Half) : sizeof(Scalar);
  statistics.offset_bytes = sizeof(Offset);
  statistics.vector_columns = options.hints.num_vectors;
  statistics.layout_left = options.hints.layout_left;
  statistics.follows_values = options.hints.follow_values;
  statistics.same_bits_alone = options.same_bits_alone;
  return statistics;
}

/// Counts what a model of type `Machine` needs to predict the times of a format, or of all. Counts windows if the
/// choice depends on them and there is enough memory.
template <class ExecutionSpace, class Machine>
void count_statistics(const ExecutionSpace& exec, const PlanOptions& options, Format wanted, const Machine& machine,
                      const Csr<typename ExecutionSpace::memory_space>& A, unsigned one_in,
                      MatrixStatistics& statistics) {
  constexpr bool is_host_model = std::is_same_v<Machine, MachineModel>;
  const bool tries_orders = options.reordering != Reordering::None && options.reordering != Reordering::Auto;
  const bool needs_windows = tries_orders || !is_host_model;
  if constexpr (!is_host_model) {
    const double row_bytes = statistics.vector_columns * statistics.vector_bytes;
    const bool may_be_compact = wanted == Format::Auto && row_bytes <= machine.compact_narrow_bytes;
    if (machine.has_compact_rows && (may_be_compact || wanted == Format::CompactRows))
      statistics.wide_blocks = static_cast<double>(count_wide_blocks(exec, A.view(), A.nonzeros));
  }
  if (!needs_windows || !count_if_it_fits([&] { count_windows(exec, A, statistics, one_in); })) {
    statistics.bittcf_tiles = static_cast<double>(count_bittcf_tiles(exec, A.view()));
    return;
  }
  if constexpr (is_host_model) {
    statistics.bmat_tiles = 0;  // BMat is not a candidate
  } else {
    const FormatParameters& parameters = options.parameters;
    const auto may_be = [&](Format format) { return wanted == Format::Auto || wanted == format; };
    if (machine.group_gathers > 0 && may_be(Format::RowGroups))
      count_if_it_fits([&] { count_groups(exec, A, parameters, machine.least_entries_per_column, statistics); });
    if (machine.block > 0 && may_be(Format::Bcsr))
      count_if_it_fits([&] {
        count_blocks(exec, A, parameters, machine.block_density, statistics);
        count_warpgroup_blocks(exec, A, machine, statistics);
      });
  }
}

/// Multiplies the counts of a sample of rows, whose sum grows with the number of entries.
inline void scale_counts(double factor, MatrixStatistics& m) {
  for (double* const count :
       {&m.bittcf_tiles, &m.bmat_tiles, &m.window8_columns, &m.window64_columns, &m.window128_columns, &m.row_groups,
        &m.group_columns, &m.group_values, &m.bcsr_blocks, &m.warpgroup_blocks, &m.wide_blocks})
    *count *= factor;
}

/// Computes the statistics that a model of type `Machine` needs. Those of a large matrix are estimated from a sample of
/// its rows, but for the longest rows.
///
/// \param wanted [in] the format whose time is to be predicted; Format::Auto: all formats
template <class Scalar, class ExecutionSpace, class Machine>
MatrixStatistics statistics_of(const ExecutionSpace& exec, const PlanOptions& options, Format wanted,
                               const Machine& machine, const Csr<typename ExecutionSpace::memory_space>& A) {
  auto statistics = statistics_of_size<Scalar, Machine>(options, A.rows, A.columns, A.nonzeros);
  const std::size_t stride = sampling_stride(A.rows, A.nonzeros);
  auto counted = A;
  if (stride > 1) count_if_it_fits([&] { counted = sample_rows(exec, A.view(), stride); });
  if (counted.nonzeros == 0) counted = A;  // the sampled rows are empty
  const double all = statistics.nonzeros, some = static_cast<double>(counted.nonzeros);
  statistics.nonzeros = some;
  count_statistics(exec, options, wanted, machine, counted, counted_columns(A.rows, A.nonzeros), statistics);
  statistics.nonzeros = all;
  if (some < all) scale_counts(all / some, statistics);
  if constexpr (!std::is_same_v<Machine, MachineModel>) {
    statistics.longest_row = static_cast<double>(most_entries(exec, A.view(), 1));
    statistics.window64_most_entries = static_cast<double>(most_entries(exec, A.view(), 64));
    if (some < all) {  // the longest row may be in no sampled window
      const double tiles = std::ceil(statistics.longest_row / 8);
      statistics.window8_most_tiles = std::max(statistics.window8_most_tiles, tiles);
      statistics.window16_most_tiles = std::max(statistics.window16_most_tiles, tiles);
      statistics.window64_most_columns = std::max(statistics.window64_most_columns, statistics.longest_row);
    }
    take_faster_blocks(machine, statistics);
  }
  return statistics;
}

}  // namespace Tessera::Impl
