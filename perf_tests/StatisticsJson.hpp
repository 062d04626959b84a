// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json.hpp>
#include <tessera/select/MatrixStatistics.hpp>

namespace Tessera {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MatrixStatistics, rows, columns, nonzeros, bittcf_tiles, bmat_tiles, window_columns,
                                   near_columns, staged_columns, longest_row, longest_window, longest_tall_window,
                                   longest_staged_window, longest_staged_entries, bcsr_blocks, bcsr_block_rows,
                                   bcsr_block_columns, is_reordered, matrix_bytes, vector_bytes, offset_bytes,
                                   vector_columns)

namespace Benchmarks {

inline nlohmann::json to_json(const MatrixStatistics& statistics) { return statistics; }

}  // namespace Benchmarks

}  // namespace Tessera
