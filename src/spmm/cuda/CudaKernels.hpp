// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <string>
#include <tessera/select/GpuModel.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "CudaBlocks.hpp"
#include "CudaBrp.hpp"
#include "CudaRoom.hpp"
#include "CudaRows.hpp"
#include "CudaSortedColumns.hpp"
#include "CudaStaged.hpp"
#include "CudaTiles.hpp"

/// Tessera's kernels for NVIDIA GPUs, for plans on Kokkos::Cuda.
namespace Tessera::Impl {

/// Where a matrix has none of them.
template <class Scalar>
struct NoCudaKernel {
  Precision precision() const { return Precision::Native; }
  std::string describe() const { return "for any device"; }
  void refill(const Kokkos::Cuda&, const Scalar*) const {}
  std::size_t bytes() const { return 0; }
  std::size_t scratch_bytes(Ordinal, Ordinal) const { return 0; }
  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda&, const Product<Scalar, VectorScalar>&, const Scratch&) const {
    return false;
  }
};

template <class Scalar, class Offset>
struct DeviceKernels<Scalar, Offset, Kokkos::Cuda> {
  using Memory = Kokkos::Cuda::memory_space;
  static constexpr bool is_real = !is_complex_v<Scalar>;

  /// The kernels are compiled for GPUs that have tensor cores for FP64 and TF32.
  static bool fits(const Kokkos::Cuda& exec) { return exec.cuda_device_prop().major >= 8; }

  static bool has(const Kokkos::Cuda& exec, Precision precision) {
    if (precision == Precision::Native) return true;
    if (!fits(exec)) return false;
    if (precision == Precision::Tf32x3 || precision == Precision::Tf32) return std::is_same_v<Scalar, float>;
    return is_real && Cuda::is_half(precision);
  }

  /// Blocks of floats that are rounded to 16 bits have a shape of their own, unless the user names another.
  static FormatParameters parameters(const PlanOptions& options) {
    FormatParameters result = options.parameters;
    const bool is_named = result.bcsr_block_rows != 0 || result.bcsr_block_columns != 0;
    if (std::is_same_v<Scalar, float> && Cuda::is_half(options.precision) && !is_named)
      result.bcsr_block_rows = result.bcsr_block_columns = 16;
    return result;
  }

  /// NOTE: as if X were of the type of A.
  static GpuModel model(const Kokkos::Cuda& exec, const PlanOptions& options) {
    if (!fits(exec)) return GpuModel::portable();
    if (!is_real) return GpuModel::rows_only();
    if (!has_tensor_cores<Scalar>(options.precision)) return GpuModel::without_tile_kernels();
    GpuModel gpu;
    if (options.precision == Precision::Tf32) gpu = GpuModel::tf32();
    if (Cuda::is_half(options.precision)) gpu = GpuModel::half();
    if (options.precision == Precision::Tf32x3) gpu = GpuModel::tf32x3();
    if (!CudaBrp<Scalar, Offset>::has(options.parameters.brp_nonzeros_per_column)) gpu.partition = 0;
    // Doubles have the same kernels for blocks in all precisions.
    gpu.has_narrow_blocks = std::is_same_v<Scalar, double>;
    gpu.has_square_blocks = gpu.has_square_blocks && !gpu.has_narrow_blocks;
    gpu.whole_tiles = static_cast<double>(room_for_copies(exec, options));
    gpu.staged_entries = static_cast<double>(CudaStaged<Scalar, Offset>::most_entries(exec, options));
    if (exec.cuda_device_prop().sharedMemPerBlockOptin < Cuda::usual_staged_shared_bytes()) gpu.staged_chunk = 0;
    return gpu;
  }

  /// Lists of rows, or of windows and pieces of them, with 72 bytes an item while they are made and, where they are
  /// sorted, a table of digits, are kept in any case.
  /// Whole tiles are as CudaTiles has them, staged windows as CudaStaged; what other formats are multiplied with takes
  /// the room that is left, or is not built.
  static KernelMemory memory(const Candidate& candidate, const MatrixStatistics& m) {
    if (candidate.format == Format::Csr) {
      const double lists = std::ceil(m.nonzeros / 2) + 64;
      return {lists, lists, lists};
    }
    const double tiles = candidate.tiles > 0 ? candidate.tiles : m.nonzeros / 4;
    const double lists =
        candidate.format == Format::SortedColumns ? 0 : 72 * std::ceil(m.rows / 8 + tiles / 16 + 1) + 8192;
    double copies = 0;
    if (candidate.is_staged) {
      copies = static_cast<double>(CudaStaged<Scalar, Offset>::build_bytes) * m.nonzeros;
    } else if (candidate.format == Format::BitTcf) {
      copies = 64 * m.matrix_bytes * tiles;
    } else if (candidate.format == Format::Bmat) {
      copies = (128 * m.matrix_bytes + 16 + m.offset_bytes) * tiles;
    }
    return {copies + lists, copies + lists, lists};
  }

  static std::string device_name(const Kokkos::Cuda& exec) {
    return std::string(exec.name()) + ", " + exec.cuda_device_prop().name;
  }

  static std::size_t free_bytes(const Kokkos::Cuda& exec) { return free_device_bytes(exec); }

  void build(const Kokkos::Cuda& exec, const AnyFormat<Offset, Memory>& format, const Choice& choice,
             const PlanOptions& options) {
    asked_ = options.precision;
    if (!fits(exec)) return;
    if (const auto* A = std::get_if<Csr<Offset, Memory>>(&format)) take<CudaRows<Scalar, Offset>>(exec, *A, options);
    if constexpr (is_real) {
      if (const auto* A = std::get_if<BitTcf<Offset, Memory>>(&format)) {
        if (!choice.is_staged || !take<CudaStaged<Scalar, Offset>>(exec, *A, options, choice.statistics))
          take<CudaTiles<Scalar, Offset>>(exec, *A, options);
      }
      if (const auto* A = std::get_if<Bmat<Offset, Memory>>(&format))
        take<CudaTiles<Scalar, Offset>>(exec, *A, options);
      if (const auto* A = std::get_if<BlockRowPartition<Offset, Memory>>(&format))
        take<CudaBrp<Scalar, Offset>>(exec, *A, options);
      if (const auto* A = std::get_if<Bcsr<Offset, Memory>>(&format))
        take<CudaBlocks<Scalar, Offset>>(exec, *A, options);
      if (const auto* A = std::get_if<SortedColumns<Offset, Memory>>(&format))
        take<CudaSortedColumns<Scalar, Offset>>(exec, *A, options);
    }
  }

  bool is_staged() const {
    if constexpr (is_real) return std::holds_alternative<CudaStaged<Scalar, Offset>>(kernel_);
    return false;
  }

  /// New values are there, in the order of the format.
  void refill(const Kokkos::Cuda& exec, const Scalar* values) const {
    std::visit([&](const auto& kernel) { kernel.refill(exec, values); }, kernel_);
  }

  std::string describe() const {
    return std::visit(
        [&](const auto& kernel) { return kernel.describe() + describe_precision(asked_, kernel.precision()); },
        kernel_);
  }

  std::size_t bytes() const {
    return std::visit([](const auto& kernel) { return kernel.bytes(); }, kernel_);
  }

  /// For vectors of any type that the matrix may be multiplied with.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return std::visit([&](const auto& kernel) { return kernel.scratch_bytes(x_rows, columns); }, kernel_);
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const AnyFormat<Offset, Memory>&,
                const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    return std::visit([&](const auto& kernel) { return kernel.multiply(exec, product, scratch); }, kernel_);
  }

 private:
  template <class Kernel, class Pattern, class... More>
  bool take(const Kokkos::Cuda& exec, const Pattern& A, const PlanOptions& options, const More&... more) {
    Kernel kernel;
    if (!kernel.build(exec, A, options, more...)) return false;
    kernel_ = std::move(kernel);
    return true;
  }

  using None = NoCudaKernel<Scalar>;
  using Rows = CudaRows<Scalar, Offset>;
  std::conditional_t<
      is_real,
      std::variant<None, Rows, CudaTiles<Scalar, Offset>, CudaStaged<Scalar, Offset>, CudaBlocks<Scalar, Offset>,
                   CudaBrp<Scalar, Offset>, CudaSortedColumns<Scalar, Offset>>,
      std::variant<None, Rows>>
      kernel_;  // the one that the matrix is built for
  Precision asked_ = Precision::Native;
};

}  // namespace Tessera::Impl
