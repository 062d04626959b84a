// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <tessera/PlanOptions.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/Choose.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <type_traits>

#include "CudaDevice.hpp"
#include "CudaKernel.hpp"
#include "CudaPrecision.hpp"
#include "DeviceSchedule.hpp"
#include "condensed/CondensedFormat.hpp"
#include "condensed/cuda/DenseTiles.hpp"
#include "condensed/cuda/Spmm.hpp"

namespace Tessera::Impl {

/// Multiplies condensed windows, BitTCF and BMat, on tensor cores. The plan also stores the values as dense blocks. If
/// there is no memory for these, BitTCF is multiplied with its compact values, which is slower. In 16-bit
/// precisions, blocks of BitTCF are rounded once, and all other values as they are read.
template <class Scalar>
class CudaCondensed : public CudaKernel<CudaCondensed<Scalar>, Scalar> {
  using Base = CudaKernel<CudaCondensed, Scalar>;
  using Base::half_vectors_;
  using Base::precision_;
  using typename Base::Memory;

 public:
  static constexpr const char* label = "Tessera::condensed_spmm";
  using WidestVector = widest_vector_t<Scalar>;

  /// \return false if tensor cores do not support this type in this precision, or if there is no memory for
  ///         the dense blocks that BMat needs
  template <int strips>
  bool build(const Kokkos::Cuda& exec, const CondensedFormat<Memory, strips>& A, const PlanOptions& options,
             const KernelPolicy& policy) {
    if (A.tiles() == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    pattern_ = Cuda::condensed(A.view());
    tiles_ = A.tiles();
    precision_ = options.precision;
    half_vectors_ = options.half_vectors;
    int piece_tiles = Cuda::condensed_piece_tiles(static_cast<double>(tiles_), device_of(exec)), width = 0, compact = 0;
    policy.replace({{"piece", piece_tiles}, {"width", width}, {"compact", compact, 0, 1}});
    if (compact != 0 && strips > 1) throw PolicyError("policy compact=1: BMat is multiplied by whole tiles alone");
    schedule_ = schedule_windows(exec, A.window_offsets, piece_tiles);
    schedule_.width = width;
    if (compact != 0) return true;
    const bool is_rounded = strips == 1 && Cuda::is_half(precision_);
    const std::size_t places = A.tile_elements();
    const bool has_room = if_there_is_room(exec, places * (is_rounded ? sizeof(Half) : sizeof(Scalar)), [&] {
      if (is_rounded) {
        rounded_ = allocate<decltype(rounded_)>(exec, "Tessera::rounded", places);
      } else {
        dense_ = allocate<decltype(dense_)>(exec, "Tessera::dense", places);
      }
    });
    return has_room || strips == 1;
  }

  std::string describe() const {
    return "windows of " + std::to_string(pattern_.window_rows()) + " rows on tensor cores, " +
           (stored_values() == Cuda::TileValues::Compact ? "compact values for want of memory" : "whole tiles");
  }

  void refill(const Kokkos::Cuda& exec, const Scalar* compact, const std::uint32_t* wanted) const {
    if (stored_values() == Cuda::TileValues::Compact) return;
    const CudaLaunches launches("Tessera::expand_tiles", exec);
    if (stored_values() == Cuda::TileValues::Rounded) {
      Cuda::expand_rounded_tiles(launches.stream(), precision_, pattern_, tiles_, compact, rounded_.data(), wanted);
    } else {
      Cuda::expand_tiles(launches.stream(), pattern_, tiles_, compact, dense_.data(), wanted);
    }
  }

  std::size_t bytes() const {
    return schedule_.bytes() + dense_.extent(0) * sizeof(Scalar) + rounded_.extent(0) * sizeof(Half);
  }

  template <class VectorScalar>
  Cuda::XAccess x_access() const {
    return Cuda::condensed_x_access<VectorScalar>(precision_);
  }
  template <class VectorScalar>
  std::size_t workspace_bytes(const Multivector<const VectorScalar>& x) const {
    return Cuda::condensed_workspace_bytes(pattern_, precision_, schedule_.view(), x);
  }
  template <class VectorScalar>
  void launch(Cuda::Stream stream, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    Cuda::condensed_spmm(stream, pattern_, stored_values(), precision_, schedule_.view(), product, scratch,
                         rounded_.data());
  }

  static constexpr bool has_half_kernels = std::is_same_v<Scalar, float>;
  bool multiplies_halves() const { return has_half_kernels && Cuda::is_half(precision_); }
  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, Product<Scalar, VectorScalar> product, const Scratch& scratch) const {
    // Vectors of another type can only be multiplied as 16-bit operands.
    if (!std::is_same_v<Scalar, VectorScalar> && !Cuda::is_half(precision_)) return false;
    if (dense_.extent(0) > 0) product.values = dense_.data();
    this->launch_panels(exec, product, scratch);
    return true;
  }

 private:
  Cuda::TileValues stored_values() const {
    if (rounded_.extent(0) > 0) return Cuda::TileValues::Rounded;
    return dense_.extent(0) > 0 ? Cuda::TileValues::Dense : Cuda::TileValues::Compact;
  }

  Cuda::CondensedPattern pattern_;
  DeviceSchedule<Cuda::CondensedItem, Memory> schedule_;
  std::size_t tiles_ = 0;
  Array<Scalar*, Memory> dense_;
  Array<std::uint16_t*, Memory> rounded_;
};

}  // namespace Tessera::Impl
