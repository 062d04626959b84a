// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "csr/cuda/Policy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include "csr/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {

namespace {

/// Returns the number of resident threads. Their groups share the rows of X that are in use.
double resident_threads(const CsrMachine& machine) {
  return double(H200::resident_threads) * machine.device.multiprocessors;
}

/// Returns the bytes of the rows of X that are read at about the same time, in slabs of this many columns.
double footprint(const CsrProblem& problem, double slab_columns, const CsrMachine& machine) {
  const double lanes = std::max(4.0, slab_columns * problem.vector_bytes / problem.access_bytes);
  const double rows_in_use = std::min(problem.columns, problem.mean_span + resident_threads(machine) / lanes);
  return rows_in_use * slab_columns * problem.vector_bytes;
}

CsrPolicy with_half_the_lanes(CsrPolicy policy) {
  policy.lanes /= 2;
  policy.vectors *= 2;
  return policy;
}

bool is_one_of(int number, std::initializer_list<int> choices) {
  return std::find(choices.begin(), choices.end(), number) != choices.end();
}

}  // namespace

bool is_valid(const CsrPolicy& policy) {
  const bool one_vector = policy.vectors == 1 && is_one_of(policy.lanes, {4, 8, 16, 32});
  const bool two_vectors = policy.vectors == 2 && is_one_of(policy.lanes, {16, 32});
  const bool four_vectors = policy.vectors == 4 && policy.lanes == 32;
  return (one_vector || two_vectors || four_vectors) && (one_vector || !policy.eager) && policy.rounds >= 1 &&
         policy.rounds <= policy.lanes && policy.threads >= 32 && policy.threads <= 512 && policy.threads % 32 == 0;
}

double predict_csr_seconds(const CsrProblem& problem, double slab_columns, const CsrMachine& machine) {
  const double width = std::min(slab_columns, problem.vector_columns);
  const double slabs = std::ceil(problem.vector_columns / width);
  const double row_bytes = problem.vector_columns * problem.vector_bytes;
  const double fetched_first = std::min(problem.nonzeros, problem.columns),
               fetched_again = problem.nonzeros - fetched_first;
  const double matrix_bytes = problem.nonzeros * (problem.matrix_bytes + 4);
  return fetched_first * row_bytes / machine.gathers.back().bytes +
         fetched_again * row_bytes / gather_rate(machine.gathers, footprint(problem, width, machine)) +
         slabs * (matrix_bytes / machine.streamed + problem.rows * machine.row_seconds);
}

CsrPolicy choose_csr_policy(const CsrProblem& problem, const CsrMachine& machine) {
  CsrPolicy policy;
  if (problem.vector_columns <= 0 || problem.rows <= 0) return policy;
  const bool by_vectors = problem.access_bytes == 16;
  const double vector_elements = problem.access_bytes / problem.vector_bytes;
  const double vectors = std::ceil(problem.vector_columns / vector_elements);
  int width = by_vectors ? 128 : 32;
  while (width > 4 && width / 2 >= vectors) width /= 2;
  // Segments of 64 bytes of a row of X are gathered at a lower rate than segments of 128 bytes or more.
  const int narrowest = std::min(width, 8);
  double least = std::numeric_limits<double>::infinity();
  int slab = width;
  for (; width >= narrowest; width /= 2) {
    if (width > 32 && std::fmod(vectors, width) != 0) continue;  // lanes without a vector make it slow
    const double seconds = predict_csr_seconds(problem, width * vector_elements, machine);
    if (seconds >= machine.worthwhile * least) continue;
    least = seconds;
    slab = width;
  }
  policy.lanes = std::min(slab, 32);
  policy.vectors = slab / policy.lanes;
  const bool rows_are_alike = problem.pieces == 0;
  if (by_vectors && slab == 32 && rows_are_alike && std::fmod(vectors, 32) == 0) policy = with_half_the_lanes(policy);
  policy.threads = std::max(128, 8 * policy.lanes);
  const double threads = (problem.rows + problem.pieces) * std::ceil(vectors / policy.vectors);
  policy.eager = policy.vectors == 1 && threads <= machine.eager_threads * machine.device.multiprocessors;
  return policy;
}

CsrPolicy choose_csr_narrow_policy(const CsrProblem& problem, const CsrMachine& machine) {
  CsrPolicy policy;
  const double length = problem.nonzeros / std::max(problem.rows, 1.0);
  policy.lanes = length < machine.short_row ? 1 : problem.vector_columns > 2 && length < machine.round_row ? 2 : 4;
  // With one or two lanes per row, a single row of some tens of entries takes longer than the rest of a small matrix.
  if (problem.pieces > 0 && problem.nonzeros < machine.small_entries) policy.lanes = 4;
  const bool differ = problem.pieces > 0 && length < machine.sorted_row && problem.rows >= machine.sorted_rows;
  policy.rounds = differ ? policy.lanes : 1;
  return policy;
}

CsrPolicy with_row_tile(CsrPolicy policy) {
  policy.threads = std::max<int>(std::bit_floor(static_cast<unsigned>(policy.threads)), 8 * policy.lanes);
  return policy;
}

Ordinal csr_panel_columns(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns) {
  constexpr std::int64_t small = 1 << 19, step = 128;
  if (schedule.pieces == 0) return columns;
  const std::int64_t most_sums = std::max(small, std::int64_t(x_rows) * columns / 8);
  const std::int64_t widest = std::max(most_sums / schedule.pieces / step, std::int64_t(1)) * step;
  return static_cast<Ordinal>(std::min<std::int64_t>(columns, widest));
}

std::size_t csr_panel_bytes(const CsrScheduleSize& schedule, Ordinal packed_rows, Ordinal columns,
                            std::size_t vector_bytes) {
  const std::size_t row_bytes = (static_cast<std::size_t>(columns) * vector_bytes + 15) / 16 * 16;
  return (static_cast<std::size_t>(schedule.pieces) + static_cast<std::size_t>(packed_rows)) * row_bytes;
}

std::size_t csr_column_bytes(const CsrScheduleSize& schedule) {
  constexpr std::size_t sums_of_tile = 2, most_bytes = 16;
  return schedule.cuts_rows() && !schedule.keeps_order ? std::size_t(schedule.tiles) * sums_of_tile * most_bytes : 0;
}

namespace {

/// Returns how many entries are read again if columns are divided into slabs of csr_narrow_columns.
double entries_again(const CsrScheduleSize& schedule, Ordinal columns) {
  return (window_count(columns, csr_narrow_columns) - 1) * static_cast<double>(schedule.nonzeros);
}

}  // namespace

bool csr_packs(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns) {
  return columns > csr_narrow_columns && static_cast<double>(schedule.nonzeros) >= 4.0 * x_rows &&
         entries_again(schedule, columns) >= schedule.packing_entries;
}

bool csr_is_narrow(const CsrScheduleSize& schedule, Ordinal columns) {
  if (columns <= csr_narrow_columns) return true;
  return columns <= 2 * csr_narrow_columns && entries_again(schedule, columns) < 0.4 * schedule.packing_entries;
}

std::size_t csr_workspace_bytes(const CsrScheduleSize& schedule, Ordinal x_rows, Ordinal columns,
                                std::size_t vector_bytes, bool adjacent_columns) {
  const Ordinal width = csr_panel_columns(schedule, x_rows, columns);
  const std::size_t sums =
      std::max(csr_panel_bytes(schedule, 0, width, vector_bytes), columns > 0 ? csr_column_bytes(schedule) : 0);
  if (adjacent_columns || !csr_packs(schedule, x_rows, columns)) return sums;
  return std::max(sums, csr_panel_bytes(schedule, x_rows, std::min(width, csr_packed_columns), vector_bytes));
}

}  // namespace Tessera::Impl::Cuda
