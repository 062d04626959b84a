// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <tessera/cuda/tall/ColumnSums.hpp>

#include "ColumnSums.cuh"

namespace Tessera::Impl::Cuda {
namespace {

template <class Kind, class Scalar>
void column_sums_of(Stream stream, const TallPanel<const Scalar>& X, const TallPanel<const Scalar>& Y, Scalar* results,
                    Scratch scratch) {
  Tall::ColumnArguments<Scalar> arguments{X, Y, 0, reinterpret_cast<double*>(scratch.data)};
  const unsigned lines = unsigned(Tall::column_threads / X.columns), unit = lines * Tall::column_rows;
  const auto rows = unsigned(std::max(X.rows, 1));
  arguments.part_rows = ceil_divide(ceil_divide(rows, unit), unsigned(Tall::part_limit)) * unit;
  const unsigned parts = ceil_divide(rows, arguments.part_rows);
  launch("column_sums", Tall::column_sums_kernel<Kind, Scalar>, parts, Tall::column_threads,
         Tall::column_threads * sizeof(double), stream, arguments);
  Tall::launch_combine<Tall::combine_columns_kernel<Kind, Scalar>>(
      "column_sums", stream, Tall::make_parts(arguments.parts, int(parts), X.columns), results);
}

}  // namespace

std::size_t column_sums_scratch_bytes(int columns) {
  return std::size_t(Tall::part_limit) * std::size_t(columns) * sizeof(double);
}

template <class Scalar>
void column_sums(Stream stream, ColumnSum kind, const TallPanel<const Scalar>& X, const TallPanel<const Scalar>& Y,
                 Scalar* results, Scratch scratch) {
  switch (kind) {
    case ColumnSum::Products:
      return column_sums_of<Tall::Products>(stream, X, Y, results, scratch);
    case ColumnSum::Magnitudes:
      return column_sums_of<Tall::Magnitudes>(stream, X, Y, results, scratch);
    case ColumnSum::GreatestMagnitude:
      return column_sums_of<Tall::GreatestMagnitudes>(stream, X, Y, results, scratch);
  }
}

template void column_sums(Stream, ColumnSum, const TallPanel<const float>&, const TallPanel<const float>&, float*,
                          Scratch);
template void column_sums(Stream, ColumnSum, const TallPanel<const double>&, const TallPanel<const double>&, double*,
                          Scratch);

}  // namespace Tessera::Impl::Cuda
