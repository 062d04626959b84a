// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of row groups.
#pragma once

#include <cstdint>

#include "TileKernels.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

constexpr int group_rows_at_most = 4;

/// A group, without the type of the offsets. It has up to four rows.
template <class T>
struct GroupOfRows {
  const Ordinal* columns;
  const std::uint8_t* masks;
  const typename T::MatrixReal* values;
  std::ptrdiff_t size;  // number of columns
  int height;
};

/// The groups of up to 8 adjacent rows, so that a LayoutLeft Y gets whole cache lines.
template <class T>
struct GroupsOfRows {
  GroupOfRows<T> groups[rows_at_once];
  int count;
  int rows;
};

/// The sums of all rows of a group at once, in registers: each row of X is read once. Rows without an entry in a column
/// skip it, so that a zero never multiplies an infinity.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void sums_at_once(const GroupOfRows<T>& group, const Dense<T>& d, int lane, typename T::Real* out) {
  const GroupOfRows<T> g = group;  // a local copy, which no store can alias
  Sums<T, Lanes, Vectors> sums[group_rows_at_most];
  for (int r = 0; r < group_rows_at_most; ++r) sums[r].clear();
  const auto* value = g.values;
  for (std::ptrdiff_t c = 0; c < g.size; ++c, value += g.height * T::parts) {
    const unsigned mask = g.masks[c];
    const auto* x = d.x + g.columns[c] * d.x_row_stride + lane;
    if ((mask & 1u) != 0) sums[0].add(value, x);
    if ((mask & 2u) != 0) sums[1].add(value + T::parts, x);
    if ((mask & 4u) != 0) sums[2].add(value + 2 * T::parts, x);
    if ((mask & 8u) != 0) sums[3].add(value + 3 * T::parts, x);
  }
  for (int r = 0; r < g.height; ++r) sums[r].store(out + r * T::max_lanes, d.conjugate);
}

/// The same sums one row after the other, where registers hold those of one row alone. Rows of X are then in cache for
/// all rows but the first.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void sums_in_turn(const GroupOfRows<T>& group, const Dense<T>& d, int lane, typename T::Real* out) {
  const GroupOfRows<T> g = group;
  for (int r = 0; r < g.height; ++r) {
    Sums<T, Lanes, Vectors> sum;
    sum.clear();
    const auto* value = g.values + r * T::parts;
    for (std::ptrdiff_t c = 0; c < g.size; ++c, value += g.height * T::parts)
      if ((g.masks[c] >> r & 1u) != 0) sum.add(value, d.x + g.columns[c] * d.x_row_stride + lane);
    sum.store(out + r * T::max_lanes, d.conjugate);
  }
}

template <class T, int Lanes, int Vectors>
TESSERA_INLINE void row_sums(const GroupsOfRows<T>& rows, const Dense<T>& d, int lane, typename T::Real* out) {
  for (int i = 0; i < rows.count; ++i) {
    if constexpr (2 * Vectors * T::parts <= vectors_at_once) {
      sums_at_once<T, Lanes, Vectors>(rows.groups[i], d, lane, out);
    } else {
      sums_in_turn<T, Lanes, Vectors>(rows.groups[i], d, lane, out);
    }
    out += rows.groups[i].height * T::max_lanes;
  }
}

template <class MatrixScalar, class VectorScalar, class Offset>
void row_groups(const RowGroupsPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
                Ordinal last) {
  using T = Types<MatrixScalar, VectorScalar>;
  const auto d = take_apart<T>(product);
  GroupsOfRows<T> rows;
  for (Ordinal group = first; group < last;) {
    const Ordinal first_row = A.first_rows[group];
    rows.count = rows.rows = 0;
    for (; group < last && A.first_rows[group + 1] - first_row <= rows_at_once; ++group) {
      const auto column = static_cast<std::ptrdiff_t>(A.column_offsets[group]);
      rows.groups[rows.count++] = {A.group_columns + column, A.column_masks + column,
                                   d.values + static_cast<std::ptrdiff_t>(A.value_offsets[group]) * T::parts,
                                   static_cast<std::ptrdiff_t>(end_of_columns(A, group)) - column,
                                   A.first_rows[group + 1] - A.first_rows[group]};
      rows.rows = A.first_rows[group + 1] - first_row;
    }
    multiply_rows(rows, first_row, d);
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
