// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <vector>

/// A line of the header, with 14 columns for each number.
inline std::string columns14(const std::vector<long long>& numbers) {
  std::string line;
  for (const long long number : numbers) {
    char word[32];
    std::snprintf(word, sizeof word, "%14lld", number);
    line += word;
  }
  return line;
}

/// The header of a Harwell-Boeing file. `formats` is the fourth line. A fifth line, if any, describes right-hand sides.
inline std::string harwell_boeing_head(const std::string& type, int rows, int columns, std::size_t entries,
                                       const std::string& formats, const std::string& right_hand_sides = "") {
  const long long lines = right_hand_sides.empty() ? 0 : 1;
  return "A title                                                                 KEY     \n" +
         columns14({9, 3, 3, 3, lines}) + "\n" + type + std::string(11, ' ') +
         columns14({rows, columns, static_cast<long long>(entries), 0}) + "\n" + formats + "\n" +
         (right_hand_sides.empty() ? "" : right_hand_sides + "\n");
}

/// A matrix as a general real file with formats (10I8) and (3E26.17).
inline std::string harwell_boeing_text(const Tessera::HostCsr<double>& matrix) {
  const auto columns = static_cast<std::size_t>(matrix.columns);
  std::vector<std::vector<std::pair<int, double>>> stored(columns);
  for (std::size_t row = 0; row + 1 < matrix.row_offsets.size(); ++row) {
    for (std::size_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      stored[static_cast<std::size_t>(matrix.column_indices[k])].emplace_back(static_cast<int>(row), matrix.values[k]);
    }
  }
  std::string pointers, indices, values;
  const auto add = [](std::string& text, std::size_t number, std::size_t per_line, const char* format, auto value) {
    char word[64];
    std::snprintf(word, sizeof word, format, value);
    if (number > 0 && number % per_line == 0) text += '\n';
    text += word;
  };
  std::size_t k = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    add(pointers, column, 10, "%8zu", k + 1);
    for (const auto& [row, value] : stored[column]) {
      add(indices, k, 10, "%8d", row + 1);
      add(values, k, 3, "%26.17E", value);
      ++k;
    }
  }
  add(pointers, columns, 10, "%8zu", k + 1);
  return harwell_boeing_head("RUA", matrix.rows, matrix.columns, k, "(10I8)          (10I8)          (3E26.17)") +
         pointers + "\n" + indices + "\n" + values + "\n";
}
