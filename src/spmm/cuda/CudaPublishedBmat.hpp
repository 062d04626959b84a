// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/cuda/bmat/Spmm.hpp>
#include <tessera/format/Bmat.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <type_traits>

#include "CudaDevice.hpp"
#include "CudaLaunches.hpp"
#include "CudaPanels.hpp"
#include "CudaPrecision.hpp"
#include "CudaSchedule.hpp"

namespace Tessera::Impl {

/// BMat by the kernel of Voltrix-SpMM (sections 3.1 and 3.2): compact values, a producer warp and consumer warps in
/// blocks that stay on their multiprocessors, and work that Algorithm 1 divides into parts of equal cost.
template <class Scalar, class Offset>
class CudaPublishedBmat {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  /// The most bytes of the schedule.
  static std::size_t list_bytes(const Kokkos::Cuda& exec, const MatrixStatistics& m, double tiles) {
    const auto piece_tiles = static_cast<std::size_t>(Cuda::condensed_piece_tiles(tiles, device_of(exec)));
    const std::size_t cuts = static_cast<std::size_t>(tiles) / piece_tiles, items = windows_of(m, 16) + cuts;
    const auto parts = static_cast<std::size_t>(device_of(exec).multiprocessors) * Cuda::bmat_parts_per_multiprocessor;
    return items * sizeof(Cuda::BmatItem<Offset>) + cuts * sizeof(Cuda::CondensedSum) +
           (parts + 1) * sizeof(Cuda::BmatPoint);
  }

  /// \return whether it is built; not if tensor cores do not multiply this type in this precision
  ///
  /// Cost: the host makes the schedule, window by window, from copies of the offsets and of the tiles' words.
  bool build(const Kokkos::Cuda& exec, const Bmat<Offset, Memory>& A, const PlanOptions& options) {
    if (A.tiles() == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    pattern_ = A.view();
    precision_ = precision_of_words<Scalar>(options.precision);
    multiprocessors_ = device_of(exec).multiprocessors;
    const auto window_offsets = host_copy(exec, A.window_offsets);
    const auto value_offsets = host_copy(exec, A.value_offsets);
    const auto tile_words = host_copy(exec, A.tile_words);
    BmatPattern<Offset> host = pattern_;
    host.window_offsets = window_offsets.data();
    host.value_offsets = value_offsets.data();
    host.tile_words = tile_words.data();
    const int piece_tiles = Cuda::condensed_piece_tiles(static_cast<double>(A.tiles()), device_of(exec));
    const auto made = Cuda::build_bmat_schedule(host, piece_tiles, multiprocessors_, Cuda::BmatPartition::EqualCost);
    items_ = device_copy(exec, "Tessera::BmatSchedule::items", made.items);
    sums_ = device_copy(exec, "Tessera::BmatSchedule::sums", made.sums);
    points_ = device_copy(exec, "Tessera::BmatSchedule::points", made.points);
    slots_ = made.slots;
    return true;
  }

  Precision precision() const { return precision_; }
  std::string describe() const { return "producer and consumer warps for tiles of 16 rows on tensor cores"; }

  void refill(const Kokkos::Cuda&, const Scalar*) const {}

  std::size_t bytes() const {
    return items_.extent(0) * sizeof(Cuda::BmatItem<Offset>) + sums_.extent(0) * sizeof(Cuda::CondensedSum) +
           points_.extent(0) * sizeof(Cuda::BmatPoint);
  }

  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return whole_vector_scratch_bytes<Scalar>(
        x_rows, columns, [&](const auto& x) { return Cuda::bmat_workspace_bytes(pattern_, schedule(), x); });
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    if constexpr (std::is_same_v<Scalar, VectorScalar>) {
      const CudaLaunches launches("Tessera::bmat_spmm", exec);
      for_each_panel(
          product, scratch, [](const auto& x) { return panel_columns(x, rows_are_whole_vectors(x)); },
          [&](const auto& panel, const Scratch& aligned) {
            Cuda::bmat_spmm(exec.cuda_stream(), pattern_, precision_, schedule(), panel, aligned);
          });
      return true;
    }
    return false;
  }

 private:
  Cuda::BmatSchedule<Offset> schedule() const {
    return {static_cast<int>(items_.extent(0)),
            static_cast<int>(sums_.extent(0)),
            slots_,
            multiprocessors_,
            items_.data(),
            sums_.data(),
            points_.data()};
  }

  BmatPattern<Offset> pattern_;
  Precision precision_ = Precision::Native;
  Kokkos::View<Cuda::BmatItem<Offset>*, Memory> items_;
  Kokkos::View<Cuda::CondensedSum*, Memory> sums_;
  Kokkos::View<Cuda::BmatPoint*, Memory> points_;
  int slots_ = 0, multiprocessors_ = 0;
};

}  // namespace Tessera::Impl
