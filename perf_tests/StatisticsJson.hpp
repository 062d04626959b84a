// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <tessera/common/Format.hpp>
#include <tessera/select/MatrixStatistics.hpp>

namespace Tessera {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MatrixStatistics, rows, columns, nonzeros, bittcf_tiles, bmat_tiles, window_columns,
                                   near_columns, staged_columns, longest_row, longest_window, longest_tall_window,
                                   longest_staged_window, longest_staged_entries, bcsr_blocks, bcsr_block_rows,
                                   bcsr_block_columns, is_reordered, matrix_bytes, vector_bytes, offset_bytes,
                                   vector_columns)

namespace Benchmarks {

inline nlohmann::json to_json(const MatrixStatistics& statistics) { return statistics; }

inline Format format_of(const std::string& name) {
  const auto format = enum_named<Format>(name);
  if (!format || *format == Format::Automatic) throw std::invalid_argument("there is no format '" + name + "'");
  return *format;
}

/// The format of a candidate that was measured. Staged windows were "bittcf" and "staged" until they were a format.
inline Format format_of(const nlohmann::json& candidate) {
  return candidate.value("staged", false) ? Format::Staged : format_of(candidate.at("format").get<std::string>());
}

}  // namespace Benchmarks

}  // namespace Tessera
