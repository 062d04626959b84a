// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tessera/select/GpuModel.hpp>
#include <utility>
#include <vector>

/// The library's models, with constants that can be fitted to measured times.
namespace Tessera::Impl::Benchmarks {

/// A measured candidate.
struct Measured {
  FormatSize size;
  double seconds = 0, least = 0, most = 0;
  bool is_asked = false;  // requested in addition to the candidates
};

/// All candidates for a matrix, an arithmetic and a number of columns.
struct Cell {
  std::string matrix, arithmetic, device;
  MatrixStatistics statistics;
  std::vector<Measured> candidates;
  double cores = 1;      // cores of a host
  bool is_held = false;  // held back: nothing is fitted to it
  std::string family{};
};

/// Models with named, adjustable constants: one per arithmetic, which may share constants.
struct FittedModel {
  std::map<std::string, std::vector<double*>> constants;
  std::map<std::string, double> before;  // initial values

  virtual ~FittedModel() = default;
  virtual double seconds(const Cell& cell, const FormatSize& size) const = 0;
  virtual double ambiguity_ratio() const = 0;  // MachineModel::ambiguity_ratio, GpuModel::ambiguity_ratio

  double value(const std::string& name) const { return *constants.at(name)[0]; }
  void set(const std::string& name, double value) {
    for (double* const constant : constants.at(name)) *constant = value;
  }
};

struct FittedHost : FittedModel {
  MachineModel model;

  FittedHost() {
    constants = {{"bytes", {&model.streamed_rate}},
                 {"gathered_lines", {&model.gathered_lines}},
                 {"tile_rows", {&model.tile_rows}},
                 {"core_cache", {&model.core_cache_bytes}},
                 {"shared_cache", {&model.shared_cache_bytes}},
                 {"cached_bytes", {&model.cached_rate}}};
  }
  double seconds(const Cell& cell, const FormatSize& size) const override {
    return predict(cell.statistics, size, model.times(cell.cores)).predicted_seconds;
  }
  double ambiguity_ratio() const override { return MachineModel::ambiguity_ratio; }
};

inline GpuModel gpu_model_of_arithmetic(const std::string& arithmetic) {
  if (arithmetic == "tf32") return GpuModel::tf32();
  if (arithmetic == "tf32x3") return GpuModel::tf32x3();
  if (arithmetic == "fp16" || arithmetic == "bf16") return GpuModel::half();
  if (arithmetic == "fp16_half") return GpuModel::half_vectors();
  if (arithmetic == "half") return GpuModel::half_vectors_without_tile_kernels();
  if (arithmetic == "float") return GpuModel::without_tile_kernels();
  if (arithmetic.starts_with("complex")) return GpuModel::rows_only();
  return {};
}

/// NOTE: compressed rows were measured before chunks of X in shared memory existed, and `fp16` when tiles of BitTCF had
/// elements of 32 bits; now they have 16 bits.
inline GpuModel gpu_model_of(const std::string& arithmetic) {
  GpuModel gpu = gpu_model_of_arithmetic(arithmetic);
  gpu.chunks.shared_bytes = 0;
  if (arithmetic == "fp16") gpu.rounded_bytes = 0;
  return gpu;
}

/// The memory bandwidth of a device such as "Cuda, NVIDIA H200" in bytes per second, by its data sheet.
inline double memory_rate(const std::string& device) {
  return device.find("H100") != std::string::npos ? 3.35e12 : H200::memory_rate;
}

/// A property of the device, or of kernels common to all arithmetics, is one constant. A property of tensor cores is
/// one constant per arithmetic.
struct FittedGpu : FittedModel {
  std::map<std::string, GpuModel> models;

  explicit FittedGpu(const std::set<std::string>& arithmetics) {
    for (const std::string& arithmetic : arithmetics) {
      GpuModel& model = models[arithmetic] = gpu_model_of(arithmetic);
      const std::string halves = arithmetic.ends_with("half") ? "halves." : "";  // rows of a 16-bit X
      for (const auto& [name, member] :
           {std::pair("first_gathers", &GpuModel::first_gathers), std::pair("near_gathers", &GpuModel::near_gathers),
            std::pair("near_cache", &GpuModel::near_cache_bytes), std::pair("row", &GpuModel::row_s),
            std::pair("thin_step", &GpuModel::thin_step), std::pair("narrow_fetch", &GpuModel::narrow_fetch_bytes),
            std::pair("entry_bytes", &GpuModel::entry_bytes), std::pair("copy", &GpuModel::copy_s),
            std::pair("group_gathers", &GpuModel::group_gathers), std::pair("group_stream", &GpuModel::group_stream),
            std::pair("group_overlap", &GpuModel::group_overlap),
            std::pair("thin_group_step", &GpuModel::thin_group_step),
            std::pair("group_column_bytes", &GpuModel::group_column_bytes)})
        share(halves + name, model.*member);
      share(halves + "rows", model.rows);
      share(halves + "groups", model.groups);
      if (model.group_value_s > 0) share(halves + "group_value", model.group_value_s);
      for (const auto& [name, member] :
           {std::pair("window_cache", &GpuModel::window_cache_bytes), std::pair("streamed", &GpuModel::streamed),
            std::pair("sums", &GpuModel::sums_s)})
        share(name, model.*member);
      for (std::size_t i = 0; i < std::size(model.gathers); ++i)
        share("gathers" + std::to_string(i), model.gathers[i].bytes);
      for (GpuModel::Chain* const chain : {&model.rows, &model.groups}) share("rows.sum_step", chain->sum_step_s);
      if (model.sorted_rate > 0) share("sorted_bytes", model.sorted_rate);
      share("walks.launch", model.walks.launch_s);
      share("walks.step", model.walks.step_s);
      for (const auto& [name, member] :
           {std::pair("walked_tile", &GpuModel::walked_tile_s), std::pair("walked_entry", &GpuModel::walked_entry_s),
            std::pair("walked_bytes", &GpuModel::walked_rate), std::pair("entry_step", &GpuModel::entry_step),
            std::pair("team_entry", &GpuModel::team_entry_s)})
        share(name, model.*member);
      if (model.tile_s == 0) continue;
      for (GpuModel::Chain* const chain : {&model.tiles, &model.tall_tiles, &model.blocks, &model.staged})
        share("sum_step", chain->sum_step_s);
      share(halves + "tile_alone", model.tile_alone);
      share(halves + "window_tiles", model.window_tiles);
      share(halves + "tile_overlap", model.tile_overlap);
      if (model.partition > 0) share(arithmetic + ".partition", model.partition);
      share(arithmetic + ".tile", model.tile_s);
      share(arithmetic + ".tall_tile", model.tall_tile);
      share(arithmetic + ".tiles", model.tiles);
      share(arithmetic + ".tall_tiles", model.tall_tiles);
      if (model.block > 0) {
        share(arithmetic + ".block", model.block);
        share(arithmetic + ".blocks", model.blocks);
      }
      if (model.staged_chunk_s == 0) continue;
      share(arithmetic + ".staged_chunk", model.staged_chunk_s);
      share(arithmetic + ".staged_tile", model.staged_tile_s);
      share(arithmetic + ".staged_overlap", model.staged_overlap);
      share(arithmetic + ".staged", model.staged);
    }
  }
  double seconds(const Cell& cell, const FormatSize& size) const override {
    const GpuModel& model = models.at(cell.arithmetic);
    return predict(cell.statistics, size, model.with_memory(memory_rate(cell.device))).predicted_seconds;
  }
  double ambiguity_ratio() const override { return GpuModel::ambiguity_ratio; }

 private:
  void share(const std::string& name, double& constant) { constants[name].push_back(&constant); }
  void share(const std::string& name, GpuModel::Chain& chain) {
    share(name + ".launch", chain.launch_s);
    share(name + ".step", chain.step_s);
    share(name + ".bytes", chain.bytes);
  }
};

inline std::unique_ptr<FittedModel> model_of(const std::string& version, const std::set<std::string>& arithmetics) {
  if (version.starts_with("gpu")) return std::make_unique<FittedGpu>(arithmetics);
  return std::make_unique<FittedHost>();
}

}  // namespace Tessera::Impl::Benchmarks
