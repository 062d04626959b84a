// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "CountRows.hpp"
#include "csr/cuda/Schedule.hpp"
#include "gpu/CudaLaunches.hpp"

namespace Tessera::Impl {

/// Owns the list of rows that csr_spmm() cuts into pieces or tiles, on the device.
class CudaCsrSchedule {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  /// Builds the schedule. Does not wait, unless rows must be counted.
  ///
  /// \param A           [in] a canonical pattern; if column_indices is null, spans are those of the summary
  /// \param summary     [in] of the rows of A, if they were counted
  /// \param row_bytes   [in] bytes of a row of a typical X
  /// \param piece       [in] entries of a piece; 0: chosen here
  /// \param keeps_order [in] CsrScheduleSize::keeps_order
  void build(const Kokkos::Cuda& exec, const CsrPattern<Offset>& A, std::size_t nonzeros, const RowSummary& summary,
             std::size_t row_bytes, Ordinal piece, bool keeps_order) {
    Cuda::CsrPieceLengths lengths;
    if (piece > 0) lengths.at[0] = piece;
    std::optional<Cuda::CsrRowCounts> counted;
    const auto count = [&](Ordinal length) {
      auto counts = Cuda::CsrRowCounts::of_short_rows(summary.rows_with_entries, summary.longest, summary.spans);
      if (summary.longest == 0 || summary.longest > length) {
        if (!counted) counted = count_rows(exec, A, lengths);
        if (A.column_indices == nullptr && summary.longest > 0) counted->spans = summary.spans;
        counts = *counted;
      }
      return counts.size(lengths, length, A.rows, nonzeros);
    };
    auto size = piece > 0 ? count(piece) : Cuda::choose_csr_schedule(A.rows, nonzeros, row_bytes, count);
    size.keeps_order = keeps_order;
    memory_ = allocate<decltype(memory_)>(exec, "Tessera::CsrSchedule", size.memory_size());
    const auto counter =
        allocate<Array<unsigned long long*, Memory>>(exec, "Tessera::counter", size.long_rows > 0 ? 1 : 0);
    const CudaLaunches launches("Tessera::csr_schedule", exec);
    Cuda::fill_csr_schedule(launches.stream(), A, size, counter.data(), memory_.data());
    schedule_ = Cuda::CsrSchedule(size, memory_.data());
  }

  const Cuda::CsrSchedule& view() const { return schedule_; }
  std::size_t bytes() const { return memory_.extent(0) * sizeof(Ordinal); }

 private:
  Cuda::CsrSchedule schedule_;
  Array<Ordinal*, Memory> memory_;
};

}  // namespace Tessera::Impl
