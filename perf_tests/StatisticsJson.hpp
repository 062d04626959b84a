// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tessera/Format.hpp>
#include <tessera/select/MatrixStatistics.hpp>

namespace Tessera::Impl {

/// Calls visit(key, member) for each member of MatrixStatistics. The keys are those of the files in models.
template <class Statistics, class Visit>
void for_each_statistic(Statistics& m, const Visit& visit) {
  visit("rows", m.rows);
  visit("columns", m.columns);
  visit("nonzeros", m.nonzeros);
  visit("bittcf_tiles", m.bittcf_tiles);
  visit("bmat_tiles", m.bmat_tiles);
  visit("near_columns", m.window8_columns);
  visit("staged_columns", m.window64_columns);
  visit("window_columns", m.window128_columns);
  visit("longest_row", m.longest_row);
  visit("longest_window", m.window8_most_tiles);
  visit("longest_tall_window", m.window16_most_tiles);
  visit("longest_staged_window", m.window64_most_columns);
  visit("longest_staged_entries", m.window64_most_entries);
  visit("row_groups", m.row_groups);
  visit("group_columns", m.group_columns);
  visit("group_values", m.group_values);
  visit("bcsr_blocks", m.bcsr_blocks);
  visit("bcsr_block_rows", m.bcsr_block_rows);
  visit("bcsr_block_columns", m.bcsr_block_columns);
  visit("wide_blocks", m.wide_blocks);
  visit("is_reordered", m.is_reordered);
  visit("matrix_bytes", m.matrix_bytes);
  visit("vector_bytes", m.vector_bytes);
  visit("offset_bytes", m.offset_bytes);
  visit("vector_columns", m.vector_columns);
}
inline void to_json(nlohmann::json& json, const MatrixStatistics& statistics) {
  for_each_statistic(statistics, [&](const char* key, const auto& member) { json[key] = member; });
}
inline void from_json(const nlohmann::json& json, MatrixStatistics& statistics) {
  const std::string newer[] = {"row_groups", "group_columns", "group_values", "wide_blocks"};
  for_each_statistic(statistics, [&](const char* key, auto& member) {
    // Records of older measurements lack the keys above.
    const bool is_new = std::count(std::begin(newer), std::end(newer), key) > 0;
    if (!is_new || json.contains(key)) json.at(key).get_to(member);
  });
}

namespace Benchmarks {

inline nlohmann::json to_json(const MatrixStatistics& statistics) { return statistics; }

inline Format format_of(const std::string& name) {
  const auto format = enum_named<Format>(name);
  if (!format || *format == Format::Auto) throw std::invalid_argument("there is no format '" + name + "'");
  return *format;
}

/// Returns the format of a measured candidate. Older files mark staged windows as "bittcf" with "staged" true.
inline Format format_of(const nlohmann::json& candidate) {
  return candidate.value("staged", false) ? Format::Staged : format_of(candidate.at("format").get<std::string>());
}

}  // namespace Benchmarks

}  // namespace Tessera::Impl
