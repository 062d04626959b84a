// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <tessera/common/Batch.hpp>
#include <tessera/common/Csr.hpp>

#include "DeviceSpmm.hpp"
#include "RowItems.hpp"

namespace Tessera::Impl {

/// The rows that the matrices of a batch share: compressed rows, whose entries may have their values in another order.
struct BatchRows : CsrPattern<Offset> {
  static constexpr const char* label = "Tessera::batch_spmm";  ///< name of a product in profilers

  static constexpr Ordinal window_rows = 1;

  const Ordinal* slots = nullptr;  ///< the place of the value of each entry; null: values are in the order of entries

  TESSERA_FUNCTION Offset place(Offset entry) const { return slots == nullptr ? entry : slots[entry]; }
};

/// Calls visit(0, column, place of the value) for every entry of a row.
TESSERA_CALLS_ARGUMENT
template <class Visit>
TESSERA_FUNCTION void for_each_entry_of_window(const BatchRows& A, Ordinal row, const Visit& visit) {
  for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) visit(0, A.column_indices[k], A.place(k));
}

/// The items that a device sums one by one: the rows of all matrices of a batch, matrix by matrix.
template <class Scalar>
struct BatchItems {
  using Operands = Product<Scalar, Scalar>;
  using Vector = Scalar;
  static constexpr const char* label = BatchRows::label;

  BatchRows A;
  RowSchedule schedule;  // cuts no rows
  BatchProduct<Scalar> batch;

  KOKKOS_FUNCTION Ordinal count() const { return A.rows * batch.count; }
  KOKKOS_FUNCTION static bool is_piece(Ordinal) { return false; }
  KOKKOS_FUNCTION const Operands& any_product() const { return batch.first; }
  KOKKOS_FUNCTION Operands product_of(Ordinal item) const { return batch.product(item / A.rows); }
  KOKKOS_FUNCTION Ordinal row_of(Ordinal item) const { return item % A.rows; }
  KOKKOS_FUNCTION Scalar value(const Operands& operands, Offset entry) const {
    return value_of_entry(operands, A.place(entry));
  }

  KOKKOS_FUNCTION bool find(Ordinal item, EntrySpan& span) const {
    const Ordinal row = row_of(item);
    span = {A.row_offsets[row], A.row_offsets[row + 1]};
    return true;
  }
  KOKKOS_FUNCTION void store(Ordinal item, Ordinal column, Scalar sum) const {
    store_sum(product_of(item), row_of(item), column, sum);
  }
};

}  // namespace Tessera::Impl
