// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <tessera/common/Product.hpp>
#include <tessera/cuda/ReadableRows.hpp>
#include <tessera/cuda/ScratchLayout.hpp>

/// Multiplies X in panels of columns if the kernel copies X. This limits the size of the copy.
namespace Tessera::Impl {

inline constexpr Ordinal cuda_panel_columns = 64;    // columns of a panel if this X has to be copied
inline constexpr Ordinal cuda_copied_columns = 128;  // columns of a panel (and slab) if the kernel copies every X

/// The number of columns of a panel of a kernel.
struct PanelWidths {
  Ordinal packed = cuda_panel_columns;   ///< if this X has to be copied
  Ordinal copied = cuda_copied_columns;  ///< if the kernel copies every X
};

inline constexpr std::size_t cuda_scratch_page = 256;  // alignment of the kernels' scratch memory, in bytes

/// Returns the number of columns of a panel.
template <class Scalar>
Ordinal panel_columns(const Multivector<Scalar>& x, Cuda::XAccess access, const PanelWidths& widths) {
  if (access == Cuda::XAccess::Copies) return widths.copied;
  return Cuda::is_read_in_place(x, access) ? x.columns : widths.packed;
}

/// Returns the upper bound on scratch memory of a product with this many columns, for X in any layout.
///
/// \param bytes_for [in] returns the bytes that a product with a given X needs
template <class Scalar, class BytesFor>
std::size_t panel_scratch_bytes(Cuda::XAccess access, Ordinal x_rows, Ordinal columns, const BytesFor& bytes_for,
                                const PanelWidths& widths = {}) {
  const auto bytes_by_columns = [&](Ordinal count) -> std::size_t {
    return bytes_for(Multivector<const Scalar>{nullptr, x_rows, count, 1, x_rows + std::ptrdiff_t(2)});
  };
  std::size_t most = 0;
  if (access == Cuda::XAccess::Copies) {
    // Fewer columns may need more memory.
    for (Ordinal count = 1; count <= std::min(columns, widths.copied); ++count)
      most = std::max(most, bytes_by_columns(count));
  } else {
    const auto padded = static_cast<Ordinal>(Cuda::padded<Scalar>(columns));
    const Ordinal count = access == Cuda::XAccess::WholeVectors ? padded : columns;
    most = std::max<std::size_t>(bytes_for(Multivector<const Scalar>{nullptr, x_rows, count, padded, 1}),
                                 bytes_by_columns(std::min(count, widths.packed)));
  }
  return cuda_scratch_page + most;
}

/// Calls multiply(product, scratch) for each panel of columns in turn. The scratch memory is aligned.
template <class MatrixScalar, class Scalar, class Multiply>
void for_each_panel(Product<MatrixScalar, Scalar> product, const Scratch& scratch, Cuda::XAccess access,
                    const Multiply& multiply, const PanelWidths& widths = {}) {
  // A single column counts as adjacent, whatever its stride.
  if (product.x.columns == 1) product.x.column_stride = product.y.column_stride = 1;
  const auto address = reinterpret_cast<std::uintptr_t>(scratch.data);
  const std::size_t skipped = (cuda_scratch_page - address % cuda_scratch_page) % cuda_scratch_page;
  const Scratch aligned{scratch.data + skipped, scratch.bytes - skipped};
  const Ordinal columns = product.x.columns;
  const Ordinal most = std::min({panel_columns(product.x, access, widths), columns, Cuda::most_launch_columns});
  for (Ordinal first = 0, count = most; count > 0; first += count, count = std::min(most, columns - first))
    multiply(columns_of(product, first, count), aligned);
}

}  // namespace Tessera::Impl
