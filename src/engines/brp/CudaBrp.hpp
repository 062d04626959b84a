// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "brp/Brp.hpp"
#include "brp/cuda/Spmm.hpp"
#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "gpu/CudaPrecision.hpp"
#include "gpu/DeviceSchedule.hpp"

namespace Tessera::Impl {

/// The block-row partition on tensor cores.
template <class Scalar>
class CudaBrp : public CudaKernel<CudaBrp<Scalar>, Scalar> {
  using Base = CudaKernel<CudaBrp, Scalar>;
  using Base::precision_;
  using typename Base::Memory;
  using Schedule = DeviceSchedule<Cuda::BrpItem, Memory>;

 public:
  static constexpr const char* label = "Tessera::brp_spmm";

  /// Whether a kernel exists for f entries per local column. 0 stands for the choice of the format.
  static bool has(int f) { return f == 0 || f == 1 || f == 2 || f == 4; }

  static std::string why_not_published(const PlanOptions& options) {
    const std::string fault = tensor_core_fault<Scalar>(options, Format::Brp);
    const int f = options.parameters.brp_nonzeros_per_column;
    if (!fault.empty() || has(f)) return fault;
    return "brp has " + std::to_string(f) + " nonzeros a local column; expected 1, 2 or 4";
  }

  /// \return false if no kernel exists for f entries per local column
  ///
  /// Cost: a sum over the windows and schedule_windows().
  bool build(const Kokkos::Cuda& exec, const Brp<Memory>& A, const PlanOptions& options, const KernelPolicy& policy) {
    if (A.nonzeros == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    if (!has(A.f)) return false;
    pattern_ = A.view();
    precision_ = precision_of_words<Scalar>(options.precision);
    Cuda::BrpWindowCuts cuts{pattern_};
    cuts.piece_tiles = Cuda::condensed_piece_tiles(total_tiles(exec, cuts), device_of(exec));
    int width = 0;
    policy.replace({{"piece", cuts.piece_tiles}, {"width", width}});
    schedule_ = schedule_windows(exec, cuts);
    schedule_.width = width;
    return true;
  }

  std::string describe() const { return "groups and residual rows of windows of 16 rows on tensor cores"; }
  std::size_t bytes() const { return schedule_.bytes(); }

  template <class VectorScalar>
  static Cuda::XAccess x_access() {
    return Cuda::brp_x_access;
  }
  std::size_t workspace_bytes(const Multivector<const Scalar>& x) const {
    return Cuda::brp_workspace_bytes(pattern_, schedule_.view(), x);
  }
  void launch(Cuda::Stream stream, const Product<Scalar, Scalar>& product, const Scratch& scratch) const {
    Cuda::brp_spmm(stream, pattern_, precision_, schedule_.view(), product, scratch);
  }

 private:
  BrpPattern pattern_;
  Schedule schedule_;
};

}  // namespace Tessera::Impl
