// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <string>
#include <tessera/select/GpuModel.hpp>
#include <type_traits>
#include <utility>
#include <variant>

#include "CudaBcsr.hpp"
#include "CudaBitTcf.hpp"
#include "CudaBmat.hpp"
#include "CudaBrp.hpp"
#include "CudaCondensed.hpp"
#include "CudaCsr.hpp"
#include "CudaDevice.hpp"
#include "CudaPublished.hpp"
#include "CudaRowGroups.hpp"
#include "CudaSortedColumns.hpp"
#include "CudaStaged.hpp"

/// Tessera's kernels for NVIDIA GPUs, for plans on Kokkos::Cuda.
namespace Tessera::Impl {

/// Stands for no kernel.
template <class Scalar>
struct NoCudaKernel {
  Precision precision() const { return Precision::Native; }
  std::string describe() const { return "for any device"; }
  void refill(const Kokkos::Cuda&, const Scalar*, const std::uint32_t*) const {}
  std::size_t bytes() const { return 0; }
  std::size_t scratch_bytes(Ordinal, Ordinal) const { return 0; }
  bool multiplies_halves() const { return false; }
  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda&, const Product<Scalar, VectorScalar>&, const Scratch&) const {
    return false;
  }
};

template <class Scalar, class Offset>
struct DeviceKernels<Scalar, Offset, Kokkos::Cuda> {
  using Memory = Kokkos::Cuda::memory_space;
  static constexpr bool is_real = !is_complex_v<Scalar>;

  static bool has(const Kokkos::Cuda& exec, Precision precision) {
    if (precision == Precision::Native) return true;
    if (!has_cuda_kernels(exec)) return false;
    if (precision == Precision::Tf32x3 || precision == Precision::Tf32) return std::is_same_v<Scalar, float>;
    return is_real && Cuda::is_half(precision);
  }

  /// Operands of 16 bits are copied and rounded, and TF32 takes those of 32 bits as they are.
  static Precision wider_precision(const PlanOptions& options) {
    const bool is_half = std::is_same_v<Scalar, float> && Cuda::is_half(options.precision);
    const bool may_change = !options.half_vectors && options.kernel == Kernel::Automatic;
    return is_half && may_change ? Precision::Tf32 : options.precision;
  }

  /// Why plans with these options cannot have the kernel of a format's paper; empty if they can.
  static std::string published_fault(const Kokkos::Cuda& exec, const PlanOptions& options, Format format) {
    if (has_cuda_kernels(exec)) return cuda_published_fault<Scalar, Offset>(options, format);
    const auto& gpu = exec.cuda_device_prop();
    return "the GPU has compute capability " + std::to_string(gpu.major) + "." + std::to_string(gpu.minor) +
           "; expected 8.0 or newer";
  }

  /// Floats that are rounded to 16 bits get blocks of 16 x 16, unless the user names a shape.
  static FormatParameters parameters(const PlanOptions& options) {
    FormatParameters result = options.parameters;
    const bool is_named = result.bcsr_block_rows != 0 || result.bcsr_block_columns != 0;
    if (std::is_same_v<Scalar, float> && Cuda::is_half(options.precision) && !is_named)
      result.bcsr_block_rows = result.bcsr_block_columns = 16;
    return result;
  }

  /// Staged windows get the shape with which their kernel is fastest, unless the user names one.
  static FormatParameters parameters(const Kokkos::Cuda& exec, const PlanOptions& options, const MatrixStatistics& m) {
    FormatParameters result = options.parameters;
    if constexpr (std::is_same_v<Scalar, double>) {
      const StagedShape shape = CudaStaged<Scalar, Offset>::shape_for(exec, m);
      if (result.staged_chunk_values == 0) result.staged_chunk_values = shape.most_values;
      if (result.staged_piece_chunks == 0) result.staged_piece_chunks = shape.piece_chunks;
    }
    return result;
  }

  /// The model for the device of the instance. NOTE: it takes X to have the type of A, or 16 bits.
  static GpuModel model(const Kokkos::Cuda& exec, const PlanOptions& options) {
    GpuModel gpu = model_of_kernels(exec, options).with_memory(memory_rate(exec));
    if (gpu.chunks.shared_bytes > 0) gpu.chunks = chunked_machine(exec);
    return gpu;
  }
  /// The same for the memory of an H200.
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
    if (!CudaBrp<Scalar, Offset>::has(options.parameters.brp_nonzeros_per_column)) gpu.partition = 0;
    // Doubles have the same kernels for blocks in all precisions.
    gpu.has_narrow_blocks = std::is_same_v<Scalar, double>;
    gpu.has_square_blocks = gpu.has_square_blocks && !gpu.has_narrow_blocks;
    gpu.whole_tiles = static_cast<double>(room_for_copies(exec, options));
    if (options.half_vectors) return gpu;
    gpu.staged_entries = static_cast<double>(CudaStaged<Scalar, Offset>::most_entries(exec, options));
    if (exec.cuda_device_prop().sharedMemPerBlockOptin < Cuda::usual_staged_shared_bytes()) gpu.staged_chunk = 0;
    return gpu;
  }

  /// A plan always keeps the lists of a schedule, and dense blocks for condensed windows. Copies for other formats take
  /// the room that is left, or the kernel is not built.
  static KernelMemory memory(const Kokkos::Cuda& exec, const PlanOptions& options, const Candidate& candidate,
                             const MatrixStatistics& m) {
    if (candidate.format == Format::Csr) return Rows::memory(exec, options, m);
    if (options.kernel == Kernel::Published) {
      const auto lists = static_cast<double>(published_list_bytes(exec, candidate, m));
      return {lists, lists, lists};
    }
    if (candidate.format == Format::RowGroups) return Groups::memory(exec, m, candidate.tiles);
    const auto lists = static_cast<double>(list_bytes(exec, candidate, m));
    const auto all = lists + static_cast<double>(copy_bytes(candidate, options.precision));
    return {all, all, lists};
  }

  static std::string device_name(const Kokkos::Cuda& exec) {
    return std::string(exec.name()) + ", " + exec.cuda_device_prop().name;
  }

  static std::size_t free_bytes(const Kokkos::Cuda& exec) { return free_device_bytes(exec); }

  void build(const Kokkos::Cuda& exec, const AnyFormat<Offset, Memory>& format, const PlanOptions& options) {
    asked_ = options.precision;
    if (!has_cuda_kernels(exec)) return;
    const bool wants_published = options.kernel == Kernel::Published;
    take<Csr<Offset, Memory>, CudaCsr<Scalar, Offset>>(exec, format, options);
    take<RowGroups<Offset, Memory>, CudaRowGroups<Scalar, Offset>>(exec, format, options);
    if constexpr (is_real) {
      if (wants_published) {
        take<BitTcf<Offset, Memory>, CudaBitTcf<Scalar, Offset>>(exec, format, options);
        take<Bmat<Offset, Memory>, CudaBmat<Scalar, Offset>>(exec, format, options);
      } else {
        take<BitTcf<Offset, Memory>, CudaCondensed<Scalar, Offset>>(exec, format, options);
        take<Bmat<Offset, Memory>, CudaCondensed<Scalar, Offset>>(exec, format, options);
      }
      take<BlockRowPartition<Offset, Memory>, CudaBrp<Scalar, Offset>>(exec, format, options);
      take<Bcsr<Offset, Memory>, CudaBcsr<Scalar, Offset>>(exec, format, options);
      take<SortedColumns<Offset, Memory>, CudaSortedColumns<Scalar, Offset>>(exec, format, options);
      take<StagedWindows<Offset, Memory>, CudaStaged<Scalar, Offset>>(exec, format, options);
    }
    const bool is_one = !std::holds_alternative<None>(kernel_) && !std::holds_alternative<Rows>(kernel_);
    if (wants_published && is_one) paper_ = paper_of(std::visit([](const auto& any) { return any.format; }, format));
  }

  /// Whether the options asked for the kernel of the format's paper, and this is the one.
  bool is_published() const { return !paper_.empty(); }

  /// Takes new values in the order of the format; see DeviceKernels.
  void refill(const Kokkos::Cuda& exec, const Scalar* values, const std::uint32_t* wanted = nullptr) const {
    std::visit([&](const auto& kernel) { kernel.refill(exec, values, wanted); }, kernel_);
  }

  std::string describe() const {
    return std::visit(
        [&](const auto& kernel) {
          return describe_paper() + kernel.describe() + describe_precision(asked_, kernel.precision());
        },
        kernel_);
  }

  std::size_t bytes() const {
    return std::visit([](const auto& kernel) { return kernel.bytes(); }, kernel_);
  }

  /// For vectors of any type that the matrix may be multiplied with.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    return std::visit([&](const auto& kernel) { return kernel.scratch_bytes(x_rows, columns); }, kernel_);
  }

  bool multiplies_halves() const {
    return std::visit([](const auto& kernel) { return kernel.multiplies_halves(); }, kernel_);
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const AnyFormat<Offset, Memory>&,
                const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    return std::visit([&](const auto& kernel) { return kernel.multiply(exec, product, scratch); }, kernel_);
  }

 private:
  static std::size_t list_bytes(const Kokkos::Cuda& exec, const Candidate& candidate, const MatrixStatistics& m) {
    if constexpr (is_real) {
      using Condensed = CudaCondensed<Scalar, Offset>;
      if (candidate.format == Format::BitTcf) return Condensed::list_bytes(exec, 8, m, candidate.tiles);
      if (candidate.format == Format::Bmat) return Condensed::list_bytes(exec, 16, m, candidate.tiles);
      if (candidate.format == Format::Bcsr) return CudaBcsr<Scalar, Offset>::list_bytes(exec, m, candidate.tiles);
      if (candidate.format == Format::BlockRowPartition) return CudaBrp<Scalar, Offset>::list_bytes(m);
    }
    if (std::is_same_v<Scalar, double> && candidate.format == Format::Staged)
      return CudaStaged<Scalar, Offset>::list_bytes(m);
    return 0;
  }

  static std::size_t published_list_bytes(const Kokkos::Cuda& exec, const Candidate& candidate,
                                          const MatrixStatistics& m) {
    if constexpr (is_real) {
      if (candidate.format == Format::BitTcf) return CudaBitTcf<Scalar, Offset>::list_bytes(exec, m, candidate.tiles);
      if (candidate.format == Format::Bmat) return CudaBmat<Scalar, Offset>::list_bytes(exec, m, candidate.tiles);
    }
    return list_bytes(exec, candidate, m);
  }

  static std::size_t copy_bytes(const Candidate& candidate, Precision precision) {
    if constexpr (is_real) {
      if (candidate.format == Format::BitTcf || candidate.format == Format::Bmat)
        return CudaCondensed<Scalar, Offset>::copy_bytes(candidate.format, static_cast<std::size_t>(candidate.tiles),
                                                         precision);
    }
    return 0;
  }

  std::string describe_paper() const {
    if (!is_published()) return {};
    const char* const vectors = std::is_same_v<Scalar, float> ? ", vectors of double for any device" : "";
    return "as published (" + std::string(paper_) + ")" + vectors + ": ";
  }

  /// Builds a kernel if the matrix is in its format.
  template <class Stored, class Chosen>
  void take(const Kokkos::Cuda& exec, const AnyFormat<Offset, Memory>& format, const PlanOptions& options) {
    const auto* const A = std::get_if<Stored>(&format);
    Chosen kernel;
    if (A != nullptr && kernel.build(exec, *A, options)) kernel_ = std::move(kernel);
  }

  using None = NoCudaKernel<Scalar>;
  using Rows = CudaCsr<Scalar, Offset>;
  using Groups = CudaRowGroups<Scalar, Offset>;
  std::conditional_t<is_real,
                     std::variant<None, Rows, Groups, CudaCondensed<Scalar, Offset>, CudaStaged<Scalar, Offset>,
                                  CudaBcsr<Scalar, Offset>, CudaBrp<Scalar, Offset>, CudaSortedColumns<Scalar, Offset>,
                                  CudaBitTcf<Scalar, Offset>, CudaBmat<Scalar, Offset>>,
                     std::variant<None, Rows, Groups>>
      kernel_;
  Precision asked_ = Precision::Native;
  std::string_view paper_;  // the paper that the kernel is from; empty unless the options asked for it
};

}  // namespace Tessera::Impl
