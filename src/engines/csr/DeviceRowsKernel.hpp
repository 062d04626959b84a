// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/FormatTooLarge.hpp>
#include <tessera/PlanOptions.hpp>
#include <tessera/common/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>

#include "DeviceProduct.hpp"

namespace Tessera::Impl {

/// Counts the rows of a pattern that are longer than pieces of each length.
///
/// \param longest [in] entries of the longest row, or 0 if they were not counted
/// \param uncut   [in] entries of the longest row with which no row is cut. Waits once, unless this is known.
template <class ExecutionSpace>
LongRowCounts count_long_rows(const ExecutionSpace& exec, const Offset* row_offsets, Ordinal rows, Offset longest,
                              Ordinal uncut) {
  LongRowCounts counts;
  counts.longest = longest;
  if (longest != 0 && longest <= uncut) return counts;
  Kokkos::parallel_reduce(
      "Tessera::count_long_rows", IndexPolicy<ExecutionSpace>(exec, 0, static_cast<std::size_t>(rows)),
      KOKKOS_LAMBDA(std::size_t row, LongRowCounts & sum) { sum.add_row(row_offsets[row + 1] - row_offsets[row]); },
      counts);
  return counts;
}

/// Lists long rows and their pieces, as the schedule counts them. Does not wait.
template <class ExecutionSpace, class Memory = typename ExecutionSpace::memory_space>
Array<Ordinal*, Memory> list_long_rows(const ExecutionSpace& exec, const Offset* row_offsets, Ordinal rows,
                                       RowSchedule& schedule) {
  if (schedule.long_rows == 0) return {};
  const auto long_rows = static_cast<std::size_t>(schedule.long_rows);
  const auto memory = allocate<Array<Ordinal*, Memory>>(exec, "Tessera::RowSchedule",
                                                        2 * long_rows + 1 + static_cast<std::size_t>(schedule.pieces));
  Ordinal* const list = memory.data();
  Ordinal* const offsets = list + long_rows;
  Ordinal* const piece_rows = offsets + long_rows + 1;
  schedule.rows = list;
  schedule.piece_offsets = offsets;
  schedule.piece_rows = piece_rows;
  constexpr int piece_bits = 32;  // of a number that counts long rows, in its upper bits, and pieces
  const Ordinal length = schedule.piece_length, count = schedule.long_rows;
  Kokkos::parallel_scan(
      "Tessera::list_long_rows", IndexPolicy<ExecutionSpace>(exec, 0, static_cast<std::size_t>(rows)),
      KOKKOS_LAMBDA(std::size_t row, std::uint64_t & before, bool is_final) {
        const Ordinal pieces = pieces_of_row(row_offsets[row + 1] - row_offsets[row], length);
        if (pieces == 0) return;
        if (is_final) {
          const auto number = static_cast<Ordinal>(before >> piece_bits);
          const auto first = static_cast<Ordinal>(before & 0xffffffffu);
          list[number] = static_cast<Ordinal>(row);
          offsets[number] = first;
          if (number + 1 == count) offsets[count] = first + pieces;
          for (Ordinal i = 0; i < pieces; ++i) piece_rows[first + i] = number;
        }
        before += (std::uint64_t(1) << piece_bits) + static_cast<std::uint64_t>(pieces);
      });
  return memory;
}

/// The kernel for compressed rows on devices without Tessera's own kernels: plans that have it share rows evenly.
/// Compact rows have the same entries.
template <class Scalar, class ExecutionSpace>
class DeviceRowsKernel {
  using Memory = typename ExecutionSpace::memory_space;

 public:
  /// Builds the schedule.
  template <class Stored>
  void build(const ExecutionSpace& exec, const Stored& A, const PlanOptions& options) {
    const Ordinal columns = std::max(options.hints.num_vectors, 1);
    const Offset* const row_offsets = A.view().row_offsets;
    const Ordinal uncut = uncut_length(A.rows, static_cast<double>(A.nonzeros), columns);
    const auto counts = count_long_rows(exec, row_offsets, A.rows, A.summary.longest, uncut);
    const auto choose = [&](const LongRowCounts& cut) {
      schedule_ = choose_row_schedule(A.rows, static_cast<double>(A.nonzeros), cut, columns, sizeof(Scalar));
    };
    choose(counts);
    try {
      memory_ = list_long_rows(exec, row_offsets, A.rows, schedule_);
    } catch (const FormatTooLarge&) {
      choose({});  // rows are multiplied without pieces
    }
  }

  /// Replaces the numbers of lanes. For tests.
  void share(int parts, int column_lanes, int column_rows) {
    schedule_.parts = parts;
    schedule_.column_lanes = column_lanes;
    schedule_.column_rows = column_rows;
  }

  std::size_t bytes() const { return memory_.extent(0) * sizeof(Ordinal); }
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return rows_scratch_bytes<widest_vector_t<Scalar>>(schedule_, x_rows, columns);
  }

  template <class Pattern, class VectorScalar>
  void multiply(const ExecutionSpace& exec, const Pattern& A, std::size_t nonzeros,
                const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    DeviceProduct<ExecutionSpace, Pattern, Scalar, VectorScalar>(exec, A, nonzeros, schedule_, product, scratch).run();
  }

 private:
  RowSchedule schedule_;
  Array<Ordinal*, Memory> memory_;
};

}  // namespace Tessera::Impl
