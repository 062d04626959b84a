// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <tessera/common/Complex.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/portable/Spmm.hpp>

#include "HostSpmm.hpp"
#include "SortedColumnsView.hpp"

/// The product of sorted columns in Kokkos parallel patterns.
namespace Tessera::Impl {

/// Adds value (alpha x) to `count` elements of y. The product alpha value may overflow where alpha x does not.
template <class VectorScalar, class Stride>
void add_row(VectorScalar alpha, VectorScalar value, const VectorScalar* KOKKOS_RESTRICT x, Stride x_stride,
             VectorScalar* KOKKOS_RESTRICT y, Stride y_stride, Ordinal count) {
  for (std::ptrdiff_t j = 0; j < count; ++j) y[j * y_stride] += value * (alpha * x[j * x_stride]);
}

/// Adds alpha A X to Y, one entry of A after another.
template <class MatrixScalar, class VectorScalar>
void add_columns(const SortedColumnsPattern& A, Product<MatrixScalar, VectorScalar> product) {
  const auto x = product.x;
  const auto y = product.y;
  const bool are_adjacent = x.column_stride == 1 && y.column_stride == 1;
  const auto add = [&](Ordinal position, Offset place) {
    const MatrixScalar stored = product.values[place];
    const auto value = VectorScalar(product.conjugate_values ? conjugate(stored) : stored);
    const VectorScalar* x_row = x.data + A.column_order[position] * x.row_stride;
    VectorScalar* y_row = y.data + A.row_indices[place] * y.row_stride;
    constexpr std::integral_constant<std::ptrdiff_t, 1> one;
    if (are_adjacent) {
      add_row(product.alpha, value, x_row, one, y_row, one, x.columns);
    } else {
      add_row(product.alpha, value, x_row, x.column_stride, y_row, y.column_stride, x.columns);
    }
  };
  for (Offset unit = 0; unit < A.units(); ++unit) for_each_element(A, unit, add);
}

template <class MatrixScalar, class VectorScalar>
TESSERA_WITH_AVX2 void add_columns_with_avx2(const SortedColumnsPattern& A,
                                             Product<MatrixScalar, VectorScalar> product) {
  add_columns(A, product);
}

/// Adds alpha A X to Y on a host. Threads share the columns of X. They cannot share blocks and pieces, which add to the
/// same rows of Y. Adjacent columns are divided at cache lines, others into fours.
///
/// Memory bounds the product: each entry reads and writes a row anywhere in Y, and each part of the columns reads the
/// index and the value of each entry. At most one thread per part works, hence only one for a single column.
template <class ExecutionSpace, class MatrixScalar, class VectorScalar>
void add_columns_on_host(const ExecutionSpace& exec, const SortedColumnsPattern& A,
                         const Product<MatrixScalar, VectorScalar>& product) {
  const Ordinal columns = product.x.columns;
  const Ordinal width = columns_of_a_thread<VectorScalar>(columns, exec.concurrency(), product.y.column_stride == 1);
  const Ordinal parts = columns / width + (columns % width != 0);
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Ordinal>>;
  Kokkos::parallel_for("Tessera::sorted_columns_spmm", Policy(exec, 0, parts, Kokkos::ChunkSize(1)), [=](Ordinal part) {
    const Ordinal first = part * width;
    const auto some = columns_of(product, first, std::min(width, columns - first));
    has_avx2(simd_target()) ? add_columns_with_avx2(A, some) : add_columns(A, some);
  });
}

/// A team's scratch memory on a device for one set: products in the order of rows, and their rows.
template <class VectorScalar>
struct SetSums {
  VectorScalar* products;
  Ordinal* rows;
};

/// Adds alpha A X(:, column) to Y(:, column) for the elements of a set. Each product is written to its element's place
/// in the set sorted by row. Then the first product of each row adds the products that follow it.
template <class Member, class MatrixScalar, class VectorScalar>
KOKKOS_FUNCTION void add_set(const Member& team, const SortedColumnsPattern& A, Offset begin,
                             const Product<MatrixScalar, VectorScalar>& product, Ordinal column,
                             const SetSums<VectorScalar>& set) {
  const Offset left = A.regular - begin;
  const int size = static_cast<int>(left < A.set_size() ? left : A.set_size());
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int i) {
    const Offset place = begin + static_cast<Offset>(i);
    const MatrixScalar value = product.values[place];
    const int target = A.position_indices[place];
    set.products[target] = VectorScalar(product.conjugate_values ? conjugate(value) : value) *
                           product.x(A.column_order[position_of(A, place)], column);
    set.rows[target] = A.row_indices[place];
  });
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int i) {
    const int following = A.segment_lengths[begin + static_cast<Offset>(i)];
    if (following == 0) return;
    VectorScalar sum = set.products[i];
    for (int k = 1; k <= following; ++k) sum += set.products[i + k];
    product.y(set.rows[i], column) += product.alpha * sum;
  });
  team.team_barrier();
}

/// Does the same for a piece. The elements of a piece are in different rows.
template <class Member, class MatrixScalar, class VectorScalar>
KOKKOS_FUNCTION void add_piece(const Member& team, const SortedColumnsPattern& A, Offset piece,
                               const Product<MatrixScalar, VectorScalar>& product, Ordinal column) {
  const Offset begin = A.piece_offsets[piece];
  const VectorScalar x = product.alpha * product.x(A.column_order[A.piece_position(piece)], column);
  const int size = static_cast<int>(A.piece_offsets[piece + 1] - begin);
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](int i) {
    const Offset place = begin + static_cast<Offset>(i);
    const MatrixScalar value = product.values[place];
    product.y(A.row_indices[place], column) += VectorScalar(product.conjugate_values ? conjugate(value) : value) * x;
  });
  team.team_barrier();
}

/// Adds alpha A X to Y on a device by the paper's Algorithms 2 and 3. One team multiplies all sets and pieces for a
/// column of X, one after another, so sums always have the same order.
template <class ExecutionSpace, class MatrixScalar, class VectorScalar>
void add_columns_on_device(const ExecutionSpace& exec, const SortedColumnsPattern& A,
                           const Product<MatrixScalar, VectorScalar>& product) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const auto set_size = static_cast<std::size_t>(A.set_size());
  const std::size_t bytes = set_size * (sizeof(VectorScalar) + sizeof(Ordinal)) + 2 * alignof(VectorScalar);
  const int level = bytes <= 32768 ? 0 : 1;  // shared memory, unless blocks are much wider than a warp
  Kokkos::parallel_for(
      "Tessera::sorted_columns_spmm",
      Policy(exec, product.x.columns, Kokkos::AUTO).set_scratch_size(level, Kokkos::PerTeam(bytes)),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const auto column = static_cast<Ordinal>(team.league_rank());
        const auto& scratch = team.team_scratch(level);
        SetSums<VectorScalar> set;
        set.products = static_cast<VectorScalar*>(scratch.get_shmem(set_size * sizeof(VectorScalar)));
        set.rows = static_cast<Ordinal*>(scratch.get_shmem(set_size * sizeof(Ordinal)));
        for (Offset left = A.regular; left > Offset(0); left -= left < A.set_size() ? left : A.set_size())
          add_set(team, A, A.regular - left, product, column, set);
        for (Offset piece = 0; piece < A.pieces; ++piece) add_piece(team, A, piece, product, column);
      });
}

template <class ExecutionSpace, class MatrixScalar, class VectorScalar>
void portable_spmm(const ExecutionSpace& exec, const SortedColumnsPattern& A, std::size_t,
                   const Product<MatrixScalar, VectorScalar>& product, Scratch) {
  if (product.beta != VectorScalar(1)) scale(exec, product.beta, product.y);
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    Impl::add_columns_on_host(exec, A, product);
  } else {
    Impl::add_columns_on_device(exec, A, product);
  }
}

}  // namespace Tessera::Impl
