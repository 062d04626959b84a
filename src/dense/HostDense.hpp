// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <tessera/dense/impl/JoinedColumns.hpp>
#include <utility>
#include <vector>

#include "Panel.hpp"
#include "RandomElement.hpp"
#include "Workspace.hpp"
#include "simd/DenseKernels.hpp"

/// Algebra of tall blocks on a host. Rows are distributed over threads, columns over SIMD lanes. Arguments have been
/// checked.
///
/// Sums are computed for parts of the rows, which depend only on the shape, and added in order. The argument `kernels`
/// of functions has the kernels for an instruction set.
namespace Tessera::Impl::OnHost {

/// Calls body(part) for `parts` parts of the work. Runs without Kokkos if there is only one part or thread and no
/// profiler is loaded, because a launch takes longer than the work on a small block.
template <class ExecutionSpace, class Body>
void for_each_part(const char* label, const ExecutionSpace& exec, Ordinal parts, const Body& body) {
  if ((parts == 1 || exec.concurrency() == 1) && !Kokkos::Tools::profileLibraryLoaded()) {
    for (Ordinal part = 0; part < parts; ++part) body(part);
    return;
  }
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<Ordinal>>;
  Kokkos::parallel_for(label, Policy(exec, 0, parts, Kokkos::ChunkSize(1)), body);
}

/// Calls body(part, first, last) for `parts` parts of the rows, [first, last) each.
template <class ExecutionSpace, class Body>
void for_each_part(const char* label, const ExecutionSpace& exec, Ordinal rows, Ordinal parts, const Body& body) {
  const auto begin = [=](Ordinal part) { return static_cast<Ordinal>(std::int64_t(rows) * part / parts); };
  for_each_part(label, exec, parts, [=](Ordinal part) { body(part, begin(part), begin(part + 1)); });
}

/// Does the same for work without sums. The number of parts may then depend on the number of threads.
template <class ExecutionSpace, class Body>
void for_some_rows(const char* label, const ExecutionSpace& exec, Ordinal rows, Ordinal columns, const Body& body) {
  const std::int64_t threads = exec.concurrency(), elements = std::int64_t(rows) * columns;
  const auto parts = std::min<std::int64_t>({elements / 16384 + 1, threads == 1 ? 1 : threads * 8, rows});
  for_each_part(label, exec, rows, static_cast<Ordinal>(parts),
                [=](Ordinal, Ordinal first, Ordinal last) { body(first, last); });
}

/// Returns at most panel_columns columns of a block, from `first` on. The block's column list must outlive the result.
template <class Scalar>
PanelRows<Scalar> rows_of(const TallBlock<Scalar>& block, Ordinal first = 0) {
  const Ordinal columns = std::min(panel_columns, block.columns - first);
  if (block.column_list == nullptr) return {block.data + first, block.row_stride, nullptr, columns};
  const Ordinal* places = block.column_list + first;
  for (Ordinal j = 0; j < columns; ++j)
    if (places[j] != places[0] + j) return {block.data, block.row_stride, places, columns};
  return {block.data + places[0], block.row_stride, nullptr, columns};
}

inline std::ptrdiff_t padded(std::ptrdiff_t columns) { return (columns + 15) / 16 * 16; }

/// A panel of X and one of Y in C = X^T Y, and the position of their sums among the sums of a part.
template <class Scalar>
struct GramPanel {
  PanelRows<const Scalar> X, Y;
  SmallMatrix<Scalar> C;
  Ordinal row = 0, column = 0;  // the first in C
  bool is_same = false;         // whether X is Y
  bool is_turned = false;       // computes Y^T X: X has more columns than Y to fill registers
  std::ptrdiff_t stride = 0;
  std::size_t offset = 0, size = 0;

  void multiply(const DenseKernels<Scalar>& kernels, Ordinal first, Ordinal last, Scalar* sums) const {
    if (is_turned) return kernels.gram(Y, X, false, first, last, sums + offset, stride);
    kernels.gram(X, Y, is_same, first, last, sums + offset, stride);
  }
  Scalar element(const Scalar* sums, Ordinal i, Ordinal j) const {
    if (is_turned || (is_same && j < i)) std::swap(i, j);
    return sums[offset + std::size_t(i * stride + j)];
  }
  void write(const Scalar* sums) const {
    for (Ordinal j = 0; j < Y.columns; ++j)
      for (Ordinal i = 0; i < X.columns; ++i) C(row + i, column + j) = element(sums, i, j);
  }
};

/// Panels that are multiplied together: rows of a block that several panels read are still in cache for the next panel.
template <class Scalar>
struct GramGroup {
  static constexpr std::size_t most_sums = std::size_t(1) << 14, most_sums_of_parts = std::size_t(1) << 19;
  std::array<GramPanel<Scalar>, 64> panels;
  std::size_t count = 0, sums = 0;
  Ordinal columns = 0;

  /// Adds a panel if there is room for it, and returns whether there was.
  bool take(GramPanel<Scalar> panel, std::size_t most = most_sums) {
    const PanelRows<const Scalar>& Y = panel.Y;
    const Ordinal m = panel.X.columns, n = Y.columns;
    panel.is_same = panel.X.data == Y.data && panel.X.row_stride == Y.row_stride && m == n &&
                    (panel.X.places == Y.places || (panel.X.places != nullptr && Y.places != nullptr &&
                                                    std::equal(Y.places, Y.places + n, panel.X.places)));
    panel.is_turned = !panel.is_same && n < 16 && m > n;
    panel.stride = padded(panel.is_turned ? m : n);
    panel.offset = sums;
    panel.size = std::size_t(panel.stride) * std::size_t(panel.is_turned ? n : m);
    if (count > 0 && (count == panels.size() || sums + panel.size > most)) return false;
    panels[count++] = panel;
    sums += panel.size;
    columns += m;
    return true;
  }
  Ordinal parts(Ordinal rows) const {
    const auto most = static_cast<Ordinal>(std::min(most_sums_of_parts / sums, std::size_t(256)));
    return std::clamp(rows / std::max(Ordinal(256), 32768 / (columns + panels[0].Y.columns)), Ordinal(1), most);
  }
  /// Adds the products of rows [first, last) to the sums of a part.
  void multiply(const DenseKernels<Scalar>& kernels, Ordinal first, Ordinal last, Scalar* target) const {
    const Ordinal rows_in_cache = count == 1 ? last - first : 16384 / panels[0].Y.columns;
    for (Ordinal some = first; some < last; some += std::min(rows_in_cache, last - some)) {
      const Ordinal end = some + std::min(rows_in_cache, last - some);
      for (std::size_t p = 0; p < count; ++p) panels[p].multiply(kernels, some, end, target);
    }
  }
  void write(const Scalar* source) const {
    for (std::size_t p = 0; p < count; ++p) panels[p].write(source);
  }
};

/// Adds the sums of all other parts to the sums of the first part.
template <class Scalar>
void add_parts(Scalar* partial, std::size_t count, Ordinal parts) {
  for (Ordinal part = 1; part < parts; ++part)
    for (std::size_t k = 0; k < count; ++k) partial[k] += partial[std::size_t(part) * count + k];
}

template <class ExecutionSpace, class Scalar>
void multiply_group(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    const DenseKernels<Scalar>& kernels, const GramGroup<Scalar>& group, Ordinal rows) {
  const Ordinal parts = group.parts(rows);
  Scalar* partial = workspace.memory().template take_partial<Scalar>(exec, group.sums * std::size_t(parts));
  for_each_part("Tessera::dense_gram", exec, rows, parts, [&](Ordinal part, Ordinal first, Ordinal last) {
    Scalar* sums = partial + std::size_t(part) * group.sums;
    std::fill_n(sums, group.sums, Scalar(0));
    group.multiply(kernels, first, last, sums);
  });
  add_parts(partial, group.sums, parts);
  group.write(partial);
}

template <class ExecutionSpace, class Scalar>
void inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    const DenseKernels<Scalar>& kernels, std::span<const BlockProducts<Scalar>> all) {
  GramGroup<Scalar> group;
  Ordinal rows = 0;
  const auto multiply = [&] {
    if (group.count > 0) multiply_group(exec, workspace, kernels, group, rows);
    group = {};
  };
  for (const auto& [X, Y, C] : all) {
    rows = Y.rows;
    for_each_panel(Y.columns, [&, &X = X, &Y = Y, &C = C](Ordinal y_first) {
      Ordinal row = 0;
      for (const TallBlock<const Scalar>& block : X) {
        for_each_panel(block.columns, [&](Ordinal x_first) {
          const GramPanel<Scalar> panel{rows_of(block, x_first), rows_of(Y, y_first), C, row + x_first, y_first};
          if (group.take(panel)) return;
          multiply();
          group.take(panel);
        });
        row += block.columns;
      }
      if (Y.columns > panel_columns) multiply();
    });
  }
  multiply();
}

/// Computes result[j]: calls sum_part(first column, first row, last row, sums) for all parts and joins their results.
template <class ExecutionSpace, class Scalar, class SumPart, class Join>
void sum_columns(const char* label, const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                 Ordinal rows, Ordinal all_columns, const SumPart& sum_part, const Join& join, Scalar* result) {
  for_each_panel(all_columns, [&](Ordinal first_column) {
    const Ordinal columns = std::min(panel_columns, all_columns - first_column);
    const Ordinal parts = std::clamp(rows / std::max(Ordinal(256), 65536 / columns), Ordinal(1), Ordinal(256));
    auto* partial = workspace.memory().template take_partial<Scalar>(exec, std::size_t(columns) * std::size_t(parts));
    for_each_part(label, exec, rows, parts, [&](Ordinal part, Ordinal first, Ordinal last) {
      sum_part(first_column, first, last, partial + std::ptrdiff_t(part) * columns);
    });
    for (Ordinal j = 0; j < columns; ++j) {
      Scalar sum = partial[j];
      for (Ordinal part = 1; part < parts; ++part) sum = join(sum, partial[std::ptrdiff_t(part) * columns + j]);
      result[first_column + j] = sum;
    }
  });
}

template <class ExecutionSpace, class Scalar>
void dots(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
          const DenseKernels<Scalar>& kernels, const TallBlock<const Scalar>& X, const TallBlock<const Scalar>& Y,
          Scalar* result) {
  const auto sum_part = [&](Ordinal column, Ordinal first, Ordinal last, Scalar* sums) {
    kernels.dots(rows_of(X, column), rows_of(Y, column), first, last, sums);
  };
  const auto join = [](Scalar a, Scalar b) { return a + b; };
  sum_columns("Tessera::dense_dots", exec, workspace, X.rows, X.columns, sum_part, join, result);
}

template <class ExecutionSpace, class Scalar>
void sums_of_magnitudes(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                        const DenseKernels<Scalar>& kernels, const TallBlock<const Scalar>& X, Scalar* result) {
  const auto sum_part = [&](Ordinal column, Ordinal first, Ordinal last, Scalar* sums) {
    kernels.sums_of_magnitudes(rows_of(X, column), first, last, sums);
  };
  const auto join = [](Scalar a, Scalar b) { return a + b; };
  sum_columns("Tessera::dense_sums_of_magnitudes", exec, workspace, X.rows, X.columns, sum_part, join, result);
}

template <class ExecutionSpace, class Scalar>
void greatest_magnitudes(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                         const DenseKernels<Scalar>& kernels, const TallBlock<const Scalar>& X, Scalar* result) {
  const auto sum_part = [&](Ordinal column, Ordinal first, Ordinal last, Scalar* greatest) {
    kernels.greatest_magnitudes(rows_of(X, column), first, last, greatest);
  };
  const auto join = [](Scalar a, Scalar b) { return a != a || b <= a ? a : b; };
  sum_columns("Tessera::dense_greatest_magnitudes", exec, workspace, X.rows, X.columns, sum_part, join, result);
}

template <class ExecutionSpace, class Scalar>
void add(const ExecutionSpace& exec, const DenseKernels<Scalar>& kernels, Scalar alpha,
         const TallBlock<const Scalar>& A, Scalar beta, const TallBlock<const Scalar>& B, const TallBlock<Scalar>& C) {
  for_each_panel(C.columns, [&](Ordinal column) {
    const auto a = rows_of(A, column), b = rows_of(B, column);
    const auto c = rows_of(C, column);
    for_some_rows("Tessera::dense_add", exec, C.rows, c.columns,
                  [=, &kernels](Ordinal first, Ordinal last) { kernels.add(alpha, a, beta, b, c, first, last); });
  });
}

/// Multiplies blocks with any number of columns. They must share no memory, or have one panel each.
template <class ExecutionSpace, class Scalar>
void multiply_blocks(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                     const DenseKernels<Scalar>& kernels, Scalar alpha, const TallBlock<const Scalar>& X,
                     const SmallMatrix<const Scalar>& B, Scalar beta, const TallBlock<Scalar>& Y, bool is_in_place) {
  for_each_panel(Y.columns, [&](Ordinal y_first) {
    const auto y = rows_of(Y, y_first);
    for_each_panel(X.columns, [&](Ordinal x_first) {
      const auto x = rows_of(X, x_first);
      const std::size_t count = std::size_t(x.columns) * std::size_t(padded(y.columns));
      Scalar* packed = workspace.memory().template take_matrix<Scalar>(exec, count);
      kernels.pack(alpha, B.data + x_first + y_first * B.stride, B.stride, x.columns, y.columns, packed);
      const Scalar factor = x_first == 0 ? beta : Scalar(1);
      for_some_rows("Tessera::dense_multiply_add", exec, X.rows, x.columns + y.columns,
                    [=, &kernels](Ordinal first, Ordinal last) {
                      kernels.multiply(x, packed, factor, y, is_in_place, first, last);
                    });
    });
  });
}

/// The number of rows of a block that stay in the second-level cache beside as many rows of two others.
inline Ordinal rows_in_cache(Ordinal columns) { return std::max(Ordinal(16), 8192 / std::max(Ordinal(1), columns)); }

/// Calls body(first, last) for a few rows at a time.
template <class ExecutionSpace, class Body>
void for_some_rows_in_cache(const char* label, const ExecutionSpace& exec, Ordinal rows, Ordinal columns,
                            Ordinal columns_of_block, const Body& body) {
  for_some_rows(label, exec, rows, columns, [=](Ordinal first, Ordinal last) {
    for (Ordinal some = first, end; some < last; some = end)
      body(some, end = some + std::min(rows_in_cache(columns_of_block), last - some));
  });
}

/// Multiplies several blocks into Y, whose rows stay in cache for all of them. All have at most one panel. B is the
/// small matrix for all blocks. Only the first block may be Y.
template <class ExecutionSpace, class Scalar>
void multiply_several(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                      const DenseKernels<Scalar>& kernels, Scalar alpha, std::span<const JoinedColumns<Scalar>> blocks,
                      const SmallMatrix<const Scalar>& B, Scalar beta, const TallBlock<Scalar>& Y) {
  if (Y.columns == 1 && B.rows == 2 && blocks.size() == 2 && beta == Scalar(0)) {
    const Scalar a = alpha * B(blocks[0].rows[0], 0), b = alpha * B(blocks[1].rows[0], 0);
    if (a != Scalar(0) && b != Scalar(0))  // add() does not read what is multiplied by 0
      return add<ExecutionSpace, Scalar>(exec, kernels, a, blocks[0].block, b, blocks[1].block, Y);
  }
  struct Factor {
    PanelRows<const Scalar> X;
    const Scalar* packed;
    bool is_in_place;
  };
  std::vector<Factor> factors;
  const std::size_t width = std::size_t(padded(Y.columns));
  Scalar* packed = workspace.memory().template take_matrix<Scalar>(exec, width * std::size_t(B.rows));
  Ordinal columns = Y.columns;
  for (const auto& [X, rows] : blocks) {
    kernels.pack(alpha, B.data + rows.front(), B.stride, X.columns, Y.columns, packed);
    factors.push_back({rows_of(X), packed, are_same(X, Y)});
    packed += width * std::size_t(X.columns);
    columns += X.columns;
  }
  const auto y = rows_of(Y);
  for_some_rows_in_cache("Tessera::dense_multiply_add", exec, Y.rows, columns, Y.columns,
                         [=, &kernels, &factors](Ordinal first, Ordinal last) {
                           for (const Factor& factor : factors) {
                             const Scalar factor_of_y = &factor == factors.data() ? beta : Scalar(1);
                             kernels.multiply(factor.X, factor.packed, factor_of_y, y, factor.is_in_place, first, last);
                           }
                         });
}

template <class ExecutionSpace, class Scalar>
void scale(const ExecutionSpace& exec, const DenseKernels<Scalar>& kernels, const Scalar* factors,
           const TallBlock<Scalar>& X) {
  for_each_panel(X.columns, [&](Ordinal column) {
    const auto x = rows_of(X, column);
    for_some_rows("Tessera::dense_scale", exec, X.rows, x.columns,
                  [=, &kernels](Ordinal first, Ordinal last) { kernels.scale(factors + column, x, first, last); });
  });
}

template <class ExecutionSpace, class Scalar>
void scale_rows(const ExecutionSpace& exec, const DenseKernels<Scalar>& kernels, const Scalar* factors,
                const TallBlock<const Scalar>& X, const TallBlock<Scalar>& Y) {
  for_each_panel(X.columns, [&](Ordinal column) {
    const auto x = rows_of(X, column);
    const auto y = rows_of(Y, column);
    for_some_rows("Tessera::dense_scale_rows", exec, X.rows, x.columns,
                  [=, &kernels](Ordinal first, Ordinal last) { kernels.scale_rows(factors, x, y, first, last); });
  });
}

/// Calls body(first row, last row, panels...) for the panels of blocks of equal shape.
template <class ExecutionSpace, class Body, class Block, class... Blocks>
void for_each_panel_of(const char* label, const ExecutionSpace& exec, const Body& body, const Block& X,
                       const Blocks&... others) {
  for_each_panel(X.columns, [&](Ordinal column) {
    for_some_rows(label, exec, X.rows, std::min(panel_columns, X.columns - column), [=](Ordinal first, Ordinal last) {
      body(first, last, rows_of(X, column), rows_of(others, column)...);
    });
  });
}

template <class Scalar>
bool is_flat(const PanelRows<Scalar>& X) {
  return X.places == nullptr && X.row_stride == X.columns;
}

template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const TallBlock<const Scalar>& X, const TallBlock<Scalar>& Y) {
  const auto copy_rows = [](Ordinal first, Ordinal last, const auto& x, const auto& y) {
    if (is_flat(x) && is_flat(y)) {
      const std::ptrdiff_t begin = x.row_stride * first, end = x.row_stride * last;
      std::copy(x.data + begin, x.data + end, y.data + begin);
      return;
    }
    for (std::ptrdiff_t i = first; i < last; ++i) {
      const Scalar* from = x.data + i * x.row_stride;
      Scalar* to = y.data + i * y.row_stride;
      if (x.places == nullptr && y.places == nullptr) {
        std::copy_n(from, x.columns, to);
        continue;
      }
      for (Ordinal j = 0; j < x.columns; ++j)
        to[y.places == nullptr ? j : y.places[j]] = from[x.places == nullptr ? j : x.places[j]];
    }
  };
  for_each_panel_of("Tessera::dense_copy", exec, copy_rows, X, Y);
}

/// Calls body(i, j) for a few columns and many rows at a time. The hardware prefetcher can follow that few streams, and
/// cache lines of a block stay in cache until they are complete.
template <class Body>
void for_each_element(Ordinal first, Ordinal last, Ordinal columns, const Body& body) {
  const Ordinal run = 256, some = 8;
  for (std::ptrdiff_t row = first; row < last; row += run) {
    const auto end = static_cast<Ordinal>(std::min<std::ptrdiff_t>(row + run, last));
    for (Ordinal column = 0; column < columns; column += some)
      for (auto i = static_cast<Ordinal>(row); i < end; ++i)
        for (Ordinal j = column; j < std::min(column + some, columns); ++j) body(i, j);
  }
}

template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const Multivector<const Scalar>& X, const TallBlock<Scalar>& Y) {
  if (X.column_stride == 1 || X.columns == 1) {
    return OnHost::copy<ExecutionSpace, Scalar>(exec, {X.data, X.rows, X.columns, X.row_stride, nullptr}, Y);
  }
  for_some_rows("Tessera::dense_copy", exec, Y.rows, Y.columns, [=](Ordinal first, Ordinal last) {
    for_each_element(first, last, Y.columns,
                     [=](Ordinal i, Ordinal j) { Y.data[i * Y.row_stride + Y.place(j)] = X(i, j); });
  });
}

template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const TallBlock<const Scalar>& X, const Multivector<Scalar>& Y) {
  if (Y.column_stride == 1 || Y.columns == 1) {
    return OnHost::copy<ExecutionSpace, Scalar>(exec, X, {Y.data, Y.rows, Y.columns, Y.row_stride, nullptr});
  }
  for_some_rows("Tessera::dense_copy", exec, X.rows, X.columns, [=](Ordinal first, Ordinal last) {
    for_each_element(first, last, X.columns,
                     [=](Ordinal i, Ordinal j) { Y(i, j) = X.data[i * X.row_stride + X.place(j)]; });
  });
}

template <class ExecutionSpace, class Scalar>
void fill(const ExecutionSpace& exec, Scalar value, const TallBlock<Scalar>& X) {
  const auto fill_rows = [=](Ordinal first, Ordinal last, const auto& x) {
    if (is_flat(x)) {
      std::fill(x.data + x.row_stride * first, x.data + x.row_stride * last, value);
      return;
    }
    for (std::ptrdiff_t i = first; i < last; ++i)
      for (Ordinal j = 0; j < x.columns; ++j)
        x.data[i * x.row_stride + (x.places == nullptr ? j : x.places[j])] = value;
  };
  for_each_panel_of("Tessera::dense_fill", exec, fill_rows, X);
}

template <class ExecutionSpace, class Scalar>
void randomize(const ExecutionSpace& exec, std::uint64_t seed, std::int64_t first_row, const TallBlock<Scalar>& X) {
  for_some_rows("Tessera::dense_randomize", exec, X.rows, X.columns, [=](Ordinal first, Ordinal last) {
    for (std::ptrdiff_t i = first; i < last; ++i)
      for (Ordinal j = 0; j < X.columns; ++j)
        X.data[i * X.row_stride + X.place(j)] = random_element<Scalar>(seed, first_row + i, j);
  });
}

/// A product in place reads whole rows. If there are more columns than in a panel, a chunk of rows is copied at a time.
template <class ExecutionSpace, class Scalar>
void multiply_add(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                  const DenseKernels<Scalar>& kernels, Scalar alpha, const TallBlock<const Scalar>& X,
                  const SmallMatrix<const Scalar>& B, Scalar beta, const TallBlock<Scalar>& Y) {
  if (X.columns == 1 && Y.columns == 1 && alpha * B(0, 0) != Scalar(0)) {
    return OnHost::add<ExecutionSpace, Scalar>(exec, kernels, alpha * B(0, 0), X, beta, Y, Y);
  }
  const bool is_in_place = X.data == Y.data && are_same(X, Y);
  if (!is_in_place || X.columns <= panel_columns) {
    return multiply_blocks(exec, workspace, kernels, alpha, X, B, beta, Y, is_in_place);
  }
  const Ordinal some = std::clamp(Ordinal(1 << 18) / X.columns, Ordinal(1), X.rows);
  Scalar* rows = workspace.memory().template take_partial<Scalar>(exec, std::size_t(some) * std::size_t(X.columns));
  for (std::ptrdiff_t first = 0; first < X.rows; first += some) {
    const auto count = static_cast<Ordinal>(std::min<std::ptrdiff_t>(some, X.rows - first));
    const TallBlock<Scalar> y{Y.data + first * Y.row_stride, count, Y.columns, Y.row_stride, Y.column_list};
    const TallBlock<Scalar> copied{rows, count, X.columns, X.columns, nullptr};
    OnHost::copy<ExecutionSpace, Scalar>(exec, y, copied);
    multiply_blocks<ExecutionSpace, Scalar>(exec, workspace, kernels, alpha, copied, B, beta, y, false);
  }
}

/// Computes Y = alpha X B + beta Z. Y may be X.
template <class ExecutionSpace, class Scalar>
void multiply_add(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                  const DenseKernels<Scalar>& kernels, Scalar alpha, const TallBlock<const Scalar>& X,
                  const SmallMatrix<const Scalar>& B, Scalar beta, const TallBlock<const Scalar>& Z,
                  const TallBlock<Scalar>& Y) {
  if (X.columns == 1 && Y.columns == 1 && alpha * B(0, 0) != Scalar(0)) {
    return OnHost::add<ExecutionSpace, Scalar>(exec, kernels, alpha * B(0, 0), X, beta, Z, Y);
  }
  const bool is_in_place = are_same(X, Y);
  if (X.columns > panel_columns || Y.columns > panel_columns) {
    OnHost::multiply_add<ExecutionSpace, Scalar>(exec, workspace, kernels, alpha, X, B, Scalar(0), Y);
    return OnHost::add<ExecutionSpace, Scalar>(exec, kernels, Scalar(1), Y, beta, Z, Y);
  }
  const std::size_t count = std::size_t(X.columns) * std::size_t(padded(Y.columns));
  Scalar* packed = workspace.memory().template take_matrix<Scalar>(exec, count);
  kernels.pack(alpha, B.data, B.stride, X.columns, Y.columns, packed);
  const auto x = rows_of(X);
  const auto y = rows_of(Y);
  const auto z = rows_of(Z);
  for_some_rows_in_cache("Tessera::dense_multiply_add", exec, Y.rows, X.columns + 2 * Y.columns, Y.columns,
                         [=, &kernels](Ordinal first, Ordinal last) {
                           kernels.multiply(x, packed, Scalar(0), y, is_in_place, first, last);
                           kernels.add(Scalar(1), {y.data, y.row_stride, y.places, y.columns}, beta, z, y, first, last);
                         });
}

}  // namespace Tessera::Impl::OnHost
