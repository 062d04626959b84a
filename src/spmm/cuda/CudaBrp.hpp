// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/brp/Spmm.hpp>
#include <tessera/format/BlockRowPartition.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <type_traits>

#include "CudaDevice.hpp"
#include "CudaLaunches.hpp"
#include "CudaPanels.hpp"
#include "CudaPrecision.hpp"
#include "CudaSchedule.hpp"

namespace Tessera::Impl {

/// The block-row partition on tensor cores.
template <class Scalar, class Offset>
class CudaBrp {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  /// Whether there is a kernel for f entries a local column; 0: for what the format chooses.
  static bool has(int f) { return f == 0 || f == 1 || f == 2 || f == 4; }

  /// The most bytes of the lists of windows, and pieces of them. An entry is at most an eighth of a tile's work, and
  /// what is left over of a window another tile's.
  static std::size_t list_bytes(const MatrixStatistics& m) {
    const std::size_t windows = windows_of(m, 16), work = windows + static_cast<std::size_t>(m.nonzeros) / 8;
    const std::size_t cuts = work / static_cast<std::size_t>(Cuda::condensed_piece_tiles(0));  // the shortest pieces
    return (windows + cuts) * sizeof(Cuda::BrpItem<Offset>) + cuts * sizeof(Cuda::CondensedSum);
  }

  /// \return whether it is built; not if there is no kernel for f entries a local column
  ///
  /// Cost: the host makes the schedule, window by window, from copies of the offsets and of the list of residual rows.
  bool build(const Kokkos::Cuda& exec, const BlockRowPartition<Offset, Memory>& A, const PlanOptions& options) {
    if (A.nonzeros == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    if (!has(A.f)) return false;
    pattern_ = A.view();
    precision_ = precision_of_words<Scalar>(options.precision);
    make_schedule(exec, A);
    return true;
  }

  Precision precision() const { return precision_; }
  std::string describe() const { return "groups and residual rows of windows of 16 rows on tensor cores"; }

  void refill(const Kokkos::Cuda&, const Scalar*) const {}

  std::size_t bytes() const {
    return items_.extent(0) * sizeof(Cuda::BrpItem<Offset>) + sums_.extent(0) * sizeof(Cuda::CondensedSum);
  }

  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return panel_scratch_bytes<Scalar>(
        x_rows, columns, [&](const auto& x) { return Cuda::brp_workspace_bytes(pattern_, schedule(), x); });
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    if constexpr (std::is_same_v<Scalar, VectorScalar>) {
      const CudaLaunches launches("Tessera::brp_spmm", exec);
      for_each_panel(
          product, scratch, [](const auto& x) { return panel_columns(x, Cuda::rows_are_readable(x)); },
          [&](const auto& panel, const Scratch& aligned) {
            Cuda::brp_spmm(exec.cuda_stream(), pattern_, precision_, schedule(), panel, aligned);
          });
      return true;
    }
    return false;
  }

 private:
  void make_schedule(const Kokkos::Cuda& exec, const BlockRowPartition<Offset, Memory>& A) {
    const auto window_groups = host_copy(exec, A.window_groups);
    const auto window_residuals = host_copy(exec, A.window_residuals);
    const auto residual_rows = host_copy(exec, A.residual_rows);
    const auto residual_offsets = host_copy(exec, A.residual_offsets);
    BlockRowPartitionPattern<Offset> host = A.view();
    host.window_groups = window_groups.data();
    host.window_residuals = window_residuals.data();
    host.residual_rows = residual_rows.data();
    host.residual_offsets = residual_offsets.data();
    double work = 0;
    for (Ordinal window = 0; window < host.windows(); ++window)
      work += static_cast<double>(Cuda::brp_window_work(host, window));
    const auto made = Cuda::build_brp_schedule(host, Cuda::condensed_piece_tiles(work, device_of(exec)));
    items_ = device_copy(exec, "Tessera::BrpSchedule::items", made.items);
    sums_ = device_copy(exec, "Tessera::BrpSchedule::sums", made.sums);
    slots_ = made.slots;
  }

  Cuda::BrpSchedule<Offset> schedule() const {
    return {static_cast<int>(items_.extent(0)), static_cast<int>(sums_.extent(0)), slots_, items_.data(), sums_.data()};
  }

  BlockRowPartitionPattern<Offset> pattern_;
  Precision precision_ = Precision::Native;
  Kokkos::View<Cuda::BrpItem<Offset>*, Memory> items_;
  Kokkos::View<Cuda::CondensedSum*, Memory> sums_;
  int slots_ = 0;
};

}  // namespace Tessera::Impl
