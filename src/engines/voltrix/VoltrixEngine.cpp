// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StoredEngine.hpp"
#include "condensed/CondensedFormat.hpp"
#if defined(TESSERA_HAS_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#include <cstdint>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Arena.hpp>
#include <tessera/parallel/Arrays.hpp>

#include "gpu/CudaDevice.hpp"
#include "gpu/CudaKernel.hpp"
#include "gpu/CudaPrecision.hpp"
#include "gpu/DeviceSchedule.hpp"
#include "voltrix/cuda/Spmm.hpp"
#include "voltrix/cuda/Words.hpp"

namespace Tessera::Impl {

/// Multiplies BMat with the kernel of Voltrix-SpMM (sections 3.1 and 3.2). Values are compact. Blocks stay on their
/// multiprocessors, with a producer warp and consumer warps. Algorithm 1 divides the work into parts of equal cost. The
/// plan stores the words of the paper, and a copy of the values in the order of the words.
template <class Scalar>
class CudaBmat : public CudaKernel<CudaBmat<Scalar>, Scalar> {
  using Base = CudaKernel<CudaBmat, Scalar>;
  using Base::precision_;
  using typename Base::Memory;
  using Pieces = DeviceSchedule<Cuda::BmatItem, Memory>;

 public:
  static constexpr const char* label = "Tessera::bmat_spmm";

  static std::string why_not_published(const PlanOptions& options) {
    return tensor_core_fault<Scalar>(options, Format::Bmat);
  }

  /// \return false if tensor cores do not multiply this type in this precision, or if there is no memory for words and
  ///         values
  ///
  /// Cost: a pass over the masks. The host builds the schedule window by window, from copies of the offsets.
  bool build(const Kokkos::Cuda& exec, const Bmat<Memory>& A, const PlanOptions& options, const KernelPolicy& policy) {
    if (A.tiles() == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    pattern_ = A.view();
    tiles_ = A.tiles();
    precision_ = precision_of_words<Scalar>(options.precision);
    multiprocessors_ = device_of(exec).multiprocessors;
    set_schedule(exec, A, policy);
    const bool has_room = if_there_is_room(exec, 4 * tiles_ * sizeof(std::uint32_t) + A.places() * sizeof(Scalar), [&] {
      take_at_once<Memory>(exec, "Tessera::BmatWords", [&](Arena<Memory>& arena) {
        arena.take(words_, 4 * tiles_);  // 16 bytes per tile, so values are aligned as well
        arena.take_behind(values_, A.places());
      });
    });
    if (!has_room) return false;
    const CudaLaunches launches("Tessera::make_bmat_words", exec);
    Cuda::make_bmat_words(launches.stream(), pattern_, tiles_, words_.data());
    return true;
  }

  void refill(const Kokkos::Cuda& exec, const Scalar* values, const std::uint32_t* wanted) const {
    const CudaLaunches launches("Tessera::order_by_bmat_words", exec);
    Cuda::order_by_bmat_words(launches.stream(), pattern_, tiles_, values, values_.data(), wanted);
  }

  std::string describe() const { return "producer and consumer warps for tiles of 16 rows on tensor cores"; }
  std::size_t bytes() const {
    return pieces_.bytes() + points_.extent(0) * sizeof(Cuda::BmatPoint) + words_.extent(0) * sizeof(std::uint32_t) +
           values_.extent(0) * sizeof(Scalar);
  }

  template <class VectorScalar>
  static Cuda::XAccess x_access() {
    return Cuda::bmat_x_access;
  }
  std::size_t workspace_bytes(const Multivector<const Scalar>& x) const {
    return Cuda::bmat_workspace_bytes(words(), schedule(), x);
  }
  void launch(Cuda::Stream stream, Product<Scalar, Scalar> product, const Scratch& scratch) const {
    product.values = values_.data();
    Cuda::bmat_spmm(stream, words(), precision_, schedule(), product, scratch);
  }

 private:
  void set_schedule(const Kokkos::Cuda& exec, const Bmat<Memory>& A, const KernelPolicy& policy) {
    const auto window_offsets = host_copy(exec, A.window_offsets);
    const auto tile_offsets = host_copy(exec, A.tile_offsets);
    const BmatWords host{A.rows, A.columns, window_offsets.data(), tile_offsets.data(), nullptr, nullptr};
    int piece_tiles = Cuda::condensed_piece_tiles(static_cast<double>(A.tiles()), device_of(exec));
    int width = 0, partition = static_cast<int>(Cuda::BmatPartition::EqualCost);
    policy.replace({{"piece", piece_tiles}, {"partition", partition, 0, 2}, {"width", width}});
    const auto made = Cuda::build_bmat_schedule(host, piece_tiles, multiprocessors_, Cuda::BmatPartition(partition));
    pieces_ = {exec, made};
    pieces_.width = width;
    points_ = device_copy(exec, "Tessera::BmatSchedule::points", made.points);
  }
  BmatWords words() const {
    return {pattern_.rows,         pattern_.columns,      pattern_.window_offsets,
            pattern_.tile_offsets, pattern_.tile_columns, words_.data()};
  }
  Cuda::BmatSchedule schedule() const { return {pieces_.view(), multiprocessors_, points_.data()}; }

  BmatPattern pattern_;
  std::size_t tiles_ = 0;
  Array<std::uint32_t*, Memory> words_;
  Array<Scalar*, Memory> values_;  // values in the order of the words
  Pieces pieces_;
  Array<Cuda::BmatPoint*, Memory> points_;
  int multiprocessors_ = 0;
};

#define TESSERA_INSTANTIATE(Exec, Scalar) template struct EngineFactory<VoltrixEngine, Scalar, Exec>;
TESSERA_IF_CUDA(TESSERA_FOR_EACH_SCALAR, TESSERA_INSTANTIATE)

}  // namespace Tessera::Impl
#endif
