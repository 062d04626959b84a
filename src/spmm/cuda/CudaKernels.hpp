// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <tessera/select/GpuModel.hpp>
#include <type_traits>
#include <variant>

#include "CudaRows.hpp"
#include "CudaStaged.hpp"
#include "CudaTiles.hpp"

/// Tessera's kernels for NVIDIA GPUs, for plans on Kokkos::Cuda.
namespace Tessera::Impl {

template <class Scalar, class Offset>
struct DeviceKernels<Scalar, Offset, Kokkos::Cuda> {
  using Memory = Kokkos::Cuda::memory_space;
  static constexpr bool has_tiles = !is_complex_v<Scalar>;

  CudaRows<Scalar, Offset> rows;
  CudaTiles<Scalar, Offset> tiles;
  CudaStaged<Scalar, Offset> staged;

  /// The kernels are compiled for GPUs that have tensor cores for FP64 and TF32.
  static bool fits(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().major >= 8; }

  /// Tensor cores multiply in FP64, or in TF32 if that is allowed; float by itself is not for them.
  static bool multiplies_tiles(Precision precision) {
    return has_tiles && std::is_same_v<Scalar, double> == (precision == Precision::Native);
  }

  static bool has(const Kokkos::Cuda& exec, Precision precision) {
    if (!fits(exec)) return precision == Precision::Native;
    if (precision == Precision::Tf32x3 || precision == Precision::Tf32) return std::is_same_v<Scalar, float>;
    return precision == Precision::Native;
  }

  /// NOTE: as if X were of the type of A.
  static GpuModel model(const Kokkos::Cuda& exec, const PlanOptions& options) {
    if (!fits(exec) || !multiplies_tiles(options.precision)) return GpuModel::without_tile_kernels();
    GpuModel gpu;
    if (options.precision == Precision::Tf32) gpu = GpuModel::tf32();
    if (options.precision == Precision::Tf32x3) gpu = GpuModel::tf32x3();
    gpu.whole_tiles = static_cast<double>(room_for_copies(exec, options));
    gpu.staged_entries = static_cast<double>(CudaStaged<Scalar, Offset>::most_entries(exec, options));
    if (exec.cuda_device_prop().sharedMemPerBlockOptin < Cuda::usual_staged_shared_bytes()) gpu.staged_chunk = 0;
    return gpu;
  }

  static std::string device_name(const Kokkos::Cuda& exec) {
    return std::string(exec.name()) + ", " + exec.cuda_device_prop().name;
  }

  void build(const Kokkos::Cuda& exec, const AnyFormat<Offset, Memory>& format, const Choice& choice,
             const PlanOptions& options) {
    if (!fits(exec)) return;
    if (const auto* A = std::get_if<Csr<Offset, Memory>>(&format)) rows.build(exec, A->view(), A->nonzeros);
    if constexpr (has_tiles) {
      if (!multiplies_tiles(options.precision)) return;
      if (const auto* A = std::get_if<BitTcf<Offset, Memory>>(&format)) {
        if (!choice.is_staged || !staged.build(exec, *A, choice.statistics, options)) tiles.build(exec, *A, options);
      }
      if (const auto* A = std::get_if<Bmat<Offset, Memory>>(&format)) tiles.build(exec, *A, options);
    }
  }

  /// New values are there, in the order of the format.
  void refill(const Kokkos::Cuda& exec, const Scalar* values) const {
    if constexpr (has_tiles) {
      if (tiles.are_built()) tiles.refill(exec, values);
      if (staged.is_built()) staged.refill(exec, values);
    }
  }

  std::string describe() const {
    if (rows.is_built()) return rows.describe();
    if constexpr (has_tiles) {
      if (tiles.are_built()) return tiles.describe();
      if (staged.is_built()) return staged.describe();
    }
    return "for any device";
  }

  std::size_t bytes() const { return rows.bytes() + tiles.bytes() + staged.bytes(); }

  /// For vectors of any type that the matrix may be multiplied with.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    using Widest = std::conditional_t<std::is_same_v<Scalar, float>, double, Scalar>;
    std::size_t bytes = rows.scratch_bytes(x_rows, columns, sizeof(Widest));
    if constexpr (has_tiles) {
      if (tiles.are_built()) bytes = std::max(bytes, tiles.scratch_bytes(x_rows, columns));
      if (staged.is_built()) bytes = std::max(bytes, staged.scratch_bytes(x_rows, columns));
    }
    return bytes;
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const AnyFormat<Offset, Memory>& format,
                const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    if (const auto* A = std::get_if<Csr<Offset, Memory>>(&format)) {
      if (!rows.is_built()) return false;
      rows.multiply(exec, A->view(), product, scratch);
      return true;
    }
    if constexpr (has_tiles && std::is_same_v<Scalar, VectorScalar>) {
      if (tiles.are_built()) tiles.multiply(exec, product, scratch);
      if (staged.is_built()) staged.multiply(exec, product, scratch);
      return tiles.are_built() || staged.is_built();
    }
    return false;
  }
};

}  // namespace Tessera::Impl
