// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PortableSpmm.hpp"
#include "StoredEngine.hpp"
#include "bcsr/Bcsr.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include <cstdint>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/MatrixStatistics.hpp>
#include <type_traits>

#include "bcsr/CudaWarpgroup.hpp"
#include "bcsr/cuda/Spmm.hpp"
#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "gpu/CudaPrecision.hpp"
#include "gpu/DeviceSchedule.hpp"

namespace Tessera::Impl {

/// BCSR on tensor cores, for the block shapes that have kernels: those of SMaT, and 64 x 64 (CudaWarpgroup). For Fp16
/// and Bf16, plans also store rounded values.
template <class Scalar>
class CudaBcsr : public CudaKernel<CudaBcsr<Scalar>, Scalar> {
  using Base = CudaKernel<CudaBcsr, Scalar>;
  using Base::precision_;
  using typename Base::Memory;

 public:
  static constexpr const char* label = "Tessera::bcsr_spmm";

  /// Whether SMaT's kernel exists for this block shape.
  static bool has(BlockShape block, Precision precision) {
    const auto is = [&](int height, int width) { return block.height == height && block.width == width; };
    if (is(16, 16)) return std::is_same_v<Scalar, float> && Cuda::is_half(precision);
    return is(16, 8) || is(8, 8) || (is(8, 4) && std::is_same_v<Scalar, double>);
  }

  static std::string why_not_published(const PlanOptions& options) {
    const BlockShape block{options.parameters.bcsr_block_rows, options.parameters.bcsr_block_columns};
    const std::string fault = tensor_core_fault<Scalar>(options, Format::Bcsr);
    if (!fault.empty() || block.size() == 0 || has(block, options.precision)) return fault;
    return "bcsr has blocks of " + std::to_string(block.height) + " x " + std::to_string(block.width) +
           "; expected 16 x 8, 8 x 8, for double 8 x 4, or for float in 16 bits 16 x 16";
  }

  /// \return false if no kernel exists for such blocks, or if there is no memory for rounded values
  bool build(const Kokkos::Cuda& exec, const Bcsr<Memory>& A, const PlanOptions& options, const KernelPolicy& policy) {
    if (A.tiles() == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    if constexpr (std::is_same_v<Scalar, float>) {
      if (options.kernel == Kernel::Auto && CudaWarpgroup::has(A.block, options.precision)) {
        precision_ = options.precision;
        int piece = 0;
        policy.replace({{"piece", piece}});
        return warpgroup_.build(exec, A, options.precision, piece);
      }
    }
    if (!has(A.block, options.precision)) return false;
    pattern_ = A.view();
    const bool is_square = A.block.height == 16 && A.block.width == 16;
    precision_ = is_square ? options.precision : precision_of_words<Scalar>(options.precision);
    int blocks = piece_blocks(is_square), width = 0;
    policy.replace({{"piece", blocks}, {"width", width}});
    schedule_ = schedule_windows(exec, A.block_offsets, blocks);
    schedule_.width = width;
    put_longest_first(exec, schedule_);
    return !is_square || if_there_is_room(exec, A.places() * sizeof(std::uint16_t), [&] {
      rounded_ = allocate<decltype(rounded_)>(exec, "Tessera::rounded_values", A.places());
    });
  }

  std::string describe() const {
    if (warpgroup_.is_built()) return warpgroup_.describe();
    return "blocks of " + std::to_string(pattern_.block.height) + " x " + std::to_string(pattern_.block.width) +
           " on tensor cores";
  }

  void refill(const Kokkos::Cuda& exec, const Scalar* values, const std::uint32_t* wanted) const {
    if constexpr (std::is_same_v<Scalar, float>) {
      if (warpgroup_.is_built()) return warpgroup_.refill(exec, values, wanted);
      if (rounded_.extent(0) == 0) return;
      const CudaLaunches launches("Tessera::round_values", exec);
      Cuda::round_values(launches.stream(), precision_, rounded_.extent(0), values, rounded_.data(), wanted);
    }
  }

  std::size_t bytes() const {
    return warpgroup_.bytes() + schedule_.bytes() + rounded_.extent(0) * sizeof(std::uint16_t);
  }

  PanelWidths panel_widths() const { return warpgroup_.is_built() ? warpgroup_.panel_widths() : PanelWidths(); }
  template <class VectorScalar>
  Cuda::XAccess x_access() const {
    return warpgroup_.is_built() ? warpgroup_.x_access() : Cuda::bcsr_x_access(precision_);
  }
  std::size_t workspace_bytes(const Multivector<const Scalar>& x) const {
    if constexpr (std::is_same_v<Scalar, float>) {
      if (warpgroup_.is_built()) return warpgroup_.workspace_bytes(x);
    }
    return Cuda::bcsr_workspace_bytes(pattern_, precision_, schedule_.view(), x);
  }
  void launch(Cuda::Stream stream, const Product<Scalar, Scalar>& product, const Scratch& scratch) const {
    if constexpr (std::is_same_v<Scalar, float>) {
      if (warpgroup_.is_built()) return warpgroup_.launch(stream, product, scratch);
    }
    Cuda::bcsr_spmm(stream, pattern_, precision_, schedule_.view(), product, rounded_.data(), scratch);
  }

 private:
  static constexpr Ordinal least_height = 8;  // lower bound on the height of a block with a kernel
  /// Number of blocks of a piece with which products are fastest.
  static constexpr int piece_blocks(bool is_square) { return is_square ? 32 : 64; }

  BcsrPattern pattern_;
  DeviceSchedule<Cuda::CondensedItem, Memory> schedule_;
  Array<std::uint16_t*, Memory> rounded_;
  CudaWarpgroup warpgroup_;  // for floats
};

}  // namespace Tessera::Impl
#endif

namespace Tessera::Impl {

#define TESSERA_INSTANTIATE(Exec, M, V) \
  template void portable_spmm(const Exec&, const BcsrPattern&, std::size_t, const Product<M, V>&, Scratch);
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_PRODUCT, TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<BcsrEngine, Scalar, Exec>;
TESSERA_FOR_EACH_EXECUTION_SPACE(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)
}  // namespace Tessera::Impl
