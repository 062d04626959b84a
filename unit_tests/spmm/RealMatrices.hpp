// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <tessera/io/HostCsr.hpp>
#include <vector>

#include "HostPattern.hpp"

/// The real matrices that tests read.
namespace Tessera::Impl::Test {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uintmax_t most_bytes = 500000;  // larger files take minutes under the sanitizer, and find no more errors
#else
constexpr std::uintmax_t most_bytes = std::numeric_limits<std::uintmax_t>::max();
#endif

/// Lists the Matrix Market files of TESSERA_DATA_DIR.
inline std::vector<std::filesystem::path> collection() {
  std::vector<std::filesystem::path> files;
  const char* folder = std::getenv("TESSERA_DATA_DIR");
  if (folder == nullptr || *folder == '\0') return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_matrix = name.ends_with(".mtx") || name.ends_with(".mtx.gz");
    if (is_matrix && entry.file_size() <= most_bytes) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Returns the pattern of a matrix that was read from a file.
template <class Scalar>
HostPattern<int> pattern_of(const HostCsr<Scalar>& matrix) {
  HostPattern<int> pattern;
  pattern.rows = matrix.rows;
  pattern.columns = matrix.columns;
  pattern.row_offsets.assign(matrix.row_offsets.begin(), matrix.row_offsets.end());
  pattern.column_indices = matrix.column_indices;
  return pattern;
}

}  // namespace Tessera::Impl::Test
