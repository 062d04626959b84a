// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <tessera/common/Product.hpp>

#include "DeviceSpmm.hpp"
#include "RowSchedule.hpp"

namespace Tessera::Impl {

/// The entries that lanes sum together.
struct EntrySpan {
  Offset begin = 0, end = 0;
};

/// The items that a device sums one by one: first each row, where long ones have no entries; then each piece of a long
/// row. The sums of pieces are stored in scratch memory, row by row.
///
/// \tparam Pattern a pattern in compressed rows, with the column of each entry
template <class Pattern, class MatrixScalar, class VectorScalar>
struct RowItems {
  using Operands = Product<MatrixScalar, VectorScalar>;
  using Vector = VectorScalar;
  static constexpr const char* label = Pattern::label;

  Pattern A;
  RowSchedule schedule;
  Operands product;
  VectorScalar* piece_sums = nullptr;  // y.columns for each piece

  KOKKOS_FUNCTION Ordinal count() const { return A.rows + schedule.pieces; }
  KOKKOS_FUNCTION bool is_piece(Ordinal item) const { return item >= A.rows; }

  /// Returns false for a long row, which is no item.
  KOKKOS_FUNCTION bool find(Ordinal item, EntrySpan& span) const {
    if (!is_piece(item)) {
      span = {A.row_offsets[item], A.row_offsets[item + 1]};
      return span.end - span.begin <= schedule.piece_length;
    }
    const Ordinal piece = item - A.rows, number = schedule.piece_rows[piece], row = schedule.rows[number];
    const Offset end = A.row_offsets[row + 1];
    span.begin = A.row_offsets[row] + (piece - schedule.piece_offsets[number]) * schedule.piece_length;
    span.end = end - span.begin < schedule.piece_length ? end : span.begin + schedule.piece_length;
    return true;
  }

  /// Returns operands with the factors and shapes of all items.
  KOKKOS_FUNCTION const Operands& any_product() const { return product; }
  /// Returns the operands of an item.
  KOKKOS_FUNCTION const Operands& product_of(Ordinal /*item*/) const { return product; }
  /// Returns the row of A and, before y_rows, of Y that an item is, if it is no piece.
  KOKKOS_FUNCTION Ordinal row_of(Ordinal item) const { return item; }
  /// Returns the value of an entry among these operands.
  KOKKOS_FUNCTION VectorScalar value(const Operands& operands, Offset entry) const {
    return value_of_entry(operands, entry);
  }

  KOKKOS_FUNCTION void store(Ordinal item, Ordinal column, VectorScalar sum) const {
    if (is_piece(item)) {
      piece_sums[std::ptrdiff_t(item - A.rows) * product.y.columns + column] = sum;
    } else {
      store_sum(product, item, column, sum);
    }
  }
};

}  // namespace Tessera::Impl
