// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tessera/PlanOptions.hpp>
#include <tessera/common/ChunkedRows.hpp>
#include <tessera/common/Complex.hpp>
#include <tessera/format/Csr.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "CudaChunkedItems.hpp"
#include "csr/chunked/Column.hpp"
#include "gpu/CudaDevice.hpp"
#include "gpu/CudaLaunches.hpp"

namespace Tessera::Impl {

/// Multiplies compressed rows by a single column, chunk after chunk in shared memory, for real numbers. The plan stores
/// the position in each row where each chunk begins.
template <class Scalar>
class CudaColumnChunks {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  /// Whether a plan with these options uses chunks. A plan that is for several columns, but not for more than plans
  /// without a number assume, may still multiply a single one.
  ///
  /// \param mean_span [in] Cuda::CsrScheduleSize::mean_span
  static bool pays(const Kokkos::Cuda& exec, const Csr<Memory>& A, Ordinal mean_span, const PlanOptions& options) {
    const ChunkedProblem problem{static_cast<double>(A.rows), static_cast<double>(A.columns),
                                 static_cast<double>(A.nonzeros), 1, sizeof(Scalar)};
    return !is_complex_v<Scalar> && options.hints.num_vectors <= most_columns && !options.half_vectors &&
           !options.same_bits_alone && column_chunks_pay(problem, mean_span, chunked_machine(exec));
  }

  /// Builds the schedule. Does not wait.
  void build(const Kokkos::Cuda& exec, const Csr<Memory>& A) {
    pattern_ = A.view();
    const ChunkedMachine machine = chunked_machine(exec);
    chunks_.entries = {A.rows,
                       A.columns,
                       Chunks::of_column(A.columns, sizeof(Scalar), machine.shared_bytes),
                       A.nonzeros,
                       machine.multiprocessors,
                       nullptr};
    items_ = chunked_items(exec, pattern_, chunks_.entries);
    chunks_.entries.items = items_.data();
    const auto count = static_cast<std::size_t>(chunks_.entries.chunks.count);
    first_blocks_ = allocate<decltype(first_blocks_)>(exec, "Tessera::ColumnChunks::first_blocks", count + 1);
    const auto counts = allocate<Array<std::uint64_t*, Memory>>(exec, "Tessera::counts", count);
    const CudaLaunches launches("Tessera::assign_chunk_blocks", exec);
    Cuda::assign_chunk_blocks(launches.stream(), chunks_, counts.data(), first_blocks_.data());
    chunks_.first_blocks = first_blocks_.data();
  }

  bool is_built() const { return chunks_.first_blocks != nullptr; }
  std::size_t bytes() const {
    return items_.extent(0) * sizeof(Cuda::ChunkedItem) + first_blocks_.extent(0) * sizeof(Ordinal);
  }
  std::size_t scratch_bytes() const { return is_built() ? Cuda::column_chunks_bytes<Scalar>(chunks_) : 0; }

  void multiply(const Kokkos::Cuda& exec, const Product<Scalar, Scalar>& product, const Scratch& scratch) const {
    if constexpr (!is_complex_v<Scalar>) {
      const CudaLaunches launches("Tessera::column_chunks_spmm", exec);
      Cuda::column_chunks_spmm(launches.stream(), pattern_, chunks_, product, scratch);
    }
  }

 private:
  static constexpr int most_columns = 32;

  CsrPattern<Offset> pattern_;
  Cuda::ColumnChunks chunks_;
  Array<Cuda::ChunkedItem*, Memory> items_;
  Array<Ordinal*, Memory> first_blocks_;
};

}  // namespace Tessera::Impl
