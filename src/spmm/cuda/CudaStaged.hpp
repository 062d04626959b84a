// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/staged/Choice.hpp>
#include <tessera/cuda/staged/Spmm.hpp>
#include <tessera/format/BitTcf.hpp>
#include <tessera/format/FormatTooLarge.hpp>
#include <tessera/format/StagedWindows.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/Choose.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <type_traits>

#include "CudaDevice.hpp"
#include "CudaLaunches.hpp"
#include "CudaPanels.hpp"
#include "CudaPrecision.hpp"
#include "CudaRoom.hpp"
#include "CudaSchedule.hpp"

namespace Tessera::Impl {

/// BitTCF once more in windows of 64 rows that stage their rows of X in shared memory: FP64, for matrices whose windows
/// share columns.
template <class Scalar, class Offset>
class CudaStaged {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  /// That there may be memory for: each is in A's rows, with its place, and in two arrays that are sorted.
  static std::size_t most_entries(const Kokkos::Cuda& exec, const PlanOptions& options) {
    constexpr std::size_t row = sizeof(Ordinal) + sizeof(Offset), sorted = sizeof(std::uint64_t) + sizeof(Offset);
    return room_for_copies(exec, options) / (row + 2 * sorted);
  }

  /// The most bytes that build() allocates at once. What is kept, the schedule included, takes less: it has values in
  /// place of A's rows and of lists of columns.
  ///
  /// \param m [in] with the columns of windows
  static std::size_t build_bytes(const Kokkos::Cuda& exec, const MatrixStatistics& m) {
    const auto rows = static_cast<Ordinal>(m.rows);
    const auto nonzeros = static_cast<std::size_t>(m.nonzeros);
    return csr_bytes<Offset>(static_cast<std::size_t>(rows), nonzeros) + nonzeros * sizeof(Offset) +
           staged_build_bytes<Kokkos::Cuda, Offset>(exec, rows, nonzeros, static_cast<std::size_t>(m.staged_columns),
                                                    static_cast<std::size_t>(m.near_columns), shape_for(exec, m),
                                                    sizeof(Scalar));
  }

  /// \return whether it is built; not without a kernel for the precision, nor if the matrix or its chunks are too large
  ///         for the kernels, or for the memory
  bool build(const Kokkos::Cuda& exec, const BitTcf<Offset, Memory>& A, const PlanOptions& options,
             const MatrixStatistics& statistics) {
    if (!std::is_same_v<Scalar, double> || !has_tensor_cores<Scalar>(options.precision)) return false;
    if (Cuda::is_half(options.precision)) return false;
    if (build_bytes(exec, statistics) > room_for_copies(exec, options)) return false;
    const StagedShape shape = shape_for(exec, statistics);
    try {
      const auto rows = to_csr<Kokkos::Cuda, Offset>(exec, A);
      auto built = build_staged(exec, rows.pattern.view(), A.nonzeros, shape, sizeof(Scalar));
      const StagedCounts& counts = built.pattern.counts;
      if (Cuda::staged_shared_bytes(counts.most_tile_bytes, counts.most_value_bytes, sizeof(Scalar)) >
          exec.cuda_device_prop().sharedMemPerBlockOptin)
        return false;
      map_ = compose(exec, rows.values, built.values);
      windows_ = std::move(built.pattern);
    } catch (const FormatTooLarge&) {
      return false;
    }
    precision_ = options.precision;
    schedule_ = CudaSchedule<int>(exec, host_copy(exec, windows_.window_offsets), shape.piece_chunks);
    values_ = allocate<decltype(values_)>(exec, "Tessera::staged_values", windows_.places());
    return true;
  }

  Precision precision() const { return precision_; }
  std::string describe() const {
    return "windows of " + std::to_string(windows_.shape.window_rows) +
           " rows, whose rows of X are staged in shared memory, on tensor cores";
  }

  void refill(const Kokkos::Cuda& exec, const Scalar* compact) const {
    gather_values(exec, ValueMap<Offset, Memory>{}, map_, compact, values_.data(), values_.extent(0));
  }

  std::size_t bytes() const {
    return windows_.bytes() + map_.bytes() + schedule_.bytes() + values_.extent(0) * sizeof(Scalar);
  }

  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return panel_scratch_bytes<double>(x_rows, columns, [&](const auto& x) {
      return Cuda::staged_workspace_bytes(windows_.view(), schedule_.view(), x);
    });
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, Product<Scalar, VectorScalar> product, const Scratch& scratch) const {
    if constexpr (std::is_same_v<Scalar, double> && std::is_same_v<VectorScalar, double>) {
      const CudaLaunches launches("Tessera::staged_spmm", exec);
      product.values = values_.data();
      for_each_panel(
          product, scratch, [](const auto& x) { return panel_columns(x, Cuda::rows_are_aligned(x)); },
          [&](const auto& panel, const Scratch& aligned) {
            Cuda::staged_spmm(exec.cuda_stream(), windows_.view(), precision_, schedule_.view(), panel, aligned);
          });
      return true;
    }
    return false;
  }

 private:
  static StagedShape shape_for(const Kokkos::Cuda& exec, const MatrixStatistics& m) {
    constexpr int bytes = sizeof(Scalar);
    return Cuda::choose_staged({m.rows, m.nonzeros, m.staged_columns, m.vector_columns, bytes, bytes}, device_of(exec));
  }

  StagedWindows<Offset, Memory> windows_;
  ValueMap<Offset, Memory> map_;  // place in the windows -> place in BitTCF
  CudaSchedule<int> schedule_;
  Precision precision_ = Precision::Native;
  Kokkos::View<Scalar*, Memory> values_;
};

}  // namespace Tessera::Impl
