// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/Choose.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <type_traits>

#include "CudaDevice.hpp"
#include "CudaKernel.hpp"
#include "CudaPrecision.hpp"
#include "DeviceSchedule.hpp"
#include "bittcf/BitTcf.hpp"
#include "bmat/Bmat.hpp"
#include "condensed/cuda/DenseTiles.hpp"
#include "condensed/cuda/Spmm.hpp"

namespace Tessera::Impl {

/// Condensed windows on tensor cores: BitTCF, and BMat as windows of two strips. The plan also keeps the values as
/// dense blocks. If there is no room for them, BitTCF is multiplied with its compact values, which takes longer. In
/// precisions of 16 bits, blocks of BitTCF are rounded once, and all other values as they are read.
template <class Scalar, class Offset>
class CudaCondensed : public CudaKernel<CudaCondensed<Scalar, Offset>, Scalar> {
  using Base = CudaKernel<CudaCondensed, Scalar>;
  using Base::half_vectors_;
  using Base::precision_;
  using typename Base::Memory;

 public:
  static constexpr const char* label = "Tessera::condensed_spmm";
  using WidestVector = widest_vector_t<Scalar>;

  /// Bytes of the dense blocks, and of the masks and offsets for BMat.
  static std::size_t copy_bytes(Format format, std::size_t tiles, Precision precision) {
    if (format == Format::BitTcf) return 64 * tiles * (Cuda::is_half(precision) ? sizeof(Half) : sizeof(Scalar));
    return tiles * (128 * sizeof(Scalar) + 2 * sizeof(std::uint64_t)) + (tiles + 1) * sizeof(Offset);
  }

  /// \return whether it is built; not if tensor cores do not multiply this type in this precision
  bool build(const Kokkos::Cuda& exec, const BitTcf<Offset, Memory>& A, const PlanOptions& options,
             const KernelPolicy& policy) {
    if (A.tiles() == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    pattern_ = Cuda::condensed(A.view());
    const bool are_compact = set_tiles(exec, A.tiles(), A.window_offsets, options, policy);
    if (are_compact) return true;
    if_there_is_room(exec, copy_bytes(Format::BitTcf, A.tiles(), precision_), [&] {
      if (Cuda::is_half(precision_)) {
        rounded_ = allocate<decltype(rounded_)>(exec, "Tessera::rounded", dense_places());
      } else {
        dense_ = allocate<decltype(dense_)>(exec, "Tessera::dense", dense_places());
      }
    });
    return true;
  }

  /// \return whether it is built; not if tensor cores do not multiply this type in this precision, nor without room for
  ///         dense blocks
  bool build(const Kokkos::Cuda& exec, const Bmat<Offset, Memory>& A, const PlanOptions& options,
             const KernelPolicy& policy) {
    if (A.tiles() == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    pattern_ = {A.rows, A.columns, 2, A.window_offsets.data(), nullptr, A.tile_columns.data(), nullptr};
    if (set_tiles(exec, A.tiles(), A.window_offsets, options, policy))
      throw PolicyError("policy compact=1: BMat is multiplied by whole tiles alone");
    const bool has_room = if_there_is_room(exec, copy_bytes(Format::Bmat, A.tiles(), options.precision), [&] {
      dense_ = allocate<decltype(dense_)>(exec, "Tessera::dense", dense_places());
      masks_ = allocate<decltype(masks_)>(exec, "Tessera::tile_masks", 2 * tiles_);
      tile_offsets_ = allocate<decltype(tile_offsets_)>(exec, "Tessera::tile_offsets", tiles_ + 1);
    });
    if (!has_room) return false;
    bmat_ = A.view();
    {
      const CudaLaunches launches("Tessera::condense_bmat", exec);
      Cuda::condense_bmat(exec.cuda_stream(), bmat_, tiles_, masks_.data(), tile_offsets_.data());
    }
    counts_to_offsets(exec, tile_offsets_);
    pattern_.tile_offsets = tile_offsets_.data();
    pattern_.tile_masks = masks_.data();
    return true;
  }

  std::string describe() const {
    return "windows of " + std::to_string(pattern_.window_rows()) + " rows on tensor cores, " +
           (stored_values() == Cuda::TileValues::Compact ? "compact values for want of memory" : "whole tiles");
  }

  void refill(const Kokkos::Cuda& exec, const Scalar* compact, const std::uint32_t* wanted) const {
    if (stored_values() == Cuda::TileValues::Compact) return;
    const CudaLaunches launches("Tessera::expand_tiles", exec);
    if (stored_values() == Cuda::TileValues::Rounded) {
      Cuda::expand_rounded_tiles(exec.cuda_stream(), precision_, pattern_, tiles_, compact, rounded_.data(), wanted);
    } else if (pattern_.strips == 1) {
      Cuda::expand_tiles(exec.cuda_stream(), pattern_, tiles_, compact, dense_.data(), wanted);
    } else {
      Cuda::expand_bmat(exec.cuda_stream(), bmat_, tiles_, pattern_.tile_offsets, compact, dense_.data(), wanted);
    }
  }

  std::size_t bytes() const {
    return schedule_.bytes() + dense_.extent(0) * sizeof(Scalar) + rounded_.extent(0) * sizeof(Half) +
           masks_.extent(0) * sizeof(std::uint64_t) + tile_offsets_.extent(0) * sizeof(Offset);
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
    // Only operands of 16 bits may be vectors of another type.
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

  /// \return whether the policy wants compact values
  template <class Offsets>
  bool set_tiles(const Kokkos::Cuda& exec, std::size_t tiles, const Offsets& window_offsets, const PlanOptions& options,
                 const KernelPolicy& policy) {
    tiles_ = tiles;
    precision_ = options.precision;
    half_vectors_ = options.half_vectors;
    int piece_tiles = Cuda::condensed_piece_tiles(static_cast<double>(tiles), device_of(exec)), width = 0, compact = 0;
    policy.replace({{"piece", piece_tiles}, {"width", width}, {"compact", compact, 0, 1}});
    schedule_ = schedule_windows(exec, window_offsets, piece_tiles);
    schedule_.width = width;
    return compact != 0;
  }

  std::size_t dense_places() const {
    return tiles_ * static_cast<std::size_t>(pattern_.block_size) * static_cast<std::size_t>(pattern_.strips);
  }

  Cuda::CondensedPattern<Offset> pattern_;
  BmatPattern<Offset> bmat_;  // if that is the format
  DeviceSchedule<Cuda::CondensedItem<Offset>, Memory> schedule_;
  std::size_t tiles_ = 0;
  Array<Scalar*, Memory> dense_;
  Array<std::uint16_t*, Memory> rounded_;
  Array<std::uint64_t*, Memory> masks_;  // for BMat, as are tile_offsets_
  Array<Offset*, Memory> tile_offsets_;
};

}  // namespace Tessera::Impl
