// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <tessera/Kernel.hpp>
#include <tessera/common/Complex.hpp>
#include <tessera/select/GpuModel.hpp>
#include <type_traits>

#include "CudaDevice.hpp"
#include "CudaPrecision.hpp"
#include "bcsr/warpgroup/Spmm.hpp"
#include "brp/CudaBrp.hpp"
#include "staged/CudaStaged.hpp"
#include "staged/cuda/Choice.hpp"

namespace Tessera::Impl {

/// The device of Kokkos::Cuda: GPUs of NVIDIA, for which most engines have kernels.
template <class Scalar>
struct Device<Scalar, Kokkos::Cuda> {
  using Memory = Kokkos::Cuda::memory_space;
  static constexpr bool is_real = !is_complex_v<Scalar>;

  static bool has(const Kokkos::Cuda& exec, Precision precision) {
    if (precision == Precision::Native) return true;
    if (!has_cuda_kernels(exec)) return false;
    if (precision == Precision::Tf32x3 || precision == Precision::Tf32) return std::is_same_v<Scalar, float>;
    return is_real && Cuda::is_half(precision);
  }

  /// Returns TF32 for floats in 16 bits: TF32 reads X in place, but 16-bit operands are copied and rounded.
  static Precision wider_precision(const PlanOptions& options) {
    const bool is_half = std::is_same_v<Scalar, float> && Cuda::is_half(options.precision);
    const bool may_change = !options.half_vectors && options.kernel == Kernel::Auto;
    return is_half && may_change ? Precision::Tf32 : options.precision;
  }

  static bool runs_kernels(const Kokkos::Cuda& exec) { return has_cuda_kernels(exec); }

  static std::string why_not_published(const Kokkos::Cuda& exec, Format format) {
    const auto& gpu = exec.cuda_device_prop();
    if (!has_cuda_kernels(exec))
      return "the GPU has compute capability " + std::to_string(gpu.major) + "." + std::to_string(gpu.minor) +
             "; expected 8.0 or newer";
    if (paper_of(format).empty())
      return std::string(to_string(format)) + " is from no paper; expected bittcf, bmat, brp, bcsr or sorted_columns";
    return is_real ? "" : "the matrix is complex; expected real numbers";
  }

  static std::string describe_portable(Precision asked) {
    return "for any device" + describe_precision(asked, Precision::Native);
  }

  /// Returns blocks of 16 x 16 for floats that are rounded to 16 bits, unless the user set a shape.
  static FormatParameters parameters(const PlanOptions& options) {
    FormatParameters result = options.parameters;
    const bool is_named = result.bcsr_block_rows != 0 || result.bcsr_block_columns != 0;
    if (std::is_same_v<Scalar, float> && Cuda::is_half(options.precision) && !is_named)
      result.bcsr_block_rows = result.bcsr_block_columns = 16;
    return result;
  }

  /// Returns the shape of staged windows with which their kernel is fastest, unless the user set one.
  static FormatParameters parameters(const Kokkos::Cuda& exec, const PlanOptions& options, const MatrixStatistics& m) {
    FormatParameters result = options.parameters;
    if constexpr (std::is_same_v<Scalar, double>) {
      const StagedShape shape = CudaStaged<Scalar>::shape_for(exec, m);
      if (result.staged_chunk_values == 0) result.staged_chunk_values = shape.most_values;
      if (result.staged_piece_chunks == 0) result.staged_piece_chunks = shape.piece_chunks;
    }
    return result;
  }

  /// Returns the model for the device of the instance. NOTE: it assumes that X has the type of A, or 16 bits.
  static GpuModel model(const Kokkos::Cuda& exec, const PlanOptions& options) {
    GpuModel gpu = model_of_kernels(exec, options).with_memory(memory_rate(exec));
    gpu.is_known = trusts_any_rates() || has_measured_rates(exec.cuda_device_prop().name);
    if (gpu.chunks.shared_bytes > 0) gpu.chunks = chunked_machine(exec);
    return gpu;
  }
  /// Returns the model without asking how much memory is free, as if there were enough for optional data of kernels.
  static GpuModel model_without_room(const Kokkos::Cuda& exec, const PlanOptions& options) {
    GpuModel gpu = model(exec, options);
    gpu.free_bytes = GpuModel().free_bytes;
    return gpu;
  }
  /// Returns the model with the memory rate of an H200.
  static GpuModel model_of_kernels(const Kokkos::Cuda& exec, const PlanOptions& options) {
    if (!has_cuda_kernels(exec)) return GpuModel::portable();
    if (!is_real) return GpuModel::rows_only();
    const bool is_half = Cuda::is_half(options.precision);
    if (options.half_vectors && !is_half) return GpuModel::half_vectors_without_tile_kernels();
    if (!has_tensor_cores<Scalar>(options.precision)) return GpuModel::without_tile_kernels();
    GpuModel gpu;
    if (options.precision == Precision::Tf32) gpu = GpuModel::tf32();
    if (is_half) gpu = options.half_vectors ? GpuModel::half_vectors() : GpuModel::half();
    if (options.precision == Precision::Tf32x3) gpu = GpuModel::tf32x3();
    if (!CudaBrp<Scalar>::has(options.parameters.brp_nonzeros_per_column)) gpu.partition = 0;
    // Doubles have the same kernels for blocks in all precisions.
    gpu.has_narrow_blocks = std::is_same_v<Scalar, double>;
    gpu.has_square_blocks = gpu.has_square_blocks && !gpu.has_narrow_blocks;
    if (!may_have_warpgroups(options) || !Cuda::has_warpgroup_spmm()) gpu.warpgroup_narrow_s = 0;
    gpu.free_bytes = LazyNumber(
        [exec, limit = options.memory_limit] { return static_cast<double>(room_beside_format(exec, limit)); });
    if (options.half_vectors) return gpu;
    if (exec.cuda_device_prop().sharedMemPerBlockOptin < Cuda::usual_staged_shared_bytes()) gpu.staged_chunk_s = 0;
    return gpu;
  }

  /// Whether the options leave it to the plan to store blocks of 64 x 64. The default for 16 bits is 16 x 16.
  static bool may_have_warpgroups(const PlanOptions& options) {
    const auto is = [&](int rows, int columns) {
      return options.parameters.bcsr_block_rows == rows && options.parameters.bcsr_block_columns == columns;
    };
    const bool is_open = is(0, 0) || is(64, 64) || (Cuda::is_half(options.precision) && is(16, 16));
    return std::is_same_v<Scalar, float> && is_open && options.kernel == Kernel::Auto;
  }

  static std::string name(const Kokkos::Cuda& exec) {
    return std::string(exec.name()) + ", " + exec.cuda_device_prop().name;
  }

  static std::size_t free_bytes(const Kokkos::Cuda& exec) { return free_device_bytes(exec); }
};

}  // namespace Tessera::Impl
