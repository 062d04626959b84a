// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Stats.hpp"

#include "Json.hpp"

namespace Tessera::Impl {

namespace {

void write_candidates(JsonWriter& json, const Choice& choice) {
  json.key("candidates").begin('[');
  for (const Candidate& candidate : choice.candidates) {
    json.begin('{');
    json.key("format").value(to_string(candidate.format));
    json.key("tiles").value(candidate.tiles);
    json.key("bytes").value(candidate.format_bytes);
    json.key("predicted_seconds");
    candidate.predicted_seconds > 0 ? json.value(candidate.predicted_seconds) : json.null();
    json.key("measured_seconds");
    candidate.measured_seconds > 0 ? json.value(candidate.measured_seconds) : json.null();
    json.key("held_bytes").value(candidate.held_bytes);
    json.key("peak_bytes").value(candidate.peak_bytes);
    json.key("is_rejected").value(candidate.is_rejected);
    json.end('}');
  }
  json.end(']');
}

void write_reorderings(JsonWriter& json, const Choice& choice) {
  json.key("reorderings").begin('[');
  for (const ReorderingTrial& trial : choice.reorderings) {
    json.begin('{');
    json.key("reordering").value(to_string(trial.reordering));
    json.key("relative_seconds").value(trial.relative_seconds);  // null if rejected
    json.key("peak_bytes").value(trial.peak_bytes);
    json.end('}');
  }
  json.end(']');
}

void write_tiles(JsonWriter& json, const TileMetrics& metrics) {
  json.key("tiles").begin('{');
  json.key("count").value(metrics.tiles);
  json.key("nonzeros").value(metrics.tiled_nonzeros);
  json.key("mean_nonzeros").value(metrics.mean_nonzeros);
  json.key("fill").value(metrics.fill);
  json.key("imbalance");
  metrics.imbalance ? json.value(*metrics.imbalance) : json.null();
  json.end('}');
}

void write_seconds(JsonWriter& json, const BuildSeconds& seconds) {
  json.key("seconds").begin('{');
  json.key("analysis").value(seconds.analysis);
  json.key("tuning").value(seconds.tuning);
  json.key("reordering").value(seconds.reordering);
  json.key("format").value(seconds.format);
  json.key("kernels").value(seconds.kernels);
  json.key("values").value(seconds.values);
  json.key("total").value(seconds.total);
  json.end('}');
}

/// Writes the members of an object that describe a stored matrix.
void write_matrix(JsonWriter& json, const Choice& choice, const TileMetrics& tiles) {
  json.key("format").value(to_string(choice.format));
  json.key("model").value(choice.model);
  json.key("device").value(choice.device);
  json.key("reason").value(choice.reason);
  write_candidates(json, choice);
  json.key("reordering").value(to_string(choice.reordering));
  write_reorderings(json, choice);
  write_tiles(json, tiles);
}

/// \param seconds [in] null if the plan has several blocks
void write_transpose(JsonWriter& json, const BlockStats& block, const BuildSeconds* seconds) {
  json.key("transpose");
  if (block.transposed == nullptr) return json.null();
  json.begin('{');
  write_matrix(json, *block.transposed, *block.transposed_tiles);
  if (seconds != nullptr) write_seconds(json, *seconds);
  json.key("kernels").value(block.transpose_kernels);
  json.end('}');
}

void write_blocks(JsonWriter& json, const std::vector<BlockStats>& blocks) {
  json.key("row_blocks");
  if (blocks.size() == 1) return json.null();
  json.begin('[');
  for (const BlockStats& block : blocks) {
    json.begin('{');
    json.key("first_row").value(block.first_row);
    json.key("rows").value(block.rows);
    json.key("nonzeros").value(block.nonzeros);
    write_matrix(json, *block.choice, *block.tiles);
    json.key("kernels").value(block.kernels);
    write_transpose(json, block, nullptr);
    json.end('}');
  }
  json.end(']');
}

void write_growth(JsonWriter& json, const Explanation& e) {
  json.key("growth");
  if (e.growth.empty()) return json.null();
  json.begin('{');
  json.key("state").value(e.growth);
  json.key("due");
  e.growth_due == 0 ? json.null() : json.value(e.growth_due);
  json.end('}');
}

void write_bytes(JsonWriter& json, const Explanation& e) {
  json.key("bytes").begin('{');
  json.key("format").value(e.format_bytes);
  json.key("transpose").value(e.transpose_bytes);
  json.key("slot_maps").value(e.slot_map_bytes);
  json.key("kernels").value(e.kernel_bytes);
  json.key("total").value(e.format_bytes + e.transpose_bytes + e.slot_map_bytes + e.kernel_bytes);
  json.key("peak").value(e.peak_bytes);
  json.key("limit");
  e.memory_limit == no_memory_limit ? json.null() : json.value(e.memory_limit);
  json.end('}');
}

}  // namespace

std::string stats(const Explanation& e, const MadeFor& made_for, const std::vector<BlockStats>& blocks,
                  const PlanSeconds& seconds, const Uses& uses) {
  const BlockStats& first = blocks.front();
  JsonWriter json;
  json.begin('{');
  json.key("rows").value(e.rows);
  json.key("columns").value(e.columns);
  json.key("nonzeros").value(e.nonzeros);
  json.key("num_vectors").value(e.num_vectors);
  json.key("half_vectors").value(e.half_vectors);
  json.key("execution_space").value(e.execution_space);
  json.key("precision").value(made_for.precision);
  json.key("is_wider").value(first.choice->is_wider);
  json.key("kernel").value(made_for.kernel);
  write_matrix(json, *first.choice, *first.tiles);
  write_seconds(json, seconds.plain);
  json.key("kernels").value(first.kernels);
  write_bytes(json, e);
  write_transpose(json, first, &seconds.transposed);
  write_blocks(json, blocks);
  write_growth(json, e);
  json.key("products").value(uses.products);
  json.key("updates").value(uses.updates);
  json.key("duplicates_summed").value(e.duplicates_summed);
  json.key("notes").begin('[');
  for (const std::string& note : e.notes) json.value(note);
  json.end(']');
  json.end('}');
  return json.text();
}

}  // namespace Tessera::Impl
