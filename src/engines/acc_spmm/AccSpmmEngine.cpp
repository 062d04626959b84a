// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StoredEngine.hpp"
#include "condensed/CondensedFormat.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include <string>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "acc_spmm/cuda/Spmm.hpp"
#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "gpu/CudaPrecision.hpp"
#include "gpu/DeviceSchedule.hpp"

namespace Tessera::Impl {

/// BitTCF with the kernel of Acc-SpMM (sections 3.3 to 3.5): compact values, a pipeline that reads tiles ahead, and
/// work that is balanced if windows differ by more than the paper's threshold.
template <class Scalar>
class CudaBitTcf : public CudaKernel<CudaBitTcf<Scalar>, Scalar> {
  using Base = CudaKernel<CudaBitTcf, Scalar>;
  using Base::precision_;
  using typename Base::Memory;
  using Pieces = DeviceSchedule<Cuda::CondensedItem, Memory>;

 public:
  static constexpr const char* label = "Tessera::bittcf_spmm";

  static std::string why_not_published(const PlanOptions& options) {
    return tensor_core_fault<Scalar>(options, Format::BitTcf);
  }

  /// \return false if tensor cores do not multiply this type in this precision
  ///
  /// Cost: the host builds the schedule window by window.
  bool build(const Kokkos::Cuda& exec, const BitTcf<Memory>& A, const PlanOptions& options,
             const KernelPolicy& policy) {
    if (A.tiles() == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    pattern_ = A.view();
    precision_ = precision_of_words<Scalar>(options.precision);
    int block_tiles = Cuda::bittcf_block_tiles(static_cast<double>(A.tiles()), device_of(exec));
    int width = 0, balance = static_cast<int>(Cuda::BitTcfBalance::Adaptive);
    policy.replace({{"piece", block_tiles}, {"balance", balance, 0, 2}, {"width", width}});
    const auto made = Cuda::build_bittcf_schedule(host_copy(exec, A.window_offsets).data(), pattern_.windows(),
                                                  block_tiles, int(sizeof(Scalar)), Cuda::BitTcfBalance(balance));
    pieces_ = {exec, made.pieces};
    pieces_.width = width;
    block_items_ = device_copy(exec, "Tessera::BitTcfSchedule::block_items", made.block_items);
    return true;
  }

  std::string describe() const { return "a pipeline of tiles of 8 rows on tensor cores"; }
  std::size_t bytes() const { return pieces_.bytes() + block_items_.extent(0) * sizeof(int); }

  template <class VectorScalar>
  static Cuda::XAccess x_access() {
    return Cuda::bittcf_x_access;
  }
  std::size_t workspace_bytes(const Multivector<const Scalar>& x) const {
    return Cuda::bittcf_workspace_bytes(pattern_, schedule(), x);
  }
  void launch(Cuda::Stream stream, const Product<Scalar, Scalar>& product, const Scratch& scratch) const {
    Cuda::bittcf_spmm(stream, pattern_, precision_, schedule(), product, scratch);
  }

 private:
  Cuda::BitTcfSchedule schedule() const {
    return {pieces_.view(), static_cast<int>(block_items_.extent(0)) - 1, block_items_.data()};
  }

  BitTcfPattern pattern_;
  Pieces pieces_;
  Array<int*, Memory> block_items_;
};

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<AccSpmmEngine, Scalar, Exec>;
TESSERA_IF_CUDA(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
#endif
