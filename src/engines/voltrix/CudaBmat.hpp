// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/spmm/PlanOptions.hpp>

#include "bmat/Bmat.hpp"
#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "gpu/CudaPrecision.hpp"
#include "gpu/DeviceSchedule.hpp"
#include "voltrix/cuda/Spmm.hpp"

namespace Tessera::Impl {

/// BMat with the kernel of Voltrix-SpMM (sections 3.1 and 3.2): compact values, a producer warp and consumer warps in
/// blocks that stay on their multiprocessors, and work that Algorithm 1 divides into parts of equal cost.
template <class Scalar, class Offset>
class CudaBmat : public CudaKernel<CudaBmat<Scalar, Offset>, Scalar> {
  using Base = CudaKernel<CudaBmat, Scalar>;
  using Base::precision_;
  using typename Base::Memory;
  using Pieces = DeviceSchedule<Cuda::BmatItem<Offset>, Memory>;

 public:
  static constexpr const char* label = "Tessera::bmat_spmm";

  static std::string published_fault(const PlanOptions& options) {
    return tensor_core_fault<Scalar>(options, Format::Bmat);
  }

  /// \return whether it is built; not if tensor cores do not multiply this type in this precision
  ///
  /// Cost: the host makes the schedule, window by window, from copies of the offsets and of the tiles' words.
  bool build(const Kokkos::Cuda& exec, const Bmat<Offset, Memory>& A, const PlanOptions& options,
             const KernelPolicy& policy) {
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
    int piece_tiles = Cuda::condensed_piece_tiles(static_cast<double>(A.tiles()), device_of(exec));
    int width = 0, partition = static_cast<int>(Cuda::BmatPartition::EqualCost);
    policy.replace({{"piece", piece_tiles}, {"partition", partition, 0, 2}, {"width", width}});
    const auto made = Cuda::build_bmat_schedule(host, piece_tiles, multiprocessors_, Cuda::BmatPartition(partition));
    pieces_ = {exec, made};
    pieces_.width = width;
    points_ = device_copy(exec, "Tessera::BmatSchedule::points", made.points);
    return true;
  }

  std::string describe() const { return "producer and consumer warps for tiles of 16 rows on tensor cores"; }
  std::size_t bytes() const { return pieces_.bytes() + points_.extent(0) * sizeof(Cuda::BmatPoint); }

  template <class VectorScalar>
  static Cuda::XAccess x_access() {
    return Cuda::bmat_x_access;
  }
  std::size_t workspace_bytes(const Multivector<const Scalar>& x) const {
    return Cuda::bmat_workspace_bytes(pattern_, schedule(), x);
  }
  void launch(Cuda::Stream stream, const Product<Scalar, Scalar>& product, const Scratch& scratch) const {
    Cuda::bmat_spmm(stream, pattern_, precision_, schedule(), product, scratch);
  }

 private:
  Cuda::BmatSchedule<Offset> schedule() const { return {pieces_.view(), multiprocessors_, points_.data()}; }

  BmatPattern<Offset> pattern_;
  Pieces pieces_;
  Array<Cuda::BmatPoint*, Memory> points_;
  int multiprocessors_ = 0;
};

}  // namespace Tessera::Impl
