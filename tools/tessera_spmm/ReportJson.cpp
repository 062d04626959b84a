// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <nlohmann/json.hpp>
#include <tessera/MemoryLimit.hpp>
#include <tessera/Version.hpp>

#include "Formats.hpp"
#include "Report.hpp"

namespace Tessera::Impl::Driver {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json windows_json(const std::array<WindowColumns, 5>& all) {
  Json json = Json::array();
  for (const WindowColumns& windows : all) {
    json.push_back({{"rows", windows.window_rows}, {"columns", windows.columns}, {"reuse", windows.reuse}});
  }
  return json;
}

Json matrix_json(const Result& result) {
  const MatrixSummary& matrix = result.matrix;
  return {{"name", matrix.name},
          {"file", or_null(result.settings.matrix_file)},
          {"rows", matrix.rows},
          {"columns", matrix.columns},
          {"nonzeros", matrix.nonzeros},
          {"mean_row", matrix.row_lengths.mean},
          {"row_deviation", matrix.row_lengths.deviation},
          {"shortest_row", matrix.row_lengths.shortest},
          {"longest_row", matrix.row_lengths.longest},
          {"empty_rows", matrix.row_lengths.empty},
          {"windows", windows_json(matrix.windows)},
          {"csr_bytes", result.csr_bytes}};
}

/// Null means that the format chooses the parameter itself.
Json parameters_json(const FormatParameters& parameters) {
  const auto given = [](int value) { return value == 0 ? Json() : Json(value); };
  return {{"brp_nonzeros_per_column", given(parameters.brp_nonzeros_per_column)},
          {"brp_tiles_per_group", given(parameters.brp_tiles_per_group)},
          {"bcsr_block_rows", given(parameters.bcsr_block_rows)},
          {"bcsr_block_columns", given(parameters.bcsr_block_columns)},
          {"sorted_columns_width", given(parameters.sorted_columns_width)},
          {"sorted_columns_height", given(parameters.sorted_columns_height)},
          {"staged_chunk_values", given(parameters.staged_chunk_values)},
          {"staged_piece_chunks", given(parameters.staged_piece_chunks)},
          {"group_rows", given(parameters.group_rows)}};
}

Json settings_json(const Result& result) {
  const Settings& settings = result.settings;
  return {{"format", settings.format},
          {"reorder", settings.reorder},
          {"shuffle", settings.shuffle},
          {"parameters", parameters_json(settings.parameters)},
          {"memory_limit", result.memory_limit == no_memory_limit ? Json() : Json(result.memory_limit)},
          {"columns", result.columns},
          {"scalar", result.scalar},
          {"precision", to_string(settings.precision)},
          {"kernel", to_string(settings.kernel)},
          {"tune", settings.tune},
          {"layout", settings.layout == Layout::Left ? "left" : "right"},
          {"mode", to_string(settings.mode)},
          {"alpha", {settings.alpha.real(), settings.alpha.imag()}},
          {"beta", {settings.beta.real(), settings.beta.imag()}},
          {"seed", settings.seed},
          {"repeat", settings.repeat > 0 ? Json(settings.repeat) : Json()},
          {"x", or_null(settings.x_file)},
          {"y", or_null(settings.y_file)}};
}

Json plan_file_json(const std::optional<PlanFile>& file) {
  return file ? Json{{"file", file->name}, {"bytes", file->bytes}, {"seconds", file->seconds}} : Json();
}

Json measurement_json(const Measurement& row) {
  return {{"name", row.name},
          {"precision", to_string(row.precision)},
          {"bytes", row.bytes},
          {"bytes_over_csr", row.bytes_over_csr},
          {"spmm_seconds",
           {{"median", row.median()}, {"min", row.fastest()}, {"max", row.slowest()}, {"samples", row.seconds}}},
          {"gflops", row.gigaflops},
          {"gbytes_per_second", row.gigabytes},
          {"error", row.error},
          {"verified", row.verified()}};
}

Json format_json(const FormatMeasurement& format, const Result& result) {
  if (!format.rejected.empty()) {
    Json json{{"name", format.name}, {"rejected", format.rejected}};
    if (is_reordered(result)) json["reordering"] = to_string(format.reordering);
    return json;
  }
  Json json = measurement_json(format);
  json["tiles"] = format.tiles.tiles;
  json["nonzeros_per_tile"] = format.tiles.mean_nonzeros;
  json["tiled_nonzeros"] = format.tiles.tiled_nonzeros;
  json["fill"] = format.tiles.fill;
  json["imbalance"] = format.tiles.imbalance ? Json(*format.tiles.imbalance) : Json();
  json["build_seconds"] = format.build_seconds;
  json["kernels"] = or_null(format.kernels);
  json["reordering"] = to_string(format.reordering);
  if (!is_reordered(result)) return json;
  json["finds_no_order"] = format.finds_no_order;
  json["predicted_relative_seconds"] = format.predicted_relative;
  json["windows"] = windows_json(format.windows);
  return json;
}

Json peer_json(const Measurement& peer, const Result& result) {
  Json json = peer.rejected.empty() ? measurement_json(peer) : Json{{"name", peer.name}, {"rejected", peer.rejected}};
  json["build"] = result.peer_build;
  return json;
}

}  // namespace

std::string report_json(const Result& result) {
  Json json{{"program", "tessera_spmm"},
            {"version", TESSERA_VERSION_STRING},
            {"verified", result.verified()},
            {"matrix", matrix_json(result)},
            {"settings", settings_json(result)},
            {"backend",
             {{"name", result.settings.backend},
              {"concurrency", result.concurrency},
              {"kokkos_version", result.kokkos_version}}},
            {"plan", {{"format", to_string(result.automatic)}, {"explanation", result.explanation}}},
            {"saved_plan", plan_file_json(result.saved_plan)},
            {"loaded_plan", plan_file_json(result.loaded_plan)},
            {"formats", Json::array()},
            {"kokkos_kernels", nullptr},
            {"cusparse", nullptr}};
  for (const FormatMeasurement& format : result.formats) json["formats"].push_back(format_json(format, result));
  for (const Measurement& peer : result.peers) {
    if (result.settings.compare == "cusparse") {
      json["cusparse"].push_back(peer_json(peer, result));
    } else {
      json["kokkos_kernels"] = peer_json(peer, result);
    }
  }
  // JSON must be UTF-8, but names of files may not be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace Tessera::Impl::Driver
