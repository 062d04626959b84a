// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

namespace Tessera::Impl {

/// How compressed rows are multiplied by a single column on an NVIDIA GPU. The order of summation depends on it.
struct CsrColumnKernel {
  enum class Kind {
    InOrder,  ///< like a column among others (Cuda::CsrNarrowRows)
    Rows,     ///< rows of about the same length (Cuda::CsrColumnRows)
    Tiles,    ///< tiles of entries (Cuda::CsrColumnTile)
    Blocks  ///< rows that begin in adjacent tiles, if they are long and X fits in shared memory (Cuda::CsrColumnBlock)
  };
  Kind kind = Kind::InOrder;
  int lanes = 4;  ///< of Rows: lanes that sum a row

  friend bool operator==(const CsrColumnKernel&, const CsrColumnKernel&) = default;
};

/// Chooses a kernel from the lengths of rows. With Rows, a product waits for rows that are much longer than others.
/// Tiles take more instructions, which does not pay for rows of like length, unless these are short and their values
/// narrow or few. The choice depends on the matrix only. Thresholds were measured on an H200.
///
/// \param longest_row  [in] entries of the longest row
/// \param matrix_bytes [in] bytes of a value
inline CsrColumnKernel choose_csr_column_kernel(double rows, double nonzeros, double longest_row, double matrix_bytes) {
  using Kind = CsrColumnKernel::Kind;
  constexpr double short_row = 5, narrow_value = 4, few_values = 5e5, most_times = 8, always_alike = 128,
                   always_long = 2048;
  constexpr double mean_entries = 8, most_entries = 32, few_lanes = 1e5;  // of a lane
  const double length = nonzeros / std::max(rows, 1.0);
  const bool are_alike = longest_row <= std::min(always_long, std::max(most_times * length, always_alike));
  CsrColumnKernel kernel;
  if (are_alike && length >= short_row) {
    kernel.kind = Kind::Rows;
  } else if (!are_alike || matrix_bytes <= narrow_value || nonzeros <= few_values) {
    kernel.kind = Kind::Tiles;
  }
  const auto for_mean = std::bit_floor(static_cast<unsigned>(std::clamp(length / mean_entries, 4.0, 32.0)));
  const auto for_longest = std::bit_ceil(static_cast<unsigned>(std::clamp(longest_row / most_entries, 1.0, 32.0)));
  kernel.lanes = static_cast<int>(std::max(for_mean, for_longest));
  if (kernel.lanes < 32 && rows * kernel.lanes < few_lanes) kernel.lanes *= 2;
  return kernel;
}

/// Whether a matrix that would be multiplied in tiles has so many entries, in rows so long, that each multiprocessor
/// may first copy all of X to its shared memory, which must have room for it. No row may be longer than the share of a
/// multiprocessor, because each row has only one. Thresholds were measured on an H200.
inline bool csr_has_column_blocks(double rows, double nonzeros, double longest_row, double multiprocessors) {
  constexpr double long_row = 80, many_entries = 8000;  // the mean; of a multiprocessor
  const double share = nonzeros / multiprocessors;
  return nonzeros >= long_row * rows && share >= many_entries && longest_row <= share;
}

}  // namespace Tessera::Impl
