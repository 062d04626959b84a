// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <tessera/common/Product.hpp>

/// What products on tensor cores have in common: their kernels read X by rows. Of any other X they copy a panel of
/// columns at a time to scratch memory first.
namespace Tessera::Impl {

inline constexpr Ordinal cuda_panel_columns = 64;
inline constexpr std::size_t cuda_scratch_page = 256;  // what their scratch memory is aligned to

template <class Scalar>
Multivector<Scalar> columns_of(const Multivector<Scalar>& x, Ordinal first, Ordinal count) {
  return {x.data + first * x.column_stride, x.rows, count, x.row_stride, x.column_stride};
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

/// Calls multiply(product, aligned scratch) with all columns at once if the kernel reads(X) as it is, else panel by
/// panel.
template <class MatrixScalar, class Scalar, class Reads, class Multiply>
void for_each_panel(Product<MatrixScalar, Scalar> product, const Scratch& scratch, const Reads& reads,
                    const Multiply& multiply) {
  // One column is next to itself, whatever the stride.
  if (product.x.columns == 1) product.x.column_stride = product.y.column_stride = 1;
  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data);
  const std::size_t skipped = (cuda_scratch_page - address % cuda_scratch_page) % cuda_scratch_page;
  const Scratch aligned{scratch.data + skipped, scratch.bytes - skipped};
  const Ordinal width = reads(product.x) ? product.x.columns : std::min(product.x.columns, cuda_panel_columns);
  for (Ordinal first = 0; first < product.x.columns; first += width) {
    auto panel = product;
    const Ordinal count = std::min(width, product.x.columns - first);
    panel.x = columns_of(product.x, first, count);
    panel.y = columns_of(product.y, first, count);
    multiply(panel, aligned);
  }
}

}  // namespace Tessera::Impl
