// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <tessera/common/Csr.hpp>
#include <tessera/common/Product.hpp>

#include "HostSpmm.hpp"

/// How a product with a format whose rows can be walked along (for_each_entry) runs on a host: rows are decoded, some
/// at a time, into compressed rows that stay in cache, which the kernel for those multiplies.
namespace Tessera::Impl {

/// Some adjacent rows in compressed rows with their values, on the stack of a thread.
template <class Pattern, class MatrixScalar, class VectorScalar>
class DecodedRows {
 public:
  using Offset = typename Pattern::offset_type;
  using ProductType = Product<MatrixScalar, VectorScalar>;
  using Kernel = decltype(HostKernels<MatrixScalar, VectorScalar, Offset>::csr);

  DecodedRows(const Pattern& A, const ProductType& product, Kernel kernel)
      : A_(A), product_(product), kernel_(kernel) {}

  void add(Ordinal window) {
    const Ordinal begin = window * A_.window_rows();
    const Ordinal rows = std::min(A_.window_rows(), A_.rows - begin);
    if (rows_ == 0) first_row_ = begin;
    for (Ordinal r = 0; r < rows; ++r) {
      for_each_entry(A_, begin + r, [&](Ordinal column, Offset place) { add_entry(column, place); });
      end_row();
    }
  }

  /// Multiplies the rows that have ended and goes on after them.
  void multiply() {
    if (rows_ == 0) return;
    CsrPattern<Offset> A;
    A.rows = rows_;
    A.columns = product_.x.rows;
    A.row_offsets = offsets_;
    A.column_indices = columns_;
    ProductType part = product_;
    part.values = values_;
    part.y.data += first_row_ * part.y.row_stride;
    part.y.rows = rows_;
    if (in_pieces_) part.beta = VectorScalar(1);
    kernel_(A, part, 0, rows_);
    const int left = static_cast<int>(offsets_[rows_]);  // entries of the row that has not ended
    std::copy(columns_ + left, columns_ + size_, columns_);
    std::copy(values_ + left, values_ + size_, values_);
    size_ -= left;
    first_row_ += rows_;
    rows_ = 0;
    in_pieces_ = false;
  }

 private:
  static constexpr int capacity = 1024;
  static constexpr int most_rows = 128;

  void add_entry(Ordinal column, Offset place) {
    while (size_ == capacity) make_room();
    columns_[size_] = column;
    values_[size_] = product_.values[place];
    ++size_;
  }

  void end_row() {
    offsets_[++rows_] = static_cast<Offset>(size_);
    if (rows_ == most_rows || in_pieces_) multiply();
  }

  /// A row that does not fit, alone, is multiplied in pieces: those after the first are added.
  void make_room() {
    const bool is_alone = rows_ == 0;
    if (is_alone) offsets_[++rows_] = static_cast<Offset>(size_);
    multiply();
    if (!is_alone) return;
    --first_row_;
    in_pieces_ = true;
  }

  const Pattern& A_;
  const ProductType& product_;
  Kernel kernel_;
  Ordinal first_row_ = 0;
  int rows_ = 0;
  int size_ = 0;
  bool in_pieces_ = false;
  Offset offsets_[most_rows + 1] = {0};
  Ordinal columns_[capacity];
  MatrixScalar values_[capacity];
};

}  // namespace Tessera::Impl
