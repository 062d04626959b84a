// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/staged/Choice.hpp>
#include <tessera/cuda/staged/Spmm.hpp>
#include <tessera/format/StagedWindows.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/Choose.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <type_traits>

#include "CudaDevice.hpp"
#include "CudaLaunches.hpp"
#include "CudaPanels.hpp"
#include "CudaRoom.hpp"
#include "CudaSchedule.hpp"

namespace Tessera::Impl {

/// Staged windows on tensor cores, whose rows of X are staged in shared memory: of doubles alone.
template <class Scalar, class Offset>
class CudaStaged {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  static constexpr bool is_double = std::is_same_v<Scalar, double>;

  /// That there may be memory for: each is in A's rows, with its place, and in two arrays that are sorted.
  static std::size_t most_entries(const Kokkos::Cuda& exec, const PlanOptions& options) {
    constexpr std::size_t row = sizeof(Ordinal) + sizeof(Offset), sorted = sizeof(std::uint64_t) + sizeof(Offset);
    return room_for_copies(exec, options) / (row + 2 * sorted);
  }

  /// How the kernel is fastest with a matrix.
  static StagedShape shape_for(const Kokkos::Cuda& exec, const MatrixStatistics& m) {
    constexpr int bytes = sizeof(double);
    return Cuda::choose_staged({m.rows, m.nonzeros, m.window64_columns, m.vector_columns, bytes, bytes},
                               device_of(exec));
  }

  /// The most bytes of the lists of windows and pieces of them, as if each chunk were a piece.
  static std::size_t list_bytes(const MatrixStatistics& m) {
    const double columns = m.window64_columns > 0 ? m.window64_columns : m.nonzeros;
    const std::size_t windows = windows_of(m, 64);
    const std::size_t cuts = static_cast<std::size_t>(columns / 64 + m.nonzeros / 512);
    return (windows + cuts) * sizeof(Cuda::CondensedItem<int>) + cuts * sizeof(Cuda::CondensedSum);
  }

  /// \return whether it is built; not for other scalars, nor for windows or chunks that the kernel does not take
  bool build(const Kokkos::Cuda& exec, const StagedWindows<Offset, Memory>& A, const PlanOptions&) {
    const StagedShape kernel = Cuda::choose_staged({});
    const StagedShape& shape = A.shape;
    if (!is_double || A.tiles() == 0 || shape.window_rows != kernel.window_rows ||
        shape.strip_blocks != kernel.strip_blocks || shape.chunk_slots != kernel.chunk_slots)
      return false;
    if (Cuda::staged_shared_bytes(A.counts.most_tile_bytes, A.counts.most_value_bytes, sizeof(double)) >
        exec.cuda_device_prop().sharedMemPerBlockOptin)
      return false;
    pattern_ = A.view();
    schedule_ = CudaSchedule<int>(exec, host_copy(exec, A.window_offsets), shape.piece_chunks);
    return true;
  }

  Precision precision() const { return Precision::Native; }
  std::string describe() const {
    return "windows of " + std::to_string(pattern_.window_rows) +
           " rows, whose rows of X are staged in shared memory, on tensor cores";
  }

  void refill(const Kokkos::Cuda&, const Scalar*) const {}

  std::size_t bytes() const { return schedule_.bytes(); }

  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return panel_scratch_bytes<double>(
        x_rows, columns, [&](const auto& x) { return Cuda::staged_workspace_bytes(pattern_, schedule_.view(), x); });
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    if constexpr (is_double && std::is_same_v<Scalar, VectorScalar>) {
      const CudaLaunches launches("Tessera::staged_spmm", exec);
      for_each_panel(
          product, scratch, [](const auto& x) { return panel_columns(x, Cuda::rows_are_aligned(x)); },
          [&](const auto& panel, const Scratch& aligned) {
            Cuda::staged_spmm(exec.cuda_stream(), pattern_, Precision::Native, schedule_.view(), panel, aligned);
          });
      return true;
    }
    return false;
  }

 private:
  StagedPattern pattern_;
  CudaSchedule<int> schedule_;
};

}  // namespace Tessera::Impl
