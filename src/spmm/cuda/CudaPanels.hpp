// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ReadableRows.hpp>
#include <type_traits>

/// What products with copies of X have in common. Some kernels read X by rows; of any other X they copy a panel of
/// columns at a time to scratch memory first. Some copy every X, rounded to 16 bits for one, and take wider panels.
namespace Tessera::Impl {

inline constexpr Ordinal cuda_panel_columns = 64;
inline constexpr Ordinal cuda_copied_columns = 128;    // where every X is copied: as wide as the kernels' own slabs
inline constexpr std::size_t cuda_scratch_page = 256;  // what their scratch memory is aligned to

/// The widest type of vectors that a matrix may be multiplied with.
template <class Scalar>
using widest_vector_t = std::conditional_t<std::is_same_v<Scalar, float>, double, Scalar>;

template <class Scalar>
Multivector<Scalar> columns_of(const Multivector<Scalar>& x, Ordinal first, Ordinal count) {
  return {x.data + first * x.column_stride, x.rows, count, x.row_stride, x.column_stride};
}

/// The columns of a panel: all, if the kernel reads X as it is.
template <class Scalar>
Ordinal panel_columns(const Multivector<Scalar>& x, bool reads) {
  return reads ? x.columns : cuda_panel_columns;
}

/// The most that a product with so many columns wants, whichever layout X has.
///
/// \param bytes_for [in] what it wants for a given X
template <class Scalar, class BytesFor>
std::size_t panel_scratch_bytes(Ordinal x_rows, Ordinal columns, const BytesFor& bytes_for) {
  const Ordinal aligned_stride = (columns + 3) / 4 * 4;
  const Multivector<const Scalar> by_rows{nullptr, x_rows, columns, aligned_stride, 1};
  const Multivector<const Scalar> by_columns{nullptr, x_rows, std::min(columns, cuda_panel_columns), 1,
                                             x_rows + std::ptrdiff_t(2)};
  return cuda_scratch_page + std::max<std::size_t>(bytes_for(by_rows), bytes_for(by_columns));
}

/// panel_scratch_bytes() for kernels that want rows_are_whole(X), and have any other X packed, a panel at a time.
template <class Scalar, class BytesFor>
std::size_t whole_vector_scratch_bytes(Ordinal x_rows, Ordinal columns, const BytesFor& bytes_for) {
  return panel_scratch_bytes<Scalar>(x_rows, (columns + 3) / 4 * 4, bytes_for);
}

/// The same for kernels that copy every X. What they want need not grow with the columns.
template <class Scalar, class BytesFor>
std::size_t copied_scratch_bytes(Ordinal x_rows, Ordinal columns, const BytesFor& bytes_for) {
  std::size_t most = 0;
  for (Ordinal count = 1; count <= std::min(columns, cuda_copied_columns); ++count) {
    const Multivector<const Scalar> by_columns{nullptr, x_rows, count, 1, x_rows + std::ptrdiff_t(2)};
    most = std::max<std::size_t>(most, bytes_for(by_columns));
  }
  return cuda_scratch_page + most;
}

/// Calls multiply(product, aligned scratch) for panels of width(X) columns or the most that kernels take, the last of
/// fewer.
template <class MatrixScalar, class Scalar, class Width, class Multiply>
void for_each_panel(Product<MatrixScalar, Scalar> product, const Scratch& scratch, const Width& width,
                    const Multiply& multiply) {
  // One column is next to itself, whatever the stride.
  if (product.x.columns == 1) product.x.column_stride = product.y.column_stride = 1;
  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data);
  const std::size_t skipped = (cuda_scratch_page - address % cuda_scratch_page) % cuda_scratch_page;
  const Scratch aligned{scratch.data + skipped, scratch.bytes - skipped};
  const Ordinal columns = product.x.columns;
  const Ordinal most = std::min({width(product.x), columns, Cuda::most_launch_columns});
  for (Ordinal first = 0, count = most; count > 0; first += count, count = std::min(most, columns - first)) {
    auto panel = product;
    panel.x = columns_of(product.x, first, count);
    panel.y = columns_of(product.y, first, count);
    multiply(panel, aligned);
  }
}

}  // namespace Tessera::Impl
