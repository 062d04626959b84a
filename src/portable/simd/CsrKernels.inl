// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of rows in CSR.
#pragma once

#include "Finish.inl"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE {

/// Up to 8 adjacent rows of a matrix in CSR, independent of the type of the offsets, so there is less to compile.
struct RowGroup {
  const Ordinal* columns;
  int rows;
  std::ptrdiff_t offsets[rows_at_once + 1];
};

/// Number of adjacent entries in a block of a row. Each block has its own sums.
constexpr std::ptrdiff_t block_entries = 8;

/// Computes the sums of one row. An addition takes several cycles and waits for the previous one, so a single sum would
/// leave the processor idle. Each block of 8 entries has one sum of the entries at even places and one of those at odd
/// places, which are then added. The sums of blocks are added in order, but blocks do not wait for each other. The last
/// entries are summed in the same way. The order is the same for any number of columns. Rows are computed one after
/// another, so that prefetches follow the matrix as a single stream.
template <class T, int Lanes, int Vectors>
TESSERA_INLINE void csr_sums(const RowGroup& group, int row, const Dense<T>& d, int lane, typename T::Real* out) {
  using RowSums = Sums<T, Lanes, Vectors>;
  const Ordinal* columns = group.columns;
  const auto* x = d.x + lane;
  const std::ptrdiff_t stride = d.x_row_stride;
  std::ptrdiff_t k = group.offsets[row];
  const std::ptrdiff_t end = group.offsets[row + 1];
  const auto sum_of = [&](std::ptrdiff_t i, std::ptrdiff_t last) __attribute__((always_inline)) {
    RowSums even, odd;
    even.clear();
    odd.clear();
    for (; last - i >= 2; i += 2) {
      even.add(d.values + i * T::parts, x + columns[i] * stride);
      odd.add(d.values + (i + 1) * T::parts, x + columns[i + 1] * stride);
    }
    if (i < last) even.add(d.values + i * T::parts, x + columns[i] * stride);
    even.add(odd);
    return even;
  };
  RowSums sum;
  sum.clear();
  for (; end - k >= block_entries; k += block_entries) sum.add(sum_of(k, k + block_entries));
  sum.add(sum_of(k, end));
  sum.store(out, d.conjugate);
}

template <class T>
[[gnu::noinline]] void csr_group(const RowGroup& group, Ordinal first_row, const Dense<T>& d) {
  typename T::Real sums[rows_at_once * T::max_lanes];
  const auto block = [&]<int Lanes, int Vectors>(int lane, int skip) __attribute__((always_inline)) {
    prefetch_rows(d, first_row, lane, Lanes * Vectors);
    for (int r = 0; r < group.rows; ++r) csr_sums<T, Lanes, Vectors>(group, r, d, lane, sums + r * T::max_lanes);
    finish_rows<T>(d, first_row, group.rows, lane, skip, Lanes * Vectors, sums);
  };
  for_each_block<T, T::vector_lanes>(d.lanes, block);
}

/// Multiplies one column of reals. The sums are the same; the code for blocks of columns is too slow for short rows.
/// Short rows spend their time on mispredicted branches. Entries are added four at a time and the last ones one by one,
/// so at most two branches are mispredicted. (The function is aligned, because the alignment of its code changes the
/// time of short rows by a third.)
///
/// \param x_stride [in] row stride of X in elements; a compile-time constant if it is 1
/// \param write    [in] called with a row of the matrix and its sum
template <class T, class Stride, class Write>
[[gnu::noinline, gnu::aligned(64)]] void csr_rows_one_lane(const CsrPattern<Offset>& A, const Dense<T>& d,
                                                           Ordinal first, Ordinal last, Stride x_stride, Write write) {
  using Real = typename T::Real;
  using Pair = register_t<Real, 2>;  // the even and the odd sum
  const Ordinal* columns = A.column_indices;
  const Offset* offsets = A.row_offsets;
  const auto* values = d.values;
  const Real* x = d.x;
  const auto add = [=](Real& sum, std::ptrdiff_t k) {
    sum = fused(static_cast<Real>(values[k]), x[columns[k] * x_stride], sum);
  };
  const auto add_four = [=](Pair& sums, std::ptrdiff_t k) {
    if constexpr (sizeof(Pair) == 16) {
      for (int i = 0; i < 4; i += 2) {
        const Pair factors{static_cast<Real>(values[k + i]), static_cast<Real>(values[k + i + 1])};
        sums =
            fused_vectors<double>(factors, Pair{x[columns[k + i] * x_stride], x[columns[k + i + 1] * x_stride]}, sums);
      }
    } else {
      Real even = sums[0], odd = sums[1];
      for (int i = 0; i < 4; ++i) add(i % 2 == 0 ? even : odd, k + i);
      sums = Pair{even, odd};
    }
  };
  auto k = static_cast<std::ptrdiff_t>(offsets[first]);
  for (std::ptrdiff_t row = first; row < last; ++row) {
    const auto end = static_cast<std::ptrdiff_t>(offsets[row + 1]);
    Real sum = 0, even = 0, odd = 0;
    while (end - k >= 4) {
      Pair sums{};
      add_four(sums, k);
      k += 4;
      if (end - k < 4) {
        even = sums[0];
        odd = sums[1];
        break;
      }
      add_four(sums, k);
      k += 4;
      sum += sums[0] + sums[1];
    }
    if (k < end) {
      add(even, k);
      if (k + 1 < end) {
        add(odd, k + 1);
        if (k + 2 < end) add(even, k + 2);
      }
    }
    write(row, sum + (even + odd));
    k = end;
  }
}

template <class T>
TESSERA_INLINE void csr_one_lane(const CsrPattern<Offset>& A, const Dense<T>& d, Ordinal first, Ordinal last) {
  using Real = typename T::Real;
  constexpr std::integral_constant<std::ptrdiff_t, 1> one;
  if (d.x_row_stride != 1 || d.y_row_stride != 1 || d.y_rows != nullptr) {
    const auto write = [d](std::ptrdiff_t row, Real sum) {
      finish(d, &sum, d.y + (d.y_rows == nullptr ? row : d.y_rows[row]) * d.y_row_stride);
    };
    csr_rows_one_lane(A, d, first, last, d.x_row_stride, write);
  } else if (d.overwrite) {
    const auto write = [y = d.y, alpha = d.alpha[0]](std::ptrdiff_t row, Real sum) { y[row] = alpha * sum; };
    csr_rows_one_lane(A, d, first, last, one, write);
  } else {
    const auto write = [y = d.y, alpha = d.alpha[0], beta = d.beta[0]](std::ptrdiff_t row, Real sum) {
      y[row] = fused(beta, y[row], alpha * sum);
    };
    csr_rows_one_lane(A, d, first, last, one, write);
  }
}

template <class MatrixScalar, class VectorScalar>
void csr_rows(const CsrPattern<Offset>& A, const Product<MatrixScalar, VectorScalar>& product, Ordinal first,
              Ordinal last) {
  using T = Types<MatrixScalar, VectorScalar>;
  const Dense<T> d = take_apart<T>(product);
  if constexpr (T::parts == 1) {
    if (d.lanes == 1) return csr_one_lane(A, d, first, last);
  }
  RowGroup group;
  group.columns = A.column_indices;
  for (Ordinal row = first; row<last; row = last - row> rows_at_once ? row + rows_at_once : last) {
    group.rows = last - row < rows_at_once ? last - row : rows_at_once;
    for (int r = 0; r <= group.rows; ++r) group.offsets[r] = static_cast<std::ptrdiff_t>(A.row_offsets[row + r]);
    csr_group(group, row, d);
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE
