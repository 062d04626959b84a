// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <tessera/format/AnyFormat.hpp>
#include <tessera/format/FormatTooLarge.hpp>
#include <tessera/metrics/FormatTiles.hpp>
#include <tessera/metrics/RowLengths.hpp>
#include <tessera/metrics/TileMetrics.hpp>
#include <tessera/metrics/WindowColumns.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/Choose.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "BuildReport.hpp"
#include "Products.hpp"
#include "Reorder.hpp"
#include "Tune.hpp"
#include "Wishes.hpp"

namespace Tessera::Impl {

/// A or its transpose in the format of the plan and the order that was found best, with its values.
template <class Scalar, class Offset, class ExecutionSpace>
struct Side : Products<Scalar, Offset, ExecutionSpace> {
  ValueMap<Offset, typename ExecutionSpace::memory_space> map;  // place in the format -> canonical entry of A
  Choice choice;
  TileMetrics tiles;

  double predicted_seconds() const {
    for (const Candidate& candidate : choice.candidates)
      if (choice.takes(candidate)) return candidate.predicted_seconds;
    return 0;
  }
};

/// How X's rows are used again, and what takes longest.
template <class ExecutionSpace, class Offset>
void count_windows(const ExecutionSpace& exec, const Csr<Offset, typename ExecutionSpace::memory_space>& A,
                   MatrixStatistics& statistics) {
  for (const WindowColumns& windows : window_columns(exec, A.view(), A.nonzeros)) {
    const auto columns = static_cast<double>(windows.columns), tiles = static_cast<double>(windows.tiles);
    const auto most_columns = static_cast<double>(windows.most_columns), most_tiles = std::ceil(most_columns / 8);
    if (windows.window_rows == 8) {
      statistics.near_columns = columns;
      statistics.bittcf_tiles = tiles;
      statistics.longest_window = most_tiles;
    } else if (windows.window_rows == 16) {
      statistics.bmat_tiles = tiles;
      statistics.longest_tall_window = most_tiles;
    } else if (windows.window_rows == 64) {
      statistics.staged_columns = columns;
      statistics.longest_staged_window = most_columns;
    } else if (windows.window_rows == 128) {
      statistics.window_columns = columns;
    }
  }
}

/// The blocks of BCSR, where they may be worth their zeros: where BitTCF's tiles, of which there are no more, hold
/// enough entries.
template <class ExecutionSpace, class Offset>
void count_blocks(const ExecutionSpace& exec, const Csr<Offset, typename ExecutionSpace::memory_space>& A,
                  const FormatParameters& parameters, double least_density, MatrixStatistics& statistics) {
  if (A.nonzeros == 0 || statistics.nonzeros < least_density * 64 * statistics.bittcf_tiles) return;
  const BlockShape block =
      bcsr_block_shape(exec, A.view(), parameters, static_cast<std::size_t>(statistics.matrix_bytes));
  statistics.bcsr_block_rows = block.height;
  statistics.bcsr_block_columns = block.width;
  statistics.bcsr_blocks = static_cast<double>(count_bcsr_blocks(exec, A.view(), block.height, block.width));
}

/// What the choice of a format depends on. Where it takes that, also how X's rows are used again.
template <class Scalar, class Offset, class ExecutionSpace, class Machine>
MatrixStatistics statistics_of(const ExecutionSpace& exec, const PlanOptions& options, const Machine& machine,
                               const Csr<Offset, typename ExecutionSpace::memory_space>& A) {
  constexpr bool is_host_model = std::is_same_v<Machine, MachineModel>;
  MatrixStatistics statistics;
  statistics.rows = A.rows;
  statistics.columns = A.columns;
  statistics.nonzeros = static_cast<double>(A.nonzeros);
  statistics.matrix_bytes = statistics.vector_bytes = sizeof(Scalar);
  statistics.offset_bytes = sizeof(Offset);
  statistics.vector_columns = options.columns;
  if (is_host_model && options.reordering == Reordering::None) {
    statistics.bittcf_tiles = static_cast<double>(count_bittcf_tiles(exec, A.view()));
    return statistics;
  }
  count_windows(exec, A, statistics);
  if constexpr (is_host_model) {
    statistics.bmat_tiles = 0;  // no candidate
  } else {
    statistics.longest_row = static_cast<double>(most_entries(exec, A.view(), 1));
    statistics.longest_staged_entries = static_cast<double>(most_entries(exec, A.view(), 64));
    if (machine.block > 0) count_blocks(exec, A, options.parameters, machine.block_density, statistics);
  }
  return statistics;
}

/// The format that the choice names, but CSR where that takes too much memory and the options allow a fall-back.
///
/// \param choice [in,out] gets the format that was built
/// \param notes  [in,out] gets a note about a fall-back
template <class Scalar, class Offset, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
BuiltFormat<Offset, Memory> build_or_fall_back(const ExecutionSpace& exec, const PlanOptions& options, Choice& choice,
                                               const Csr<Offset, Memory>& rows, std::vector<std::string>& notes) {
  try {
    return build_format(exec, choice.format, rows, options.parameters, sizeof(Scalar));
  } catch (const FormatTooLarge& refusal) {
    if (options.on_unsupported == OnUnsupported::Throw) throw;
    notes.push_back(std::string(refusal.what()) + "; csr is used");
  }
  choice.format = Format::Csr;
  choice.is_staged = false;
  choice.reason += ", but takes too much memory";
  return build_format(exec, Format::Csr, rows, options.parameters, sizeof(Scalar));
}

/// A matrix in the format that is wanted, or chosen, with its rows and columns in an order.
///
/// \param rows   [in] canonical, in that order; entry i is the entry rows.values (i) of A
/// \param report [in,out] gets the times, and a note about a fall-back
template <class Scalar, class Offset, class ExecutionSpace>
Side<Scalar, Offset, ExecutionSpace> build_side(const ExecutionSpace& exec, const PlanOptions& options, Format wanted,
                                                const BuiltCsr<Offset, typename ExecutionSpace::memory_space>& rows,
                                                const Orders<typename ExecutionSpace::memory_space>& orders,
                                                BuildReport& report) {
  Side<Scalar, Offset, ExecutionSpace> side;
  const auto machine = DeviceKernels<Scalar, Offset, ExecutionSpace>::model(exec, options);
  auto statistics = timed(exec, "Tessera::analysis", report.seconds.analysis,
                          [&] { return statistics_of<Scalar>(exec, options, machine, rows.pattern); });
  statistics.is_reordered = !orders.are_identity();
  side.choice = choose_format(statistics, machine);
  side.choice.device = DeviceKernels<Scalar, Offset, ExecutionSpace>::device_name(exec);
  take_fastest(side.choice, wanted, options.staged_windows);
  if (wanted == Format::Automatic && options.tuning == Tuning::Measure) {
    timed(exec, "Tessera::tune", report.seconds.tuning,
          [&] { tune<Scalar>(exec, options, rows.pattern, side.choice); });
  }
  timed(exec, "Tessera::build_format", report.seconds.format, [&] {
    auto built = build_or_fall_back<Scalar>(exec, options, side.choice, rows.pattern, report.notes);
    side.format = std::move(built.pattern);
    side.orders = orders;
    side.map = compose(exec, rows.values, built.values);
    side.tiles = tile_metrics<ExecutionSpace, Offset>(exec, side.format);
  });
  auto& candidates = side.choice.candidates;
  const auto is_built = [&](const Candidate& candidate) { return candidate.format == side.choice.format; };
  if (std::none_of(candidates.begin(), candidates.end(), is_built)) {
    candidates.push_back(
        predict(statistics,
                {side.choice.format, static_cast<double>(side.tiles.tiles), static_cast<double>(side.format_bytes())},
                machine));
  }
  return side;
}

/// The reorderings that are tried for a plan.
inline std::vector<Reordering> reorderings_to_try(const PlanOptions& options, Format format) {
  if (options.reordering == Reordering::None) return {};
  if (options.reordering != Reordering::Automatic) return {options.reordering};
  std::vector<Reordering> reorderings{Reordering::DataAffinity, Reordering::WindowGrowing};
  if (format == Format::Bcsr) reorderings.push_back(Reordering::JaccardRows);
  return reorderings;
}

/// A matrix in the order that a reordering finds; nothing if that is the one that it has.
///
/// \param seconds [in,out] gets the times
/// \throws FormatTooLarge whatever the options say: an order for blocks is none for compressed rows
template <class Scalar, class Offset, class ExecutionSpace>
std::optional<Side<Scalar, Offset, ExecutionSpace>> reordered_side(
    const ExecutionSpace& exec, PlanOptions options, Format wanted, Reordering reordering,
    const BuiltCsr<Offset, typename ExecutionSpace::memory_space>& A, BuildSeconds& seconds) {
  Orders<typename ExecutionSpace::memory_space> orders;
  BuiltCsr<Offset, typename ExecutionSpace::memory_space> rows;
  timed(exec, "Tessera::reordering", seconds.reordering, [&] {
    orders = find_orders(exec, A.pattern, reordering, wanted, options.parameters, sizeof(Scalar));
    if (orders.are_identity()) return;
    rows = permute(exec, A.pattern, orders);
    rows.values = compose(exec, A.values, rows.values);
  });
  if (orders.are_identity()) return std::nullopt;
  options.on_unsupported = OnUnsupported::Throw;
  BuildReport report;  // whose notes are none: what does not fit is refused
  report.seconds = seconds;
  auto side = build_side<Scalar>(exec, options, wanted, rows, orders, report);
  seconds = report.seconds;
  side.choice.reordering = reordering;
  return side;
}

/// A matrix in the order that is predicted to be the fastest of those that the options name, or in the best of them if
/// they insist. Its values are yet to be filled in.
///
/// \param A      [in] canonical; entry i is the entry A.values (i) of the plan's matrix
/// \param report [in,out] gets the times, and a note about a fall-back
template <class Scalar, class Offset, class ExecutionSpace>
Side<Scalar, Offset, ExecutionSpace> best_side(const ExecutionSpace& exec, const PlanOptions& options, Format wanted,
                                               const BuiltCsr<Offset, typename ExecutionSpace::memory_space>& A,
                                               BuildReport& report) {
  auto best = build_side<Scalar>(exec, options, wanted, A, {}, report);
  if (wanted != Format::Automatic) wanted = best.choice.format;  // also after a fall-back
  const double natural = best.predicted_seconds();
  double least = options.always_reorder ? std::numeric_limits<double>::infinity() : worthwhile_reordering * natural;
  std::vector<ReorderingTrial> trials;
  // Columns that are sorted by length have an order of their own, and rows are wherever they fall.
  const auto reorderings =
      wanted == Format::SortedColumns ? std::vector<Reordering>() : reorderings_to_try(options, wanted);
  for (const Reordering reordering : reorderings) {
    ReorderingTrial trial{reordering, 1};
    try {
      if (auto side = reordered_side<Scalar>(exec, options, wanted, reordering, A, report.seconds)) {
        trial.relative_seconds = natural > 0 ? side->predicted_seconds() / natural : 1;
        if (side->predicted_seconds() < least) {
          least = side->predicted_seconds();
          best = std::move(*side);
        }
      }
    } catch (const std::invalid_argument&) {
      if (options.always_reorder && reorderings.size() == 1) throw;
      trial.relative_seconds = std::numeric_limits<double>::infinity();
    }
    trials.push_back(trial);
  }
  best.choice.reorderings = std::move(trials);
  const std::size_t places = std::visit([](const auto& any) { return any.places(); }, best.format);
  best.values = allocate<decltype(best.values)>(exec, "Tessera::values", places);
  timed(exec, "Tessera::build_kernels", report.seconds.kernels,
        [&] { best.kernels.build(exec, best.format, best.choice, options); });
  best.choice.is_staged = best.kernels.is_staged();
  return best;
}

/// Fills in the values of a side, from entries that `source` takes to those that its map takes to the format.
template <class Scalar, class Offset, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
void fill(const ExecutionSpace& exec, const Side<Scalar, Offset, ExecutionSpace>& side,
          const ValueMap<Offset, Memory>& source, const Scalar* values) {
  gather_values(exec, source, side.map, values, side.values.data(), side.values.extent(0));
  side.kernels.refill(exec, side.values.data());
}

/// Canonical rows in the order that the matrix has, and where their values are in the side's.
template <class Scalar, class Offset, class ExecutionSpace>
BuiltCsr<Offset, typename ExecutionSpace::memory_space> canonical_rows(
    const ExecutionSpace& exec, const Side<Scalar, Offset, ExecutionSpace>& side) {
  auto stored = to_csr<ExecutionSpace, Offset>(exec, side.format);
  if (side.orders.are_identity()) return stored;
  auto rows = permute(exec, stored.pattern, inverse(exec, side.orders));
  rows.values = compose(exec, stored.values, rows.values);
  return rows;
}

}  // namespace Tessera::Impl
