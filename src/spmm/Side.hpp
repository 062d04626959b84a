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
#include <tessera/reorder/ReorderingBytes.hpp>
#include <tessera/select/Choose.hpp>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "BuildReport.hpp"
#include "MemoryRoom.hpp"
#include "Products.hpp"
#include "Published.hpp"
#include "Reorder.hpp"
#include "Tune.hpp"

namespace Tessera::Impl {

/// A or its transpose in the format of the plan and the order that was found best, with its values.
template <class Scalar, class Offset, class ExecutionSpace>
struct Side : Products<Scalar, Offset, ExecutionSpace> {
  ValueMap<Offset, typename ExecutionSpace::memory_space> map;  // place in the format -> canonical entry of A
  Choice choice;
  TileMetrics tiles;

  /// What pattern, map and orders take besides the rows of A that they were made of, values left out.
  std::size_t bytes_beside(const BuiltCsr<Offset, typename ExecutionSpace::memory_space>& A) const {
    const auto* rows = std::get_if<Csr<Offset, typename ExecutionSpace::memory_space>>(&this->format);
    const bool is_shared = rows != nullptr && rows->row_offsets.data() == A.pattern.row_offsets.data();
    if (is_shared) return 0;
    return std::visit([](const auto& any) { return any.bytes(); }, this->format) + map.bytes() + this->orders.bytes();
  }

  double predicted_seconds() const {
    for (const Candidate& candidate : choice.candidates)
      if (choice.is_chosen(candidate)) return candidate.predicted_seconds;
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

/// What the choice of a format depends on. Where it takes that, and there is room to count it, also how X's rows are
/// used again.
template <class Scalar, class Offset, class ExecutionSpace, class Machine>
MatrixStatistics statistics_of(const ExecutionSpace& exec, const PlanOptions& options, const Machine& machine,
                               const Csr<Offset, typename ExecutionSpace::memory_space>& A, const MemoryRoom& room) {
  constexpr bool is_host_model = std::is_same_v<Machine, MachineModel>;
  MatrixStatistics statistics;
  statistics.rows = A.rows;
  statistics.columns = A.columns;
  statistics.nonzeros = static_cast<double>(A.nonzeros);
  statistics.matrix_bytes = statistics.vector_bytes = sizeof(Scalar);
  statistics.offset_bytes = sizeof(Offset);
  statistics.vector_columns = options.columns;
  const bool takes_windows = options.reordering != Reordering::None || !is_host_model;
  if (!takes_windows || !room.take(window_columns_bytes(exec, A.view(), A.nonzeros))) {
    statistics.bittcf_tiles = static_cast<double>(count_bittcf_tiles(exec, A.view()));
    return statistics;
  }
  count_windows(exec, A, statistics);
  if constexpr (is_host_model) {
    statistics.bmat_tiles = 0;  // no candidate
  } else {
    statistics.longest_row = static_cast<double>(most_entries(exec, A.view(), 1));
    statistics.window64_most_entries = static_cast<double>(most_entries(exec, A.view(), 64));
    if (machine.block > 0) count_blocks(exec, A, options.parameters, machine.block_density, statistics);
  }
  return statistics;
}

/// Of a format, as format_memory() wants them: staged windows are priced by the tiles of BitTCF, which were counted.
inline double known_tiles(Format format, double tiles, const MatrixStatistics& statistics) {
  return format == Format::Staged ? statistics.bittcf_tiles : tiles;
}

/// Prices the memory of all candidates, refuses those that take too much, and takes the format that is wanted, or the
/// best of the others.
///
/// \throws FormatTooLarge if all of them do, and none is named
template <class Scalar, class Offset, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
void choose_within(const ExecutionSpace& exec, const PlanOptions& options, Format wanted,
                   const FormatPrices<Scalar, Offset, Memory>& prices, Choice& choice) {
  using Kernels = DeviceKernels<Scalar, Offset, ExecutionSpace>;
  for (Candidate& candidate : choice.candidates) {
    const auto memory =
        format_memory(exec, candidate.format, prices.rows.pattern, options.parameters, sizeof(Scalar), candidate.tiles);
    prices.price(candidate, memory, Kernels::memory(exec, options.kernel, candidate, choice.statistics));
  }
  if (!refuse_beyond(choice, static_cast<double>(prices.room.limit)) && wanted == Format::Automatic) {
    const auto takes_less = [](const Candidate& a, const Candidate& b) { return a.peak_bytes < b.peak_bytes; };
    const auto least = std::min_element(choice.candidates.begin(), choice.candidates.end(), takes_less);
    prices.room.refuse("a plan with the smallest format, " + std::string(to_string(least->format)) + ",",
                       static_cast<std::size_t>(least->peak_bytes), "a larger limit");
  }
  if (wanted == Format::Automatic) return;
  choice.format = wanted;
  choice.reason = std::string(to_string(wanted)) + " was asked for";
}

/// What lists of kernels take.
template <class Scalar, class Offset, class ExecutionSpace>
KernelMemory kernels_in_any_case(const ExecutionSpace& exec, Kernel kernel, Format format, std::size_t tiles,
                                 const MatrixStatistics& statistics) {
  const auto bytes = static_cast<double>(
      least_kernel_bytes<Scalar, Offset, ExecutionSpace>(exec, kernel, format, static_cast<double>(tiles), statistics));
  return {bytes, bytes, bytes};
}

/// Builds the format of a choice. What kernels keep besides takes the room that is left, but for the least.
///
/// \throws FormatTooLarge before anything is allocated
template <class Scalar, class Offset, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
BuiltFormat<Offset, Memory> build_within(const ExecutionSpace& exec, const Choice& choice, const PlanOptions& options,
                                         const FormatPrices<Scalar, Offset, Memory>& prices) {
  const auto& rows = prices.rows.pattern;
  const Format format = choice.format;
  if (prices.room.limit != no_memory_limit) {
    Candidate asked;
    asked.format = format;
    const auto memory = format_memory(exec, format, rows, options.parameters, sizeof(Scalar),
                                      known_tiles(format, -1, choice.statistics));
    prices.price(asked, memory,
                 kernels_in_any_case<Scalar, Offset>(exec, options.kernel, format, memory.tiles, choice.statistics));
    if (asked.peak_bytes > static_cast<double>(prices.room.limit)) {
      prices.room.refuse("a plan with the format " + std::string(to_string(format)),
                         static_cast<std::size_t>(asked.peak_bytes), "a larger limit, or another format");
    }
    prices.room.peak = std::max(prices.room.peak, static_cast<std::size_t>(asked.peak_bytes));
  }
  return build_format(exec, format, rows, options.parameters, sizeof(Scalar));
}

/// The format that the choice names, but CSR where that takes too much memory and the options allow a fall-back.
///
/// \param choice [in,out] gets the format that was built
/// \param notes  [in,out] gets a note about a fall-back
template <class Scalar, class Offset, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
BuiltFormat<Offset, Memory> build_or_fall_back(const ExecutionSpace& exec, const PlanOptions& options, Choice& choice,
                                               const FormatPrices<Scalar, Offset, Memory>& prices,
                                               std::vector<std::string>& notes) {
  try {
    return build_within(exec, choice, options, prices);
  } catch (const FormatTooLarge& refusal) {
    if (options.on_unsupported == OnUnsupported::Throw) throw;
    notes.push_back(std::string(refusal.what()) + "; csr is used");
  }
  choice.format = Format::Csr;
  choice.reason += ", but takes too much memory";
  return build_within(exec, choice, options, prices);
}

/// Prices the memory of a format that was no candidate. Its build took what was predicted, at most.
template <class Scalar, class Offset, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
void price_built(const ExecutionSpace& exec, const PlanOptions& options,
                 const FormatPrices<Scalar, Offset, Memory>& prices, const Side<Scalar, Offset, ExecutionSpace>& side,
                 Candidate& candidate) {
  // The blocks of BCSR would be counted anew.
  const auto built = [](const auto& any) { return FormatMemory{any.bytes(), any.places(), 0}; };
  prices.price(candidate,
               candidate.format == Format::Bcsr
                   ? std::visit(built, side.format)
                   : format_memory(exec, candidate.format, prices.rows.pattern, options.parameters, sizeof(Scalar),
                                   known_tiles(candidate.format, candidate.tiles, side.choice.statistics)),
               kernels_in_any_case<Scalar, Offset>(exec, options.kernel, candidate.format, side.tiles.tiles,
                                                   side.choice.statistics));
}

/// A matrix in the format that is wanted, or chosen, with its rows and columns in an order.
///
/// \param rows   [in] canonical, in that order; entry i is the entry rows.values (i) of A
/// \param room   [in] beside the rows and the orders
/// \param report [in,out] gets the times, and a note about a fall-back
template <class Scalar, class Offset, class ExecutionSpace>
Side<Scalar, Offset, ExecutionSpace> build_side(const ExecutionSpace& exec, PlanOptions options, Format wanted,
                                                const BuiltCsr<Offset, typename ExecutionSpace::memory_space>& rows,
                                                const Orders<typename ExecutionSpace::memory_space>& orders,
                                                const MemoryRoom& room, BuildReport& report) {
  Side<Scalar, Offset, ExecutionSpace> side;
  const MemoryRoom beside_rows = room.beside(bytes_of(rows) + orders.bytes());
  const FormatPrices<Scalar, Offset, typename ExecutionSpace::memory_space> prices{rows, orders, room};
  const auto machine = DeviceKernels<Scalar, Offset, ExecutionSpace>::model(exec, options);
  auto statistics = timed(exec, "Tessera::analysis", report.seconds.analysis,
                          [&] { return statistics_of<Scalar>(exec, options, machine, rows.pattern, beside_rows); });
  statistics.is_reordered = !orders.are_identity();
  options.parameters = DeviceKernels<Scalar, Offset, ExecutionSpace>::parameters(exec, options, statistics);
  side.choice = options.kernel == Kernel::Published
                    ? choose_published<Scalar>(exec, options, wanted, rows.pattern, statistics, machine)
                    : choose_format(statistics, machine);
  side.choice.device = DeviceKernels<Scalar, Offset, ExecutionSpace>::device_name(exec);
  choose_within(exec, options, wanted, prices, side.choice);
  if (wanted == Format::Automatic && options.tuning == Tuning::Measure) {
    timed(exec, "Tessera::tune", report.seconds.tuning,
          [&] { tune<Scalar>(exec, options, rows.pattern, beside_rows, side.choice); });
  }
  timed(exec, "Tessera::build_format", report.seconds.format, [&] {
    auto built = build_or_fall_back(exec, options, side.choice, prices, report.notes);
    side.format = std::move(built.pattern);
    side.orders = orders;
    side.map = compose(exec, rows.values, built.values);
    side.tiles = tile_metrics<ExecutionSpace, Offset>(exec, side.format);
  });
  auto& candidates = side.choice.candidates;
  const auto is_built = [&](const Candidate& candidate) { return candidate.format == side.choice.format; };
  if (std::none_of(candidates.begin(), candidates.end(), is_built)) {
    if (const auto* blocks = std::get_if<Bcsr<Offset, typename ExecutionSpace::memory_space>>(&side.format)) {
      statistics.bcsr_block_rows = blocks->block.height;  // which were not counted
      statistics.bcsr_block_columns = blocks->block.width;
    }
    candidates.push_back(
        predict(statistics,
                {side.choice.format, static_cast<double>(side.tiles.tiles), static_cast<double>(side.format_bytes())},
                machine));
    price_built<Scalar>(exec, options, prices, side, candidates.back());
  }
  for (const Candidate& candidate : candidates)  // that may be what is left in the end
    if (side.choice.is_chosen(candidate) && !candidate.is_refused)
      room.peak = std::max(room.peak, static_cast<std::size_t>(candidate.peak_bytes));
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
/// \param room    [in] beside A
/// \param seconds [in,out] gets the times
/// \throws FormatTooLarge whatever the options say: an order for blocks is none for compressed rows
template <class Scalar, class Offset, class ExecutionSpace>
std::optional<Side<Scalar, Offset, ExecutionSpace>> reordered_side(
    const ExecutionSpace& exec, PlanOptions options, Format wanted, Reordering reordering,
    const BuiltCsr<Offset, typename ExecutionSpace::memory_space>& A, const MemoryRoom& room, BuildSeconds& seconds) {
  Orders<typename ExecutionSpace::memory_space> orders;
  BuiltCsr<Offset, typename ExecutionSpace::memory_space> rows;
  timed(exec, "Tessera::reordering", seconds.reordering, [&] {
    orders = find_orders(exec, A.pattern, reordering, wanted, options.parameters, sizeof(Scalar));
    if (orders.are_identity()) return;
    room.take("bringing rows in the order " + std::string(to_string(reordering)),
              orders.bytes() + permute_bytes(exec, A.pattern, orders, A.values.is_identity() ? 0 : 1));
    rows = permute(exec, A.pattern, orders);
    rows.values = compose(exec, A.values, rows.values);
  });
  if (orders.are_identity()) return std::nullopt;
  options.on_unsupported = OnUnsupported::Throw;
  BuildReport report;  // whose notes are none: what does not fit is refused
  report.seconds = seconds;
  auto side = build_side<Scalar>(exec, options, wanted, rows, orders, room, report);
  seconds = report.seconds;
  side.choice.reordering = reordering;
  return side;
}

/// Allocates the values of a side whose format is decided, and builds its kernels in the room that is left.
template <class Scalar, class Offset, class ExecutionSpace>
void finish_side(const ExecutionSpace& exec, PlanOptions options, const MemoryRoom& room,
                 Side<Scalar, Offset, ExecutionSpace>& side, BuildReport& report) {
  const std::size_t places = std::visit([](const auto& any) { return any.places(); }, side.format);
  side.values = allocate<decltype(side.values)>(exec, "Tessera::values", places);
  // Copies get what the lists of kernels leave, which are made in any case.
  const std::size_t lists = least_kernel_bytes<Scalar, Offset, ExecutionSpace>(
      exec, options.kernel, side.choice.format, static_cast<double>(side.tiles.tiles), side.choice.statistics);
  options.memory_limit = room.beside(side.format_bytes() + side.map.bytes() + lists).left();
  timed(exec, "Tessera::build_kernels", report.seconds.kernels,
        [&] { build_kernels<Scalar>(exec, options, side.choice, side, report.notes); });
  const std::size_t format = side.format_bytes() + side.map.bytes(), bytes = format + side.kernels.bytes();
  room.peak = std::max(room.peak, room.taken() + format + std::max(side.kernels.bytes(), lists));
  for (Candidate& candidate : side.choice.candidates) {
    if (!side.choice.is_chosen(candidate)) continue;
    candidate.held_bytes = static_cast<double>(room.kept + bytes);
    // It is refused if it was named, and faster kernels have no room.
    const double predicted = candidate.is_refused ? 0 : candidate.peak_bytes;
    candidate.is_refused = false;
    candidate.peak_bytes = std::max(predicted, static_cast<double>(room.peak));
    room.peak = static_cast<std::size_t>(candidate.peak_bytes);
  }
}

/// A matrix in the order that is predicted to be the fastest of those that the options name, or in the best of them if
/// they insist. Its values are yet to be filled in.
///
/// \param A      [in,out] canonical; entry i is the entry A.values (i) of the plan's matrix. It is emptied as soon as
///                        nobody needs it
/// \param room   [in] beside A, which takes none in the end
/// \param report [in,out] gets the times, and a note about a fall-back
template <class Scalar, class Offset, class ExecutionSpace>
Side<Scalar, Offset, ExecutionSpace> best_side(const ExecutionSpace& exec, const PlanOptions& options, Format wanted,
                                               BuiltCsr<Offset, typename ExecutionSpace::memory_space>& A,
                                               const MemoryRoom& room, BuildReport& report) {
  auto best = build_side<Scalar>(exec, options, wanted, A, {}, room, report);
  if (wanted != Format::Automatic) wanted = best.choice.format;  // also after a fall-back
  const double natural = best.predicted_seconds();
  double least = options.always_reorder ? std::numeric_limits<double>::infinity() : worthwhile_reordering * natural;
  std::vector<ReorderingTrial> trials;
  // Columns that are sorted by length have an order of their own, and rows are wherever they fall.
  const auto reorderings =
      wanted == Format::SortedColumns ? std::vector<Reordering>() : reorderings_to_try(options, wanted);
  for (const Reordering reordering : reorderings) {
    const MemoryRoom beside = room.beside(bytes_of(A) + best.bytes_beside(A));
    const std::size_t bytes = reordering_bytes(exec, A.pattern.view(), A.pattern.nonzeros, reordering);
    ReorderingTrial trial{reordering, 1, static_cast<double>(beside.taken() + bytes)};
    try {
      beside.take("finding the order " + std::string(to_string(reordering)), bytes);
      if (auto side = reordered_side<Scalar>(exec, options, wanted, reordering, A, beside, report.seconds)) {
        trial.relative_seconds = natural > 0 ? side->predicted_seconds() / natural : 1;
        if (side->predicted_seconds() < least) {
          least = side->predicted_seconds();
          best = std::move(*side);
        }
      }
    } catch (const std::invalid_argument& refusal) {
      if (options.always_reorder && reorderings.size() == 1) {
        if (options.on_unsupported == OnUnsupported::Throw) throw;
        report.notes.push_back(std::string(refusal.what()) + "; rows stay in their order");
      }
      trial.relative_seconds = std::numeric_limits<double>::infinity();
    }
    trials.push_back(trial);
  }
  best.choice.reorderings = std::move(trials);
  A = {};
  finish_side(exec, options, room, best, report);
  return best;
}

/// Fills in the values of a side, from entries that `source` takes to those that its map takes to the format.
template <class Scalar, class Offset, class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
void fill(const ExecutionSpace& exec, const Side<Scalar, Offset, ExecutionSpace>& side,
          const ValueMap<Offset, Memory>& source, const Scalar* values) {
  gather_values(exec, source, side.map, values, side.values.data(), side.values.extent(0));
  side.kernels.refill(exec, side.values.data());
}

/// The most bytes that canonical_rows() allocates at once.
template <class Scalar, class Offset, class ExecutionSpace>
std::size_t canonical_rows_bytes(const ExecutionSpace& exec, const Side<Scalar, Offset, ExecutionSpace>& side,
                                 std::size_t nonzeros) {
  using Rows = Csr<Offset, typename ExecutionSpace::memory_space>;
  const auto rows = std::visit(
      [](const auto& any) {
        return Rows{any.rows, any.columns, any.nonzeros, {}, {}};
      },
      side.format);
  const auto height = static_cast<std::size_t>(rows.rows);
  const bool is_sorted = std::visit([](const auto& any) { return any.to_csr_sorts; }, side.format);
  const std::size_t places = std::visit([](const auto& any) { return any.places(); }, side.format);
  std::size_t bytes = csr_bytes<Offset>(height, nonzeros) + nonzeros * sizeof(Offset);
  if (is_sorted) bytes = std::max(bytes, sorted_csr_bytes<Offset>(exec, height, places));
  if (side.choice.format == Format::Csr) bytes = 0;
  if (side.orders.are_identity()) return bytes;
  return bytes + side.orders.bytes() + permute_bytes(exec, rows, side.orders, 1);
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
