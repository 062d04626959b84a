// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/common/ColumnSum.hpp>
#include <tessera/dense/impl/JoinedColumns.hpp>
#include <tessera/parallel/Teams.hpp>
#include <type_traits>
#include <vector>

#include "Panel.hpp"
#include "RandomElement.hpp"
#include "Workspace.hpp"
#ifdef TESSERA_HAS_CUDA
#include "CudaDense.hpp"
#endif

/// Algebra of tall blocks on a device, by plain Kokkos kernels for panels of columns. Arguments have been checked.
///
/// Sums take two kernels. The first computes sums over parts of the rows, each in order. The second adds the sums of
/// the parts in order. Small matrices are copied to the device, and results from the device, through pinned memory.
namespace Tessera::Impl::OnDevice {

/// Makes Kokkos pass functors of a kilobyte as kernel arguments. In constant memory, they would make a launch wait.
template <class Policy>
auto lightweight(const Policy& policy) {
  return Kokkos::Experimental::require(policy, Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// Calls body(e) for each element of memory without gaps.
template <class ExecutionSpace, class Body>
void for_each_place(const char* label, const ExecutionSpace& exec, std::int64_t elements, const Body& body) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  if (elements > 0) Kokkos::parallel_for(label, lightweight(Policy(exec, std::int64_t(0), elements)), body);
}

/// Calls body(i, j) for the elements of one thread, which are some rows of one column.
///
/// NOTE: a struct, because Body is usually a KOKKOS_LAMBDA; see LeastFault.
template <class Body>
struct ElementsOfThread {
  static constexpr Ordinal most_rows = 8;

  Body body;
  Ordinal rows, columns;
  /// Number of rows that threads handle at once: about one element for each thread of a thread block.
  Ordinal lines = std::max(Ordinal(1), 256 / columns);
  Ordinal threads = lines * columns;

  KOKKOS_FUNCTION void operator()(std::int64_t e) const {
    const auto part = static_cast<Ordinal>(e / threads), thread = static_cast<Ordinal>(e % threads);
    const Ordinal j = thread % columns;
    std::int64_t i = std::int64_t(part) * lines * most_rows + thread / columns;
    for (Ordinal k = 0; k < most_rows && i < rows; ++k, i += lines) body(static_cast<Ordinal>(i), j);
  }
};

/// Calls body(i, j) for all rows and columns. A thread has some rows of one column. Hence it divides once, and reads
/// the column's place in a list, or the column's factor, once.
template <class ExecutionSpace, class Body>
void for_each_element(const char* label, const ExecutionSpace& exec, Ordinal rows, Ordinal columns, const Body& body) {
  if (rows == 0 || columns == 0) return;
  const ElementsOfThread<Body> elements{body, rows, columns};
  const std::int64_t parts = window_count(rows, elements.lines * elements.most_rows);
  for_each_place(label, exec, parts * elements.threads, elements);
}

/// Returns whether the elements of a panel lie in memory without gaps.
template <class Scalar>
bool has_no_gaps(const Panel<Scalar>& X) {
  return !X.has_list && X.row_stride == X.columns;
}

/// Parts with equal numbers of rows, which depend only on the shape of blocks.
struct RowParts {
  Ordinal count, rows_of_part;

  RowParts(Ordinal rows, Ordinal most_parts, Ordinal least_rows) {
    const Ordinal parts = std::clamp(rows / least_rows, Ordinal(1), most_parts);
    rows_of_part = rows / parts + (rows % parts != 0);
    count = rows == 0 ? 0 : window_count(rows, rows_of_part);
  }
};

/// The rows and columns of a tile of a Gram matrix, which one team computes, and the number of rows staged at once.
inline constexpr Ordinal gram_tile = 32, gram_rows = 32;

/// Writes the sums over rows [begin, end) of the tile of X^T Y at columns `x_first` of X and `y_first` of Y.
template <class Member, class Scalar>
KOKKOS_FUNCTION void sum_gram_tile(const Member& team, const Panel<const Scalar>& X, Ordinal x_first,
                                   const Panel<const Scalar>& Y, Ordinal y_first, Ordinal begin, Ordinal end,
                                   Scalar* target) {
  const Ordinal m = Kokkos::min(Ordinal(gram_tile), X.columns - x_first),
                n = Kokkos::min(Ordinal(gram_tile), Y.columns - y_first);
  Scalar* sums = team_array<Scalar>(team, gram_tile * gram_tile);
  Scalar* x = team_array<Scalar>(team, gram_rows * gram_tile);
  Scalar* y = team_array<Scalar>(team, gram_rows * gram_tile);
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, m * n), [&](int e) { sums[e] = Scalar(0); });
  for (Ordinal row = begin; row < end; row += gram_rows) {
    const Ordinal rows = Kokkos::min(Ordinal(gram_rows), end - row);
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows * m),
                         [&](int e) { x[e / m * gram_tile + e % m] = X(row + e / m, x_first + e % m); });
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows * n),
                         [&](int e) { y[e / n * gram_tile + e % n] = Y(row + e / n, y_first + e % n); });
    team.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, m * n), [&](int e) {
      Scalar sum = sums[e];
      for (Ordinal k = 0; k < rows; ++k) sum += x[k * gram_tile + e / n] * y[k * gram_tile + e % n];
      sums[e] = sum;
    });
  }
  team.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(team, m * n), [&](int e) {
    target[std::size_t(x_first + e / n) * std::size_t(Y.columns) + std::size_t(y_first + e % n)] = sums[e];
  });
}

/// Combines the parts of each of `count` numbers, in order: first within each eighth of the parts, then the eighths.
template <class ExecutionSpace, class Scalar, class Combine>
void combine_parts(const ExecutionSpace& exec, Ordinal parts, Ordinal count, const Scalar* partial, Scalar* results,
                   const Combine& combine) {
  constexpr Ordinal slices = 8, numbers = 32;  // of a team
  const Ordinal slice_parts = window_count(parts, slices);
  Kokkos::parallel_for(
      "Tessera::dense_combine_parts",
      teams(exec, window_count(count, numbers), slices * numbers * sizeof(Scalar) + 64, {slices * numbers, 1}),
      KOKKOS_LAMBDA(const typename Teams<ExecutionSpace>::member_type& team) {
        Scalar* sums = team_array<Scalar>(team, slices * numbers);
        const Ordinal first = team.league_rank() * numbers;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, slices * numbers), [&](int t) {
          const Ordinal e = first + t % numbers, begin = t / numbers * slice_parts;
          const Ordinal end = Kokkos::min(begin + slice_parts, parts);
          Scalar sum = 0;
          if (e < count)
            for (Ordinal part = begin; part < end; ++part)
              sum = combine(sum, partial[std::size_t(part) * std::size_t(count) + std::size_t(e)]);
          sums[t] = sum;
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Kokkos::min(numbers, count - first)), [&](int t) {
          Scalar sum = 0;
          for (Ordinal slice = 0; slice < slices; ++slice) sum = combine(sum, sums[slice * numbers + t]);
          results[first + t] = sum;
        });
      });
}

struct Add {
  template <class Scalar>
  KOKKOS_FUNCTION Scalar operator()(Scalar a, Scalar b) const {
    return a + b;
  }
};
/// Returns the greater of two numbers, or NaN if one of them is NaN.
struct Greater {
  template <class Scalar>
  KOKKOS_FUNCTION Scalar operator()(Scalar a, Scalar b) const {
    return a != a || b <= a ? a : b;
  }
};

/// Computes results = X^T Y in row-major order, for a panel of X and a panel of Y.
template <class ExecutionSpace, class Scalar>
void gram_of_panels(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    const Panel<const Scalar>& X, const Panel<const Scalar>& Y, Scalar* results) {
#ifdef TESSERA_HAS_CUDA
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
    if (OnCuda::has_kernels(exec)) return OnCuda::gram_of_panels(exec, workspace, X, Y, results);
  }
#endif
  const Ordinal x_tiles = window_count(X.columns, gram_tile), y_tiles = window_count(Y.columns, gram_tile);
  const Ordinal tiles = x_tiles * y_tiles, count = X.columns * Y.columns;
  const RowParts parts(X.rows, 512 / tiles, 512);
  auto* partial = workspace.memory().template take_partial<Scalar>(exec, std::size_t(parts.count) * std::size_t(count));
  if (parts.count > 0) {
    const std::size_t scratch = sizeof(Scalar) * gram_tile * (gram_tile + 2 * gram_rows) + 64;
    Kokkos::parallel_for(
        "Tessera::dense_gram", lightweight(teams(exec, parts.count * tiles, scratch, {256, 1})),
        KOKKOS_LAMBDA(const typename Teams<ExecutionSpace>::member_type& team) {
          const Ordinal part = team.league_rank() / tiles, tile = team.league_rank() % tiles;
          const Ordinal begin = part * parts.rows_of_part, end = Kokkos::min(begin + parts.rows_of_part, X.rows);
          sum_gram_tile(team, X, tile / y_tiles * gram_tile, Y, tile % y_tiles * gram_tile, begin, end,
                        partial + std::size_t(part) * std::size_t(count));
        });
  }
  combine_parts(exec, parts.count, count, partial, results, Add());
}

template <class ExecutionSpace, class Scalar>
void inner_products(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                    std::span<const BlockProducts<Scalar>> all) {
  std::size_t count = 0;
  std::vector<std::vector<JoinedColumns<Scalar>>> joined;
  for (const BlockProducts<Scalar>& one : all) {
    count += std::size_t(one.C.rows) * std::size_t(one.C.columns);
    joined.push_back(join_columns(one.X, panel_columns));
  }
  Scalar* results = workspace.memory().template take_results<Scalar>(exec, count);
  // Visits the products of panels in a fixed order, because results are read in the order in which they are written.
  const auto for_each_product = [&](const auto& body) {
    std::size_t done = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Ordinal y_columns = all[k].Y.columns;
      for (const auto& [block, rows] : joined[k]) {
        for_each_panel(block.columns, [&, &block = block, &rows = rows](Ordinal x_first) {
          for_each_panel(y_columns, [&](Ordinal y_first) {
            const Ordinal m = std::min(panel_columns, block.columns - x_first),
                          n = std::min(panel_columns, y_columns - y_first);
            body(all[k], block, rows.data() + x_first, x_first, y_first, m, n, results + done);
            done += std::size_t(m) * std::size_t(n);
          });
        });
      }
    }
  };
  for_each_product([&](const auto& one, const auto& block, const Ordinal*, Ordinal x_first, Ordinal y_first, Ordinal,
                       Ordinal, Scalar* target) {
    gram_of_panels(exec, workspace, panel_of(block, x_first), panel_of(one.Y, y_first), target);
  });
  workspace.memory().wait(exec);
  for_each_product([&](const auto& one, const auto&, const Ordinal* rows, Ordinal, Ordinal column, Ordinal m, Ordinal n,
                       const Scalar* source) {
    for (Ordinal i = 0; i < m; ++i)
      for (Ordinal j = 0; j < n; ++j) one.C(rows[i], column + j) = source[i * n + j];
  });
}

/// Computes results[j] by combining term(i, j) of all rows i, starting from 0.
template <class ExecutionSpace, class Scalar, class Term, class Combine>
void combine_columns(const char* label, const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                     Ordinal rows, Ordinal columns, const Term& term, const Combine& combine, Scalar* results) {
  const RowParts parts(rows, 512, 1024);
  auto* partial =
      workspace.memory().template take_partial<Scalar>(exec, std::size_t(parts.count) * std::size_t(columns));
  const Ordinal lines = std::max(Ordinal(1), 256 / columns);  // rows whose sums are computed separately, interleaved
  if (parts.count > 0) {
    const std::size_t scratch = sizeof(Scalar) * std::size_t(lines) * std::size_t(columns) + 64;
    Kokkos::parallel_for(
        label, lightweight(teams(exec, parts.count, scratch, {256, 1})),
        KOKKOS_LAMBDA(const typename Teams<ExecutionSpace>::member_type& team) {
          const Ordinal part = team.league_rank();
          const Ordinal begin = part * parts.rows_of_part, end = Kokkos::min(begin + parts.rows_of_part, rows);
          Scalar* sums = team_array<Scalar>(team, lines * columns);
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, lines * columns), [&](int e) {
            Scalar sum = 0;
            for (Ordinal i = begin + e / columns; i < end; i += lines) sum = combine(sum, term(i, e % columns));
            sums[e] = sum;
          });
          team.team_barrier();
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, columns), [&](int j) {
            Scalar sum = 0;
            for (Ordinal line = 0; line < lines; ++line) sum = combine(sum, sums[line * columns + j]);
            partial[std::size_t(part) * std::size_t(columns) + std::size_t(j)] = sum;
          });
        });
  }
  combine_parts(exec, parts.count, columns, partial, results, combine);
}

/// Returns the term of a column sum for one row.
template <ColumnSum kind, class Scalar>
struct ColumnTerm {
  Panel<const Scalar> X, Y;

  KOKKOS_FUNCTION Scalar operator()(Ordinal i, Ordinal j) const {
    if constexpr (kind == ColumnSum::Products) {
      return X(i, j) * Y(i, j);
    } else {
      return Kokkos::abs(X(i, j));
    }
  }
};

/// Computes results[j], a sum over column j of panels; `kind` says which sum.
template <ColumnSum kind, class ExecutionSpace, class Scalar>
void column_sums_of_panels(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                           const Panel<const Scalar>& X, const Panel<const Scalar>& Y, Scalar* results) {
#ifdef TESSERA_HAS_CUDA
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
    if (OnCuda::has_kernels(exec)) return OnCuda::column_sums_of_panels(exec, workspace, kind, X, Y, results);
  }
#endif
  using Combine = std::conditional_t<kind == ColumnSum::GreatestMagnitude, Greater, Add>;
  combine_columns("Tessera::dense_column_sums", exec, workspace, X.rows, X.columns, ColumnTerm<kind, Scalar>{X, Y},
                  Combine(), results);
}

/// Computes result[j], a sum over column j of X and Y; `kind` says which sum.
template <ColumnSum kind, class ExecutionSpace, class Scalar>
void column_sums(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                 const TallBlock<const Scalar>& X, const TallBlock<const Scalar>& Y, Scalar* result) {
  Scalar* results = workspace.memory().template take_results<Scalar>(exec, std::size_t(X.columns));
  for_each_panel(X.columns, [&](Ordinal first) {
    column_sums_of_panels<kind>(exec, workspace, panel_of(X, first), panel_of(Y, first), results + first);
  });
  workspace.memory().wait(exec);
  std::copy_n(results, X.columns, result);
}

template <class ExecutionSpace, class Scalar>
void dots(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, const TallBlock<const Scalar>& X,
          const TallBlock<const Scalar>& Y, Scalar* result) {
  column_sums<ColumnSum::Products>(exec, workspace, X, Y, result);
}

template <class ExecutionSpace, class Scalar>
void sums_of_magnitudes(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                        const TallBlock<const Scalar>& X, Scalar* result) {
  column_sums<ColumnSum::Magnitudes>(exec, workspace, X, X, result);
}

template <class ExecutionSpace, class Scalar>
void greatest_magnitudes(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace,
                         const TallBlock<const Scalar>& X, Scalar* result) {
  column_sums<ColumnSum::GreatestMagnitude>(exec, workspace, X, X, result);
}

/// Computes Y = alpha X B + beta Y for panels; B is row-major, on the device. A team reads its X before it writes.
template <class ExecutionSpace, class Scalar>
void multiply_panels(const ExecutionSpace& exec, Scalar alpha, const Panel<const Scalar>& X, const Scalar* B,
                     Scalar beta, const Panel<Scalar>& Y) {
  const Ordinal rows_of_team = 16, m = X.columns, n = Y.columns;
  const std::size_t scratch = sizeof(Scalar) * std::size_t(rows_of_team) * std::size_t(m) + 64;
  Kokkos::parallel_for(
      "Tessera::dense_multiply_add", lightweight(teams(exec, window_count(Y.rows, rows_of_team), scratch, {256, 1})),
      KOKKOS_LAMBDA(const typename Teams<ExecutionSpace>::member_type& team) {
        const Ordinal first = team.league_rank() * rows_of_team;
        const Ordinal rows = Kokkos::min(rows_of_team, Y.rows - first);
        Scalar* x = team_array<Scalar>(team, rows_of_team * m);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows * m), [&](int e) { x[e] = X(first + e / m, e % m); });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows * n), [&](int e) {
          const Ordinal i = e / n, j = e % n;
          Scalar sum = 0;
          for (Ordinal k = 0; k < m; ++k) sum += x[i * m + k] * B[k * n + j];
          Scalar& y = Y(first + i, j);
          y = beta == Scalar(0) ? alpha * sum : alpha * sum + beta * y;
        });
      });
}

/// Does the same for blocks with any number of columns. They must share no memory, or have one panel each.
template <class ExecutionSpace, class Scalar>
void multiply_blocks(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, Scalar alpha,
                     const TallBlock<const Scalar>& X, const SmallMatrix<const Scalar>& B, Scalar beta,
                     const TallBlock<Scalar>& Y) {
  for_each_panel(Y.columns, [&](Ordinal y_first) {
    const Panel<Scalar> y = panel_of(Y, y_first);
    for_each_panel(X.columns, [&](Ordinal x_first) {
      const Panel<const Scalar> x = panel_of(X, x_first);
      const std::size_t count = std::size_t(x.columns) * std::size_t(y.columns);
      const Scalar factor = x_first == 0 ? beta : Scalar(1);
      const auto write_by_rows = [&](Scalar* to) {
        for (Ordinal j = 0; j < y.columns; ++j)
          for (Ordinal k = 0; k < x.columns; ++k) to[k * y.columns + j] = B(x_first + k, y_first + j);
      };
#ifdef TESSERA_HAS_CUDA
      if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
        if (OnCuda::has_kernels(exec)) {
          return OnCuda::multiply_panels(exec, workspace, alpha, x, count, write_by_rows, factor, y);
        }
      }
#endif
      multiply_panels(exec, alpha, x, workspace.memory().template send<Scalar>(exec, count, write_by_rows), factor, y);
    });
  });
}

/// The factors of a panel's columns. Kernels take them by value.
template <class Scalar>
struct ColumnFactors {
  Scalar of_column[panel_columns];
};

template <class ExecutionSpace, class Scalar>
void scale(const ExecutionSpace& exec, const Scalar* factors, const TallBlock<Scalar>& X) {
  for_each_panel(X.columns, [&](Ordinal first) {
    const Panel<Scalar> x = panel_of(X, first);
    ColumnFactors<Scalar> panel;
    std::copy_n(factors + first, x.columns, panel.of_column);
    for_each_element(
        "Tessera::dense_scale", exec, x.rows, x.columns,
        KOKKOS_LAMBDA(Ordinal i, Ordinal j) { x(i, j) *= panel.of_column[j]; });
  });
}

template <class ExecutionSpace, class Scalar>
void add(const ExecutionSpace& exec, Scalar alpha, const TallBlock<const Scalar>& A, Scalar beta,
         const TallBlock<const Scalar>& B, const TallBlock<Scalar>& C) {
  for_each_panel(C.columns, [&](Ordinal first) {
    const Panel<const Scalar> a = panel_of(A, first), b = panel_of(B, first);
    const Panel<Scalar> c = panel_of(C, first);
    if (has_no_gaps(a) && has_no_gaps(b) && has_no_gaps(c)) {
      const Scalar *from_a = a.data, *from_b = b.data;
      Scalar* to = c.data;
      return for_each_place(
          "Tessera::dense_add", exec, std::int64_t(c.rows) * c.columns, KOKKOS_LAMBDA(std::int64_t e) {
            const Scalar sum = alpha == Scalar(0) ? Scalar(0) : alpha * from_a[e];
            to[e] = beta == Scalar(0) ? sum : sum + beta * from_b[e];
          });
    }
    for_each_element(
        "Tessera::dense_add", exec, c.rows, c.columns, KOKKOS_LAMBDA(Ordinal i, Ordinal j) {
          const Scalar from_a = alpha == Scalar(0) ? Scalar(0) : alpha * a(i, j);
          c(i, j) = beta == Scalar(0) ? from_a : from_a + beta * b(i, j);
        });
  });
}

template <class ExecutionSpace, class Scalar>
void scale_rows(const ExecutionSpace& exec, const Scalar* factors, const TallBlock<const Scalar>& X,
                const TallBlock<Scalar>& Y) {
  for_each_panel(X.columns, [&](Ordinal first) {
    const Panel<const Scalar> x = panel_of(X, first);
    const Panel<Scalar> y = panel_of(Y, first);
    for_each_element(
        "Tessera::dense_scale_rows", exec, x.rows, x.columns,
        KOKKOS_LAMBDA(Ordinal i, Ordinal j) { y(i, j) = factors[i] * x(i, j); });
  });
}

template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const TallBlock<const Scalar>& X, const TallBlock<Scalar>& Y) {
  for_each_panel(X.columns, [&](Ordinal first) {
    const Panel<const Scalar> x = panel_of(X, first);
    const Panel<Scalar> y = panel_of(Y, first);
    if (has_no_gaps(x) && has_no_gaps(y)) {
      const Scalar* from = x.data;
      Scalar* to = y.data;
      return for_each_place(
          "Tessera::dense_copy", exec, std::int64_t(x.rows) * x.columns,
          KOKKOS_LAMBDA(std::int64_t e) { to[e] = from[e]; });
    }
    for_each_element(
        "Tessera::dense_copy", exec, x.rows, x.columns, KOKKOS_LAMBDA(Ordinal i, Ordinal j) { y(i, j) = x(i, j); });
  });
}

template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const Multivector<const Scalar>& X, const TallBlock<Scalar>& Y) {
  for_each_panel(X.columns, [&](Ordinal first) {
    const Panel<Scalar> y = panel_of(Y, first);
    for_each_element(
        "Tessera::dense_copy", exec, y.rows, y.columns,
        KOKKOS_LAMBDA(Ordinal i, Ordinal j) { y(i, j) = X(i, first + j); });
  });
}

template <class ExecutionSpace, class Scalar>
void copy(const ExecutionSpace& exec, const TallBlock<const Scalar>& X, const Multivector<Scalar>& Y) {
  for_each_panel(X.columns, [&](Ordinal first) {
    const Panel<const Scalar> x = panel_of(X, first);
    for_each_element(
        "Tessera::dense_copy", exec, x.rows, x.columns,
        KOKKOS_LAMBDA(Ordinal i, Ordinal j) { Y(i, first + j) = x(i, j); });
  });
}

template <class ExecutionSpace, class Scalar>
void fill(const ExecutionSpace& exec, Scalar value, const TallBlock<Scalar>& X) {
  for_each_panel(X.columns, [&](Ordinal first) {
    const Panel<Scalar> x = panel_of(X, first);
    if (has_no_gaps(x)) {
      Scalar* to = x.data;
      return for_each_place(
          "Tessera::dense_fill", exec, std::int64_t(x.rows) * x.columns,
          KOKKOS_LAMBDA(std::int64_t e) { to[e] = value; });
    }
    for_each_element(
        "Tessera::dense_fill", exec, x.rows, x.columns, KOKKOS_LAMBDA(Ordinal i, Ordinal j) { x(i, j) = value; });
  });
}

template <class ExecutionSpace, class Scalar>
void randomize(const ExecutionSpace& exec, std::uint64_t seed, std::int64_t first_row, const TallBlock<Scalar>& X) {
  for_each_panel(X.columns, [&](Ordinal first) {
    const Panel<Scalar> x = panel_of(X, first);
    for_each_element(
        "Tessera::dense_randomize", exec, x.rows, x.columns,
        KOKKOS_LAMBDA(Ordinal i, Ordinal j) { x(i, j) = random_element<Scalar>(seed, first_row + i, first + j); });
  });
}

/// A product in place reads whole rows. If there are more columns than in a panel, a chunk of rows is copied at a time.
template <class ExecutionSpace, class Scalar>
void multiply_add(const ExecutionSpace& exec, const DenseWorkspace<ExecutionSpace>& workspace, Scalar alpha,
                  const TallBlock<const Scalar>& X, const SmallMatrix<const Scalar>& B, Scalar beta,
                  const TallBlock<Scalar>& Y) {
  if (X.data != Y.data || X.columns <= panel_columns || !are_same(X, Y)) {
    return multiply_blocks(exec, workspace, alpha, X, B, beta, Y);
  }
  const Ordinal some = std::clamp(Ordinal(1 << 19) / X.columns, Ordinal(1), X.rows);
  Scalar* rows = workspace.memory().template take_partial<Scalar>(exec, std::size_t(some) * std::size_t(X.columns));
  for (std::ptrdiff_t first = 0; first < X.rows; first += some) {
    const auto count = static_cast<Ordinal>(std::min<std::ptrdiff_t>(some, X.rows - first));
    const TallBlock<Scalar> y{Y.data + first * Y.row_stride, count, Y.columns, Y.row_stride, Y.column_list};
    const TallBlock<Scalar> copied{rows, count, X.columns, X.columns, nullptr};
    OnDevice::copy<ExecutionSpace, Scalar>(exec, y, copied);
    multiply_blocks<ExecutionSpace, Scalar>(exec, workspace, alpha, copied, B, beta, y);
  }
}

}  // namespace Tessera::Impl::OnDevice
