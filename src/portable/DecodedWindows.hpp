// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>

#include "HostSpmm.hpp"

/// The product on a host with a format whose windows are stored entry by entry (for_each_entry_of_window). A row is
/// then found only by looking at the other rows of its window. A window, or a piece of one, is sorted by row into
/// compressed rows that stay in cache, and the kernel for compressed rows multiplies them.
namespace Tessera::Impl {

/// Some windows, or a piece of one, in compressed rows with their values, on the stack of a thread.
///
/// Cost: every entry is visited twice, to count it and to place it, the second time in cache. A row of Y that belongs
/// to several pieces is read and written again for each. Pieces depend only on the window.
template <class Pattern, class MatrixScalar, class VectorScalar>
class DecodedWindows {
 public:
  using Offset = typename Pattern::offset_type;
  using ProductType = Product<MatrixScalar, VectorScalar>;
  using Kernel = decltype(HostKernels<MatrixScalar, VectorScalar, Offset>::csr);

  DecodedWindows(const Pattern& A, const ProductType& product, Kernel kernel)
      : A_(A), product_(product), kernel_(kernel) {}

  void add(Ordinal window) {
    const Offset entries = entries_before(A_, window + 1) - entries_before(A_, window);
    const bool fits = entries <= static_cast<Offset>(capacity - size_) && rows_ + height <= most_rows;
    if (!fits) multiply();
    if (entries <= capacity) return place(window, 0, entries);
    for (Offset first = 0; first < entries; first += capacity) {
      place(window, first, std::min<Offset>(entries, first + capacity));
      multiply(first > 0);
    }
  }

  /// Multiplies the rows that were added.
  ///
  /// \param is_next_piece [in] whether Y already holds the product of an earlier piece of the window, to be added to
  void multiply(bool is_next_piece = false) {
    if (rows_ == 0) return;
    ProductType part = product_;
    part.values = values_;
    if (part.y_rows != nullptr) {
      part.y_rows += first_row_;
    } else {
      part.y.data += first_row_ * part.y.row_stride;
    }
    part.y.rows = rows_;
    if (is_next_piece) part.beta = VectorScalar(1);
    kernel_({rows_, A_.columns, offsets_, columns_}, part, 0, rows_);
    rows_ = 0;
    size_ = 0;
  }

 private:
  static constexpr int capacity = 1024;
  static constexpr int height = Pattern::tile_rows;
  static constexpr int most_rows = 8 * height;

  /// Adds the entries first, ..., last - 1 of a window, sorted by row, after those that are there.
  void place(Ordinal window, Offset first, Offset last) {
    if (rows_ == 0) first_row_ = window * height;
    int next[height + 1] = {size_};  // first the count of the row before, then the place of the next entry of each row
    for_each_entry_of_window(A_, window, first, last, [&](int r, Ordinal, Offset) { ++next[r + 1]; });
    for (int r = 0; r < height; ++r) next[r + 1] += next[r];
    for_each_entry_of_window(A_, window, first, last, [&](int r, Ordinal column, Offset place) {
      columns_[next[r]] = column;
      values_[next[r]++] = product_.values[place];
    });
    const int rows = static_cast<int>(std::min<Ordinal>(height, A_.rows - window * height));
    for (int r = 0; r < rows; ++r) offsets_[++rows_] = static_cast<Offset>(next[r]);
    size_ = next[height - 1];
  }

  const Pattern& A_;
  const ProductType& product_;
  Kernel kernel_;
  Ordinal first_row_ = 0;
  int rows_ = 0;
  int size_ = 0;
  Offset offsets_[most_rows + 1] = {0};
  Ordinal columns_[capacity];
  MatrixScalar values_[capacity];
};

/// Stands in for a kernel: decodes the windows [first, last) and multiplies them with the kernel for compressed rows.
template <class Kernel>
struct MultiplyDecoded {
  Kernel kernel;

  template <class Pattern, class MatrixScalar, class VectorScalar>
  void operator()(const Pattern& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                  Ordinal last) const {
    DecodedWindows<Pattern, MatrixScalar, VectorScalar> windows(A, product, kernel);
    for (Ordinal window = first; window < last; ++window) windows.add(window);
    windows.multiply();
  }
};

}  // namespace Tessera::Impl
