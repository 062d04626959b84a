// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/bcsr/Spmm.hpp>
#include <tessera/format/Bcsr.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/MatrixStatistics.hpp>
#include <tessera/spmm/PlanOptions.hpp>
#include <type_traits>

#include "CudaLaunches.hpp"
#include "CudaPanels.hpp"
#include "CudaPrecision.hpp"
#include "CudaRoom.hpp"
#include "CudaSchedule.hpp"

namespace Tessera::Impl {

/// BCSR on tensor cores, in the shapes of blocks that they multiply. Values that are rounded to 16 bits are kept
/// besides.
template <class Scalar, class Offset>
class CudaBlocks {
  using Memory = Kokkos::Cuda::memory_space;

 public:
  /// The most bytes that lists of rows of blocks, and pieces of them, take while they are made and sorted.
  static std::size_t list_bytes(const Kokkos::Cuda& exec, const MatrixStatistics& m, double blocks) {
    return schedule_build_bytes<Offset>(exec, windows_of(m, least_height), static_cast<std::size_t>(blocks),
                                        piece_blocks(true), true);
  }

  /// \return whether it is built; not if there is no kernel for such blocks, or no room for rounded values
  bool build(const Kokkos::Cuda& exec, const Bcsr<Offset, Memory>& A, const PlanOptions& options) {
    if (A.tiles() == 0 || !has_tensor_cores<Scalar>(options.precision)) return false;
    pattern_ = A.view();
    const bool is_square = is_block(16, 16);
    if (is_square) {
      if (std::is_same_v<Scalar, double> || !Cuda::is_half(options.precision)) return false;
      if (A.places() * sizeof(std::uint16_t) > room_for_copies(exec, options)) return false;
      precision_ = options.precision;
    } else {
      if (!is_block(16, 8) && !is_block(8, 8) && !(is_block(8, 4) && std::is_same_v<Scalar, double>)) return false;
      precision_ = precision_of_words<Scalar>(options.precision);
    }
    schedule_ = cuda_schedule(exec, A.block_offsets, piece_blocks(is_square));
    put_longest_first(exec, schedule_);
    // Last: list_bytes() are taken without it.
    if (is_square) rounded_ = allocate<decltype(rounded_)>(exec, "Tessera::rounded_values", A.places());
    return true;
  }

  Precision precision() const { return precision_; }
  std::string describe() const {
    return "blocks of " + std::to_string(pattern_.block.height) + " x " + std::to_string(pattern_.block.width) +
           " on tensor cores";
  }

  void refill(const Kokkos::Cuda& exec, const Scalar* values) const {
    if constexpr (std::is_same_v<Scalar, float>) {
      if (rounded_.extent(0) == 0) return;
      const CudaLaunches launches("Tessera::round_values", exec);
      Cuda::round_values(exec.cuda_stream(), precision_, rounded_.extent(0), values, rounded_.data());
    }
  }

  std::size_t bytes() const { return schedule_.bytes() + rounded_.extent(0) * sizeof(std::uint16_t); }

  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    const auto bytes_for = [&](const auto& x) {
      return Cuda::bcsr_workspace_bytes(pattern_, precision_, schedule_.view(), x);
    };
    return Cuda::is_half(precision_) ? copied_scratch_bytes<Scalar>(x_rows, columns, bytes_for)
                                     : panel_scratch_bytes<Scalar>(x_rows, columns, bytes_for);
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    if constexpr (std::is_same_v<Scalar, VectorScalar>) {
      const CudaLaunches launches("Tessera::bcsr_spmm", exec);
      for_each_panel(
          product, scratch,
          [&](const auto& x) {
            return Cuda::is_half(precision_) ? cuda_copied_columns : panel_columns(x, Cuda::rows_are_aligned(x));
          },
          [&](const auto& panel, const Scratch& aligned) {
            Cuda::bcsr_spmm(exec.cuda_stream(), pattern_, precision_, schedule_.view(), panel, rounded_.data(),
                            aligned);
          });
      return true;
    }
    return false;
  }

 private:
  static constexpr Ordinal least_height = 8;  // of blocks that there are kernels for
  /// Of a piece, as products are fastest with.
  static constexpr int piece_blocks(bool is_square) { return is_square ? 32 : 64; }

  bool is_block(int height, int width) const {
    return pattern_.block.height == height && pattern_.block.width == width;
  }

  BcsrPattern<Offset> pattern_;
  CudaSchedule<Offset> schedule_;
  Precision precision_ = Precision::Native;
  Kokkos::View<std::uint16_t*, Memory> rounded_;
};

}  // namespace Tessera::Impl
