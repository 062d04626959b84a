// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/spmm/impl/VectorShape.hpp>

namespace Tessera::Impl {

PlanOptions options_for(const VectorShape& X, std::size_t rows, std::size_t columns, PlanOptions options) {
  if (X.rows != rows && X.rows != columns) {
    throw std::invalid_argument("Tessera::make_plan: X has " + std::to_string(X.rows) + " rows and A is " +
                                std::to_string(rows) + " x " + std::to_string(columns) +
                                "; expected X with a row for each column of A, or for each row if the products are "
                                "transposed");
  }
  if (X.columns > std::size_t(std::numeric_limits<int>::max()))
    throw std::invalid_argument("Tessera::make_plan: X has more than 2^31 - 1 columns");
  options.hints.num_vectors = static_cast<int>(X.columns);
  options.hints.layout_left = X.is_column_major;
  if (X.is_half) options.half_vectors = true;
  return options;
}

}  // namespace Tessera::Impl
