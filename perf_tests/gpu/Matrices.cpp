// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Matrices.hpp"

#include <filesystem>
#include <limits>
#include <stdexcept>
#include <tessera/io/Generators.hpp>
#include <tessera/io/ReadMatrix.hpp>

namespace Tessera::Bench {

namespace {

HostMatrix narrow(HostCsr<double> csr, const std::string& name) {
  if (csr.values.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::invalid_argument(name + ": " + std::to_string(csr.values.size()) + " nonzeros, more than an int counts");
  }
  HostMatrix matrix{csr.rows, csr.columns, {}, std::move(csr.column_indices), std::move(csr.values)};
  matrix.row_offsets.assign(csr.row_offsets.begin(), csr.row_offsets.end());
  return matrix;
}

}  // namespace

NamedMatrix load_matrix(const std::string& file_or_generator) {
  if (!std::filesystem::exists(file_or_generator)) {
    try {
      return {file_or_generator, narrow(generate(file_or_generator, 1), file_or_generator)};
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(file_or_generator + ": no such file, and as a generator: " + error.what());
    }
  }
  std::filesystem::path name = std::filesystem::path(file_or_generator).filename();
  if (name.extension() == ".gz") name = name.stem();
  return {name.stem().string(), narrow(read_matrix<double>(file_or_generator), file_or_generator)};
}

}  // namespace Tessera::Bench
