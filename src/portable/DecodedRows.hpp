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
template <class MatrixScalar, class VectorScalar, class Offset>
class DecodedRows {
 public:
  using ProductType = Product<MatrixScalar, VectorScalar>;
  using Kernel = decltype(HostKernels<MatrixScalar, VectorScalar, Offset>::csr);

  DecodedRows(const ProductType& product, Kernel kernel, Ordinal first_row)
      : product_(product), kernel_(kernel), first_row_(first_row) {}

  void add(Ordinal column, Offset place) {
    while (size_ == capacity) make_room();
    columns_[size_] = column;
    values_[size_] = product_.values[place];
    ++size_;
  }

  void end_row() {
    offsets_[++rows_] = static_cast<Offset>(size_);
    if (rows_ == most_rows || in_pieces_) multiply();
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

  /// A row that does not fit, alone, is multiplied in pieces: those after the first are added.
  void make_room() {
    const bool is_alone = rows_ == 0;
    if (is_alone) offsets_[++rows_] = static_cast<Offset>(size_);
    multiply();
    if (!is_alone) return;
    --first_row_;
    in_pieces_ = true;
  }

  const ProductType& product_;
  Kernel kernel_;
  Ordinal first_row_;
  int rows_ = 0;
  int size_ = 0;
  bool in_pieces_ = false;
  Offset offsets_[most_rows + 1] = {0};
  Ordinal columns_[capacity];
  MatrixScalar values_[capacity];
};

template <class ExecutionSpace, class Pattern, class MatrixScalar, class VectorScalar>
void multiply_decoded(const char* label, const ExecutionSpace& exec, const Pattern& A, std::size_t nonzeros,
                      const Product<MatrixScalar, VectorScalar>& product, Scratch scratch) {
  using Offset = typename Pattern::offset_type;
  const auto kernel = host_kernels<MatrixScalar, VectorScalar, Offset>(simd_target()).csr;
  for_each_slab<ExecutionSpace, Offset>(exec, nonzeros, product, scratch, [&](const auto& slab) {
    parallel_for_balanced(
        label, exec, A.windows(), [=](Ordinal window) { return entries_before(A, window); },
        [=](Ordinal first, Ordinal last) {
          const Ordinal end = last == A.windows() ? A.rows : last * A.window_rows();
          const Ordinal begin = first * A.window_rows();
          DecodedRows<MatrixScalar, VectorScalar, Offset> rows(slab, kernel, begin);
          for (Ordinal row = begin; row < end; ++row) {
            for_each_entry(A, row, [&](Ordinal column, Offset place) { rows.add(column, place); });
            rows.end_row();
          }
          rows.multiply();
        });
  });
}

}  // namespace Tessera::Impl
