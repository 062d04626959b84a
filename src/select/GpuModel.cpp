// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <tessera/select/GpuModel.hpp>

namespace Tessera::Impl {

namespace {

/// Returns the common part of the models for tensor cores in precisions other than FP64.
GpuModel tiles_of_floats() {
  GpuModel gpu;
  gpu.partition = 4.6;
  gpu.has_narrow_blocks = false;
  gpu.slab_columns = 64;
  gpu.staged_chunk_s = 0;
  return gpu;
}

/// Returns the model of CSR and row groups with 16-bit X and Y, and values and sums of float.
GpuModel rows_of_halves(GpuModel gpu) {
  gpu.near_gathers = 15.92e12;
  gpu.near_cache_bytes = 138.6e3;
  gpu.row_s = 0.08371e-9;
  gpu.rows = {3.093e-6, 31.58e-9, 64, 430, 26.37e-9};
  gpu.narrow_row_bytes = 16;
  gpu.narrow_bytes = 8;
  gpu.narrow_fetch_bytes = 47.41;
  gpu.entry_bytes = 9.384;
  gpu.least_fetch_bytes = 128;
  gpu.has_compact_rows = false;
  gpu.thin_step = 1.407;
  gpu.copy_s = 3.275e-6;
  gpu.group_gathers = 15.85e12;
  gpu.group_value_s = 40.5e-15;
  gpu.group_stream = 1.902;
  gpu.group_overlap = 0.692;
  gpu.groups = {4.183e-6, 7.186e-9, 128, 890, 26.37e-9};
  gpu.thin_group_step = 2.819;
  gpu.narrow_groups = 0;
  return gpu;
}

}  // namespace

GpuModel GpuModel::with_memory(double rate) const {
  GpuModel model = *this;
  if (!(rate > 0) || std::isinf(rate)) return model;
  const double share = rate / H200::memory_rate;
  model.streamed *= share;
  // An X of up to 32 MB stays in the cache; an X of 256 MB or more is always gathered from memory.
  constexpr double cached = 32e6, uncached = 256e6;
  for (GatherRate& gather : model.gathers) {
    const double from_memory = std::clamp(std::log(gather.footprint / cached) / std::log(uncached / cached), 0.0, 1.0);
    gather.bytes *= std::pow(share, from_memory);
  }
  return model;
}

GpuModel GpuModel::tf32() {
  GpuModel gpu = tiles_of_floats();
  gpu.tile_s = 0.1567e-9;
  gpu.tall_tile = 1.234;
  gpu.block = 0.9749;
  gpu.tiles = {2.108e-6, 0.244e-6, 32, 3440};
  gpu.tall_tiles = {2.942e-6, 0.2321e-6, 32, 3440};
  gpu.blocks = {3.599e-6, 64.55e-9, 64, 3440};
  gpu.warpgroup_narrow_s = 1.42e-6;
  gpu.warpgroup_wide_s = 2.43e-6;
  gpu.warpgroup_value_bytes = 4;
  return gpu;
}

GpuModel GpuModel::tf32x3() {
  GpuModel gpu = tiles_of_floats();
  gpu.tile_s = 0.1906e-9;
  gpu.tall_tile = 1.51;
  gpu.block = 0.9559;
  gpu.tiles = {2.387e-6, 0.28e-6, 32, 3440};
  gpu.tall_tiles = {3.066e-6, 0.3058e-6, 32, 3440};
  gpu.blocks = {3.593e-6, 0.161e-6, 64, 3440};
  gpu.warpgroup_narrow_s = gpu.warpgroup_wide_s = 2.35e-6;
  gpu.warpgroup_slab = 128;
  gpu.warpgroup_value_bytes = 8;
  return gpu;
}

GpuModel GpuModel::half() {
  GpuModel gpu = tiles_of_floats();
  gpu.has_square_blocks = true;
  gpu.slab_columns = 128;
  gpu.tile_s = 0.1889e-9;
  gpu.tall_tile = 1.249;
  gpu.block = 0.2799;
  gpu.tiles = {0.546e-6, 0.2171e-6, 32, 3440};
  gpu.tall_tiles = {0.9555e-6, 0.2207e-6, 32, 3440};
  gpu.blocks = {2.532e-6, 13.92e-9, 64, 3440};
  gpu.warpgroup_narrow_s = 0.65e-6;
  gpu.warpgroup_wide_s = 1.5e-6;
  gpu.warpgroup_value_bytes = 2;
  gpu.block_density = 0.1;
  gpu.copied_columns = 128;
  gpu.rounded_bytes = 2;
  return gpu;
}

GpuModel GpuModel::half_vectors() {
  GpuModel gpu = rows_of_halves(half());
  gpu.tile_s = 0.1597e-9;
  gpu.tile_alone = 0.8309;
  gpu.window_tiles = 1.426;
  gpu.tile_overlap = 0.4617;
  gpu.tall_tile = 1.27;
  gpu.tiles = {3.017e-6, 0.1388e-6, 32, 990};
  gpu.tall_tiles = {3.51e-6, 0.144e-6, 32, 690};
  gpu.copied_columns = 0;
  gpu.staged_chunk_s = gpu.block = gpu.partition = gpu.sorted_rate = gpu.warpgroup_narrow_s = 0;
  return gpu;
}

GpuModel GpuModel::half_vectors_without_tile_kernels() { return rows_of_halves(without_tile_kernels()); }

GpuModel GpuModel::without_tile_kernels() {
  GpuModel gpu;
  gpu.tile_s = gpu.staged_chunk_s = gpu.block = gpu.partition = 0;
  return gpu;
}

GpuModel GpuModel::rows_only() {
  GpuModel gpu = without_tile_kernels();
  gpu.sorted_rate = 0;
  gpu.chunks.shared_bytes = 0;
  gpu.has_compact_rows = false;
  return gpu;
}

GpuModel GpuModel::portable() {
  GpuModel gpu = rows_only();
  gpu.has_rows = false;
  gpu.group_gathers = 0;
  return gpu;
}

bool has_measured_rates(std::string_view gpu) {
  return gpu.starts_with("NVIDIA H100") || gpu.starts_with("NVIDIA H200");
}

}  // namespace Tessera::Impl
