// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/bittcf/Spmm.hpp>
#include <tessera/format/BitTcf.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <type_traits>

#include "CudaDevice.hpp"
#include "CudaLaunches.hpp"
#include "CudaPanels.hpp"
#include "CudaPrecision.hpp"
#include "CudaSchedule.hpp"

namespace Tessera::Impl {

/// BitTCF by the kernel of Acc-SpMM (sections 3.3 to 3.5): compact values, a pipeline that reads tiles ahead, and work
/// that is balanced where windows differ by more than the paper's threshold.
template <class Scalar, class Offset>
class CudaPublishedBitTcf {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  /// The most bytes of the schedule.
  static std::size_t list_bytes(const Kokkos::Cuda& exec, const MatrixStatistics& m, double tiles) {
    const auto block_tiles = static_cast<std::size_t>(Cuda::bittcf_block_tiles(tiles, device_of(exec)));
    const std::size_t cuts = static_cast<std::size_t>(tiles) / block_tiles, items = windows_of(m, 8) + cuts;
    return items * sizeof(Cuda::CondensedItem<Offset>) + cuts * sizeof(Cuda::CondensedSum) + (items + 1) * sizeof(int);
  }

  /// \return whether it is built; not if tensor cores do not multiply this type in this precision
  ///
  /// Cost: the host makes the schedule, window by window.
  bool build(const Kokkos::Cuda& exec, const BitTcf<Offset, Memory>& A, const PlanOptions& options) {
    if (A.tiles() == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    pattern_ = A.view();
    precision_ = precision_of_words<Scalar>(options.precision);
    const auto window_offsets = host_copy(exec, A.window_offsets);
    const auto tiles = static_cast<double>(A.tiles());
    const auto made =
        Cuda::build_bittcf_schedule(window_offsets.data(), pattern_.windows(),
                                    Cuda::bittcf_block_tiles(tiles, device_of(exec)), int(sizeof(Scalar)));
    items_ = device_copy(exec, "Tessera::BitTcfSchedule::items", made.pieces.items);
    sums_ = device_copy(exec, "Tessera::BitTcfSchedule::sums", made.pieces.sums);
    block_items_ = device_copy(exec, "Tessera::BitTcfSchedule::block_items", made.block_items);
    slots_ = made.pieces.slots;
    return true;
  }

  Precision precision() const { return precision_; }
  std::string describe() const { return "a pipeline of tiles of 8 rows on tensor cores"; }

  void refill(const Kokkos::Cuda&, const Scalar*) const {}

  std::size_t bytes() const {
    return items_.extent(0) * sizeof(Cuda::CondensedItem<Offset>) + sums_.extent(0) * sizeof(Cuda::CondensedSum) +
           block_items_.extent(0) * sizeof(int);
  }

  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return panel_scratch_bytes<Scalar>(
        x_rows, columns, [&](const auto& x) { return Cuda::bittcf_workspace_bytes(pattern_, schedule(), x); });
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    if constexpr (std::is_same_v<Scalar, VectorScalar>) {
      const CudaLaunches launches("Tessera::bittcf_spmm", exec);
      for_each_panel(
          product, scratch, [](const auto& x) { return panel_columns(x, Cuda::rows_are_readable(x)); },
          [&](const auto& panel, const Scratch& aligned) {
            Cuda::bittcf_spmm(exec.cuda_stream(), pattern_, precision_, schedule(), panel, aligned);
          });
      return true;
    }
    return false;
  }

 private:
  Cuda::BitTcfSchedule<Offset> schedule() const {
    return {
        {static_cast<int>(items_.extent(0)), static_cast<int>(sums_.extent(0)), slots_, items_.data(), sums_.data()},
        static_cast<int>(block_items_.extent(0)) - 1,
        block_items_.data()};
  }

  BitTcfPattern<Offset> pattern_;
  Precision precision_ = Precision::Native;
  Kokkos::View<Cuda::CondensedItem<Offset>*, Memory> items_;
  Kokkos::View<Cuda::CondensedSum*, Memory> sums_;
  Kokkos::View<int*, Memory> block_items_;
  int slots_ = 0;
};

}  // namespace Tessera::Impl
