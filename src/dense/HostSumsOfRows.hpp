// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <tessera/dense/impl/SumsOfRows.hpp>

#include "HostDense.hpp"

/// Sums over rows that a host computes piece by piece. A piece stays in the second-level cache until it is summed.
namespace Tessera::Impl::OnHost {

/// The bytes of a piece, including its rows of X and Y and its entries.
inline constexpr std::int64_t piece_bytes = std::int64_t(1) << 18;

/// Returns the first row of part `index` of `parts`; parts have about equal bytes.
inline Ordinal begin_of_part(const RowProducer& rows, Ordinal count, Ordinal index, Ordinal parts) {
  if (index == parts) return count;
  const double wanted = double(rows.bytes_before(count)) * index / parts;
  const auto range = std::views::iota(Ordinal(0), count);
  const auto is_before = [&](Ordinal row) { return double(rows.bytes_before(row)) < wanted; };
  return static_cast<Ordinal>(std::ranges::partition_point(range, is_before) - range.begin());
}

/// Computes all rows, piece by piece, and calls sum(part, first, last) after each piece. One thread computes all pieces
/// of a part, in order.
template <class ExecutionSpace, class Sum>
void for_each_made_piece(const char* label, const ExecutionSpace& exec, const RowProducer& rows, Ordinal count,
                         Ordinal parts, const Sum& sum) {
  for_each_part(label, exec, parts, [&](Ordinal part) {
    const Ordinal begin = begin_of_part(rows, count, part, parts), end = begin_of_part(rows, count, part + 1, parts);
    const std::int64_t pieces = (rows.bytes_before(end) - rows.bytes_before(begin)) / piece_bytes + 1;
    const auto place = [=](std::int64_t piece) { return begin + static_cast<Ordinal>((end - begin) * piece / pieces); };
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const Ordinal first = place(piece), last = place(piece + 1);
      if (first == last) continue;
      rows.make_rows(first, last);
      sum(part, first, last);
    }
  });
}

/// Returns the number of parts that have sums of their own. Computing a part takes longer than adding its `sums` sums.
template <class Scalar>
Ordinal count_parts(const RowProducer& rows, Ordinal count, std::size_t sums) {
  const auto most = std::min(GramGroup<Scalar>::most_sums_of_parts * 2 / sums, std::size_t(256));
  const auto least_bytes = std::max(std::int64_t(1) << 17, static_cast<std::int64_t>(8 * sums * sizeof(Scalar)));
  const std::int64_t parts = rows.bytes_before(count) / least_bytes;
  return static_cast<Ordinal>(std::clamp<std::int64_t>(parts, 1, std::min<std::int64_t>(std::int64_t(most), count)));
}

/// Computes Y, and C = [blocks]^T Y. Blocks have at most panel_columns columns each, and at least one row.
template <class ExecutionSpace, class Scalar>
void make_with_inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                              const DenseKernels<Scalar>& kernels, const RowProducer& rows,
                              std::span<const TallBlock<const Scalar>> blocks, const TallBlock<const Scalar>& Y,
                              const SmallMatrix<Scalar>& C) {
  const PanelRows<const Scalar> y = rows_of(Y);
  GramGroup<Scalar> group;
  Ordinal row = 0;
  for (const TallBlock<const Scalar>& block : blocks) {
    group.take({rows_of(block), y, C, row}, 2 * GramGroup<Scalar>::most_sums);
    row += block.columns;
  }
  const Ordinal parts = count_parts<Scalar>(rows, Y.rows, group.sums);
  Scalar* partial = workspace.memory().template take_partial<Scalar>(exec, group.sums * std::size_t(parts));
  std::fill_n(partial, group.sums * std::size_t(parts), Scalar(0));
  for_each_made_piece("Tessera::spmm_with_inner_products", exec, rows, Y.rows, parts,
                      [&](Ordinal part, Ordinal first, Ordinal last) {
                        group.multiply(kernels, first, last, partial + std::size_t(part) * group.sums);
                      });
  add_parts(partial, group.sums, parts);
  group.write(partial);
}

/// Computes Y, and result[j] = y_j . y_j. Y has at most panel_columns columns, and at least one row.
template <class ExecutionSpace, class Scalar>
void make_with_dots(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    const DenseKernels<Scalar>& kernels, const RowProducer& rows, const TallBlock<const Scalar>& Y,
                    Scalar* result) {
  const PanelRows<const Scalar> y = rows_of(Y);
  const auto columns = static_cast<std::size_t>(Y.columns);
  const Ordinal parts = count_parts<Scalar>(rows, Y.rows, columns);
  Scalar* partial = workspace.memory().template take_partial<Scalar>(exec, columns * std::size_t(parts));
  std::fill_n(partial, columns * std::size_t(parts), Scalar(0));
  for_each_made_piece("Tessera::residual", exec, rows, Y.rows, parts, [&](Ordinal part, Ordinal first, Ordinal last) {
    Scalar sums[panel_columns];
    kernels.dots(y, y, first, last, sums);
    for (std::size_t j = 0; j < columns; ++j) partial[std::size_t(part) * columns + j] += sums[j];
  });
  add_parts(partial, columns, parts);
  std::copy_n(partial, columns, result);
}

}  // namespace Tessera::Impl::OnHost
