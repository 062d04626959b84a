// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Matrices.hpp"

#include <harness/Matrices.hpp>
#include <limits>
#include <stdexcept>
#include <tessera/io/ReadOrGenerate.hpp>

namespace Tessera::Impl::Bench {

using namespace Harness;

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
  return {matrix_name(file_or_generator), narrow(read_or_generate(file_or_generator), file_or_generator)};
}

}  // namespace Tessera::Impl::Bench
