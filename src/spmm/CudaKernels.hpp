// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/cuda/CondensedChoice.hpp>
#include <tessera/cuda/CondensedSpmm.hpp>
#include <tessera/cuda/CsrSpmm.hpp>
#include <tessera/cuda/ExpandTiles.hpp>
#include <tessera/parallel/Arrays.hpp>
#include <tessera/select/GpuModel.hpp>
#include <type_traits>
#include <variant>

/// Tessera's kernels for NVIDIA GPUs, for plans on Kokkos::Cuda.
namespace Tessera::Impl {

/// Launches between its birth and its end are on the GPU of an instance, whichever the calling thread was on, and are
/// known to Kokkos Tools under a label, as those of Kokkos' own patterns are.
class CudaLaunches {
 public:
  CudaLaunches(const char* label, const Kokkos::Cuda& exec) {
    cudaGetDevice(&before_);
    cudaSetDevice(exec.cuda_device());
    Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id_);
  }
  ~CudaLaunches() {
    Kokkos::Tools::endParallelFor(id_);
    cudaSetDevice(before_);
  }
  CudaLaunches(const CudaLaunches&) = delete;
  CudaLaunches& operator=(const CudaLaunches&) = delete;

 private:
  int before_ = 0;
  std::uint64_t id_ = 0;
};

/// Compressed rows on CUDA cores: which rows are cut into pieces.
template <class Scalar, class Offset>
struct CudaRows {
  using Memory = Kokkos::Cuda::memory_space;

  Cuda::CsrSchedule schedule;
  Kokkos::View<Ordinal*, Memory> memory;  // of the schedule

  void build(const Kokkos::Cuda& exec, const CsrPattern<Offset>& A, std::size_t nonzeros) {
    const auto counters = allocate<Kokkos::View<unsigned long long*, Memory>>(exec, "Tessera::counters",
                                                                              std::size_t(Cuda::csr_schedule_counters));
    const CudaLaunches launches("Tessera::csr_schedule", exec);
    const auto size =
        Cuda::count_csr_schedule(exec.cuda_stream(), A, Cuda::csr_piece_length(nonzeros), counters.data());
    memory = allocate<decltype(memory)>(exec, "Tessera::CsrSchedule", size.memory_size());
    Cuda::fill_csr_schedule(exec.cuda_stream(), A, size, counters.data(), memory.data());
    exec.fence("Tessera::CudaRows::build");  // the counters go
    schedule = Cuda::CsrSchedule(size, memory.data());
  }

  std::size_t bytes() const { return memory.extent(0) * sizeof(Ordinal); }
  std::size_t scratch_bytes(Ordinal columns, std::size_t vector_bytes) const {
    return Cuda::csr_workspace_bytes(schedule.size, columns, vector_bytes);
  }

  template <class VectorScalar>
  void multiply(const Kokkos::Cuda& exec, const CsrPattern<Offset>& A, const Product<Scalar, VectorScalar>& product,
                const Scratch& scratch) const {
    const CudaLaunches launches("Tessera::csr_spmm", exec);
    Cuda::csr_spmm(exec.cuda_stream(), A, schedule, product, scratch);
  }
};

/// Condensed windows on tensor cores: the values as whole blocks, if there is room for them, and who multiplies which
/// tiles.
template <class Scalar, class Offset>
struct CudaTiles {
  using Memory = Kokkos::Cuda::memory_space;
  static constexpr Ordinal panel = 64;      // columns of X that are packed at a time, where it is not by rows
  static constexpr std::size_t page = 256;  // what the scratch memory is aligned to

  Cuda::CondensedPattern<Offset> pattern;
  Cuda::CondensedSchedule<Offset> schedule;
  Precision precision = Precision::Native;
  std::size_t tiles = 0;
  Kokkos::View<Cuda::CondensedItem<Offset>*, Memory> items;
  Kokkos::View<Cuda::CondensedSum*, Memory> sums;
  Kokkos::View<Scalar*, Memory> dense;  // empty: compact values are multiplied, which takes longer

  /// Whether so many bytes of zeros and values are within the limit and leave half of what is free.
  static bool has_room(std::size_t bytes, const PlanOptions& options) {
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    return bytes <= options.parameters.memory_limit && bytes <= free / 2;
  }

  template <class Element>
  static Kokkos::View<Element*, Memory> to_device(const Kokkos::Cuda& exec, const char* label,
                                                  const std::vector<Element>& host) {
    const auto device = allocate<Kokkos::View<Element*, Memory>>(exec, label, host.size());
    using HostView = Kokkos::View<const Element*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec, device, HostView(host.data(), host.size()));
    exec.fence("Tessera::CudaTiles::to_device");
    return device;
  }

  void build(const Kokkos::Cuda& exec, const BitTcf<Offset, Memory>& A, const PlanOptions& options) {
    pattern = Cuda::condensed(A.view());
    precision = options.precision;
    const auto offsets = host_copy(exec, A.window_offsets);
    tiles = offsets.empty() ? 0 : static_cast<std::size_t>(offsets.back());
    const auto choice = Cuda::choose_condensed({double(tiles), 0, double(options.columns), precision});
    const auto host = Cuda::build_condensed_schedule(offsets.data(), pattern.windows(), choice.piece_tiles);
    items = to_device(exec, "Tessera::CondensedSchedule::items", host.items);
    sums = to_device(exec, "Tessera::CondensedSchedule::sums", host.sums);
    schedule = {static_cast<int>(host.items.size()), static_cast<int>(host.sums.size()), host.slots, items.data(),
                sums.data()};
    const std::size_t places = tiles * std::size_t(Cuda::CondensedPattern<Offset>::block_size);
    if (has_room(places * sizeof(Scalar), options))
      dense = allocate<decltype(dense)>(exec, "Tessera::CudaTiles::dense", places);
  }

  void refill(const Kokkos::Cuda& exec, const Scalar* compact) const {
    if (dense.extent(0) == 0) return;
    const CudaLaunches launches("Tessera::expand_tiles", exec);
    Cuda::expand_tiles(exec.cuda_stream(), pattern, tiles, compact, dense.data());
  }

  std::size_t bytes() const {
    return items.extent(0) * sizeof(Cuda::CondensedItem<Offset>) + sums.extent(0) * sizeof(Cuda::CondensedSum) +
           dense.extent(0) * sizeof(Scalar);
  }

  template <class VectorScalar>
  static Multivector<VectorScalar> columns_of(const Multivector<VectorScalar>& x, Ordinal first, Ordinal count) {
    return {x.data + first * x.column_stride, x.rows, count, x.row_stride, x.column_stride};
  }

  /// For X by rows all of its columns are multiplied at once, else a panel at a time.
  template <class VectorScalar>
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    const Multivector<const VectorScalar> by_rows{nullptr, x_rows, columns, columns, 1};
    const Multivector<const VectorScalar> by_columns{nullptr, x_rows, std::min(columns, panel), 1, x_rows};
    return page + std::max(Cuda::condensed_workspace_bytes(pattern, schedule, by_rows),
                           Cuda::condensed_workspace_bytes(pattern, schedule, by_columns));
  }

  template <class VectorScalar>
  void multiply(const Kokkos::Cuda& exec, const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    const CudaLaunches launches("Tessera::condensed_spmm", exec);
    const auto address = reinterpret_cast<std::uintptr_t>(scratch.data);
    const std::size_t skipped = (page - address % page) % page;
    const Scratch aligned{scratch.data + skipped, scratch.bytes - skipped};
    const Ordinal width = product.x.column_stride == 1 ? product.x.columns : panel;
    const bool is_dense = dense.extent(0) > 0;
    const auto values = is_dense ? Cuda::TileValues::Dense : Cuda::TileValues::Compact;
    for (Ordinal first = 0; first < product.x.columns; first += width) {
      auto part = product;
      const Ordinal count = std::min(width, product.x.columns - first);
      if (is_dense) part.values = dense.data();
      part.x = columns_of(product.x, first, count);
      part.y = columns_of(product.y, first, count);
      Cuda::condensed_spmm(exec.cuda_stream(), pattern, values, precision, schedule, part, aligned);
    }
  }
};

template <class Scalar, class Offset>
struct DeviceKernels<Scalar, Offset, Kokkos::Cuda> {
  using Memory = Kokkos::Cuda::memory_space;
  static constexpr bool has_tiles = !is_complex_v<Scalar>;

  CudaRows<Scalar, Offset> rows;
  CudaTiles<Scalar, Offset> tiles;

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
  static GpuModel model(const Kokkos::Cuda& exec, Precision precision) {
    GpuModel gpu;
    gpu.has_tile_kernels = fits(exec) && multiplies_tiles(precision);
    return gpu;
  }

  void build(const Kokkos::Cuda& exec, const AnyFormat<Offset, Memory>& format, const PlanOptions& options) {
    if (!fits(exec)) return;
    if (const auto* A = std::get_if<Csr<Offset, Memory>>(&format)) rows.build(exec, A->view(), A->nonzeros);
    if constexpr (has_tiles) {
      const auto* A = std::get_if<BitTcf<Offset, Memory>>(&format);
      if (A != nullptr && multiplies_tiles(options.precision)) tiles.build(exec, *A, options);
    }
  }

  void refill(const Kokkos::Cuda& exec, const Scalar* values) const {
    if constexpr (has_tiles) {
      if (tiles.tiles > 0) tiles.refill(exec, values);
    }
  }

  std::size_t bytes() const { return rows.bytes() + tiles.bytes(); }

  /// For vectors of any type that the matrix may be multiplied with.
  std::size_t scratch_bytes(Ordinal x_rows, Ordinal columns) const {
    using Widest = std::conditional_t<std::is_same_v<Scalar, float>, double, Scalar>;
    std::size_t bytes = rows.scratch_bytes(columns, sizeof(Widest));
    if constexpr (has_tiles) {
      if (tiles.tiles > 0) bytes = std::max(bytes, tiles.template scratch_bytes<Scalar>(x_rows, columns));
    }
    return bytes;
  }

  template <class VectorScalar>
  bool multiply(const Kokkos::Cuda& exec, const AnyFormat<Offset, Memory>& format,
                const Product<Scalar, VectorScalar>& product, const Scratch& scratch) const {
    if (const auto* A = std::get_if<Csr<Offset, Memory>>(&format)) {
      if (rows.schedule.size.piece_length == 0) return false;  // not built
      rows.multiply(exec, A->view(), product, scratch);
      return true;
    }
    if constexpr (has_tiles && std::is_same_v<Scalar, VectorScalar>) {
      if (tiles.tiles > 0) {
        tiles.multiply(exec, product, scratch);
        return true;
      }
    }
    return false;
  }
};

}  // namespace Tessera::Impl
