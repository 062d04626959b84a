// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/system/impl/Memory.hpp>
#include <tessera/system/impl/Parallel.hpp>
#include <vector>

#include "Random.hpp"
#include "RowAssembler.hpp"

namespace Tessera {
namespace Impl {
namespace {

constexpr std::size_t rows_at_a_time = 1024;
constexpr Ordinal largest_grid = 1290;  // 1290^3 < 2^31
constexpr Ordinal largest_elasticity_grid = 894;
constexpr Ordinal largest_ordinal = 2147483647;

void require_range(const char* what, Ordinal value, Ordinal lowest, Ordinal highest) {
  if (value < lowest || value > highest) {
    throw std::invalid_argument(std::string(what) + " is " + std::to_string(value) + ", expected " +
                                std::to_string(lowest) + " to " + std::to_string(highest));
  }
}

void require_memory_for(const char* generator, double rows, double nonzeros) {
  require_memory(8.0 * (rows + 1) + 12.0 * nonzeros, 0, std::string(generator) + ": the matrix");
}

template <class Task>
void for_each_row(std::size_t rows, int threads, const Task& task) {
  parallel_for(thread_count(threads), (rows + rows_at_a_time - 1) / rows_at_a_time, [&](std::size_t block, int) {
    const std::size_t end = std::min(rows, (block + 1) * rows_at_a_time);
    for (std::size_t row = block * rows_at_a_time; row < end; ++row) task(row);
  });
}

/// Builds a square matrix. Row `row` has length(row) entries, which fill(row, columns, values) writes.
template <class Length, class Fill>
HostCsr<double> build_rows(std::size_t rows, int threads, const Length& length, const Fill& fill) {
  HostCsr<double> matrix;
  matrix.rows = matrix.columns = static_cast<Ordinal>(rows);
  matrix.row_offsets.assign(rows + 1, 0);
  for_each_row(rows, threads, [&](std::size_t row) { matrix.row_offsets[row + 1] = length(row); });
  std::partial_sum(matrix.row_offsets.begin(), matrix.row_offsets.end(), matrix.row_offsets.begin());
  matrix.column_indices.resize(matrix.row_offsets.back());
  matrix.values.resize(matrix.row_offsets.back());
  for_each_row(rows, threads, [&](std::size_t row) {
    const std::size_t begin = matrix.row_offsets[row];
    fill(row, matrix.column_indices.data() + begin, matrix.values.data() + begin);
  });
  return matrix;
}

/// Returns the value of element (row, column) in matrices with random values.
double random_value(std::uint64_t seed, std::size_t row, std::size_t column) {
  return uniform_real<double>(hash(seed, row, column));
}

/// A point of a cubic grid and its neighbours.
struct GridPoint {
  GridPoint(std::size_t number, Ordinal extent)
      : grid(extent), at{coordinate(number, 1), coordinate(number, grid), coordinate(number, grid * grid)} {}

  std::size_t neighbours() const {
    std::size_t count = 1;
    for (const int x : at) count *= 1U + (x > 0 ? 1U : 0U) + (x + 1 < grid ? 1U : 0U);
    return count;
  }

  /// Calls visit(number, dx, dy, dz) for the point itself and its up to 26 neighbours, in ascending order.
  template <class Visit>
  void for_each_neighbour(const Visit& visit) const {
    const auto inside = [&](int x) { return x >= 0 && x < grid; };
    for (int dz = -1; dz <= 1; ++dz) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const int x = at[0] + dx, y = at[1] + dy, z = at[2] + dz;
          if (inside(x) && inside(y) && inside(z)) visit(x + grid * (y + grid * z), dx, dy, dz);
        }
      }
    }
  }

  Ordinal grid;
  std::array<int, 3> at;

 private:
  int coordinate(std::size_t number, Ordinal stride) const {
    return static_cast<int>(number / static_cast<std::size_t>(stride) % static_cast<std::size_t>(grid));
  }
};

double grid_nonzeros(Ordinal grid) {
  const double side = 3.0 * grid - 2.0;
  return side * side * side;
}

/// Returns the coupling of two grid points in the directions i and j. It is the sum of a spring along the line between
/// them (n n^T), a spring that acts in all directions, and a random part that fills the block. It is symmetric in the
/// points and in the directions. It is a multiple of 2^-10, hence sums are exact.
double coupling(std::uint64_t bits, const std::array<int, 3>& n, std::size_t i, std::size_t j) {
  constexpr int number_of_pair[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const std::uint64_t random = (bits >> (6 * number_of_pair[i][j])) & 63U;
  return -((i == j ? 1.0 : 0.0) + 0.5 * n[i] * n[j] + static_cast<double>(1 + random) / 1024.0);
}

/// Writes row 3 p + i of the elasticity stencil. The diagonal exceeds the sum of the other magnitudes by one.
void fill_elasticity_row(std::size_t row, Ordinal grid, std::uint64_t seed, Ordinal* columns, double* values) {
  const std::size_t p = row / 3;
  const std::size_t i = row % 3;
  double sum = 0;
  double* diagonal = nullptr;
  GridPoint(p, grid).for_each_neighbour([&](Ordinal neighbour, int dx, int dy, int dz) {
    const auto q = static_cast<std::size_t>(neighbour);
    const std::uint64_t bits = hash(seed, std::min(p, q), std::max(p, q));
    for (std::size_t j = 0; j < 3; ++j) {
      *columns++ = 3 * neighbour + static_cast<Ordinal>(j);
      *values = coupling(bits, {dx, dy, dz}, i, j);
      if (p == q && i == j) {
        diagonal = values;
      } else {
        sum += std::fabs(*values);
      }
      ++values;
    }
  });
  *diagonal = sum + 1.0;
}

/// Returns the vertices that an edge of an R-MAT graph joins. Each level chooses a quadrant by 16 random bits.
Entry<double> rmat_edge(std::uint64_t seed, std::uint64_t edge, int scale) {
  constexpr std::uint64_t a = 37355, ab = 49807, abc = 62259;  // 0.57, 0.76 and 0.95 of 2^16
  Entry<double> entry{0, 0, 0.0};
  std::uint64_t bits = 0;
  for (int level = 0; level < scale; ++level) {
    if (level % 4 == 0) bits = hash(seed, edge, static_cast<std::uint64_t>(level));
    const std::uint64_t random = bits & 65535U;
    bits >>= 16;
    entry.row = 2 * entry.row + (random >= ab ? 1 : 0);
    entry.column = 2 * entry.column + ((random >= a && random < ab) || random >= abc ? 1 : 0);
  }
  return entry;
}

/// A planar grid with about equal numbers of rows and columns, in which some edges are missing.
class RoadGrid {
 public:
  RoadGrid(Ordinal points, std::uint64_t seed) : points_(points), seed_(seed) {
    while (width_ < points / std::max<Ordinal>(width_, 1)) ++width_;
  }

  /// Calls visit(neighbour) for the points that an edge joins to `point`, in ascending order.
  template <class Visit>
  void for_each_neighbour(Ordinal point, const Visit& visit) const {
    if (point >= width_ && has_edge(point - width_, point)) visit(point - width_);
    if (point % width_ != 0 && has_edge(point - 1, point)) visit(point - 1);
    if (point % width_ != width_ - 1 && point < points_ - 1 && has_edge(point, point + 1)) visit(point + 1);
    if (point < points_ - width_ && has_edge(point, point + width_)) visit(point + width_);
  }

 private:
  bool has_edge(Ordinal low, Ordinal high) const {
    constexpr std::uint64_t seven_in_ten = 0xB3333333U;
    const std::uint64_t edge_seed = ~seed_;  // differs from the seed of the values
    return (hash(edge_seed, static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)) >> 32) < seven_in_ten;
  }

  Ordinal points_;
  std::uint64_t seed_;
  Ordinal width_ = 1;
};

/// Draws `count` different numbers below `columns` by Floyd's sampling, which never rejects a number, and sorts them.
void sample_columns(std::uint64_t seed, std::size_t row, Ordinal columns, Ordinal count, Ordinal* sample) {
  Ordinal* end = sample;
  for (Ordinal last = columns - count; last < columns; ++last) {
    const auto number = static_cast<std::uint64_t>(last);
    auto column = static_cast<Ordinal>(below(hash(seed, row, number), number + 1));
    Ordinal* place = std::lower_bound(sample, end, column);
    if (place != end && *place == column) {
      column = last;  // it is larger than all numbers drawn before
      place = end;
    }
    std::copy_backward(place, end, end + 1);
    *place = column;
    ++end;
  }
}

}  // namespace
}  // namespace Impl

HostCsr<double> Impl::generate_stencil27(Impl::Ordinal grid, int threads) {
  Impl::require_range("generate_stencil27: grid", grid, 1, Impl::largest_grid);
  const std::size_t rows = static_cast<std::size_t>(grid) * grid * grid;
  Impl::require_memory_for("generate_stencil27", static_cast<double>(rows), Impl::grid_nonzeros(grid));
  return Impl::build_rows(
      rows, threads, [&](std::size_t row) { return Impl::GridPoint(row, grid).neighbours(); },
      [&](std::size_t row, Impl::Ordinal* columns, double* values) {
        Impl::GridPoint(row, grid).for_each_neighbour([&](Impl::Ordinal neighbour, int, int, int) {
          *columns++ = neighbour;
          *values++ = static_cast<std::size_t>(neighbour) == row ? 26.0 : -1.0;
        });
      });
}

HostCsr<double> Impl::generate_elasticity(Impl::Ordinal grid, std::uint64_t seed, int threads) {
  Impl::require_range("generate_elasticity: grid", grid, 1, Impl::largest_elasticity_grid);
  const std::size_t rows = 3 * static_cast<std::size_t>(grid) * grid * grid;
  Impl::require_memory_for("generate_elasticity", static_cast<double>(rows), 9 * Impl::grid_nonzeros(grid));
  return Impl::build_rows(
      rows, threads, [&](std::size_t row) { return 3 * Impl::GridPoint(row / 3, grid).neighbours(); },
      [&](std::size_t row, Impl::Ordinal* columns, double* values) {
        Impl::fill_elasticity_row(row, grid, seed, columns, values);
      });
}

HostCsr<double> Impl::generate_rmat(int scale, int edge_factor, std::uint64_t seed, int threads) {
  constexpr int largest_scale = 30;
  constexpr std::size_t edges_at_a_time = std::size_t{1} << 16;
  Impl::require_range("generate_rmat: scale", scale, 0, largest_scale);
  Impl::require_range("generate_rmat: edge factor", edge_factor, 1, Impl::largest_ordinal);
  const Impl::Ordinal rows = 1 << scale;
  const std::size_t edges = static_cast<std::size_t>(edge_factor) << scale;
  const int workers = Impl::thread_count(threads);
  const std::size_t pieces = (edges + edges_at_a_time - 1) / edges_at_a_time;
  Impl::require_memory(Impl::RowAssembler<double>::bytes(rows, static_cast<double>(edges), pieces, workers), 0,
                       "generate_rmat: the matrix");
  Impl::RowAssembler<double> assembler(rows, rows, pieces);
  Impl::parallel_for(workers, pieces, [&](std::size_t piece, int) {
    const std::size_t begin = piece * edges_at_a_time;
    std::vector<Impl::Entry<double>> entries(std::min(edges - begin, edges_at_a_time));
    for (std::size_t k = 0; k < entries.size(); ++k) entries[k] = Impl::rmat_edge(seed, begin + k, scale);
    assembler.add(piece, entries);
  });
  HostCsr<double> matrix = assembler.assemble(workers);
  Impl::for_each_row(static_cast<std::size_t>(rows), workers, [&](std::size_t row) {
    for (std::size_t k = matrix.row_offsets[row]; k < matrix.row_offsets[row + 1]; ++k) {
      matrix.values[k] = Impl::random_value(seed, row, static_cast<std::size_t>(matrix.column_indices[k]));
    }
  });
  return matrix;
}

HostCsr<double> Impl::generate_road(Impl::Ordinal rows, std::uint64_t seed, int threads) {
  Impl::require_range("generate_road: rows", rows, 1, Impl::largest_ordinal);
  Impl::require_memory_for("generate_road", rows, 2.8 * rows);
  const Impl::RoadGrid grid(rows, seed);
  return Impl::build_rows(
      static_cast<std::size_t>(rows), threads,
      [&](std::size_t row) {
        std::size_t length = 0;
        grid.for_each_neighbour(static_cast<Impl::Ordinal>(row), [&](Impl::Ordinal) { ++length; });
        return length;
      },
      [&](std::size_t row, Impl::Ordinal* columns, double* values) {
        grid.for_each_neighbour(static_cast<Impl::Ordinal>(row), [&](Impl::Ordinal neighbour) {
          const auto other = static_cast<std::size_t>(neighbour);
          *columns++ = neighbour;
          *values++ = Impl::random_value(seed, std::min(row, other), std::max(row, other));
        });
      });
}

HostCsr<double> Impl::generate_banded(Impl::Ordinal rows, Impl::Ordinal bandwidth, std::uint64_t seed, int threads) {
  Impl::require_range("generate_banded: rows", rows, 1, Impl::largest_ordinal);
  Impl::require_range("generate_banded: bandwidth", bandwidth, 0, rows - 1);
  Impl::require_memory_for("generate_banded", rows, static_cast<double>(rows) * (2.0 * bandwidth + 1.0));
  const auto last = static_cast<std::size_t>(rows) - 1;
  const auto reach = static_cast<std::size_t>(bandwidth);
  const auto first_column = [=](std::size_t row) { return row - std::min(row, reach); };
  const auto last_column = [=](std::size_t row) { return std::min(last, row + reach); };
  return Impl::build_rows(
      last + 1, threads, [&](std::size_t row) { return last_column(row) - first_column(row) + 1; },
      [&](std::size_t row, Impl::Ordinal* columns, double* values) {
        for (std::size_t column = first_column(row); column <= last_column(row); ++column) {
          *columns++ = static_cast<Impl::Ordinal>(column);
          *values++ = Impl::random_value(seed, row, column);
        }
      });
}

HostCsr<double> Impl::generate_uniform(Impl::Ordinal rows, Impl::Ordinal nonzeros_per_row, std::uint64_t seed,
                                       int threads) {
  Impl::require_range("generate_uniform: rows", rows, 1, Impl::largest_ordinal);
  Impl::require_range("generate_uniform: nonzeros per row", nonzeros_per_row, 0, rows);
  Impl::require_memory_for("generate_uniform", rows, static_cast<double>(rows) * nonzeros_per_row);
  const auto length = static_cast<std::size_t>(nonzeros_per_row);
  return Impl::build_rows(
      static_cast<std::size_t>(rows), threads, [&](std::size_t) { return length; },
      [&](std::size_t row, Impl::Ordinal* columns, double* values) {
        const std::uint64_t column_seed = ~seed;  // differs from the seed of the values
        Impl::sample_columns(column_seed, row, rows, nonzeros_per_row, columns);
        for (std::size_t k = 0; k < length; ++k) {
          values[k] = Impl::random_value(seed, row, static_cast<std::size_t>(columns[k]));
        }
      });
}

template <class Scalar>
HostDense<Scalar> random_dense(std::size_t rows, std::size_t columns, std::uint64_t seed, int threads) {
  Impl::require_memory(static_cast<double>(rows) * static_cast<double>(columns) * sizeof(Scalar), 0,
                       "random_dense: the matrix");
  HostDense<Scalar> matrix{rows, columns, {}};
  matrix.values.resize(rows * columns);
  Impl::for_each_row(matrix.values.size(), threads,
                     [&](std::size_t k) { matrix.values[k] = Impl::uniform_scalar<Scalar>(Impl::hash(seed, 0, k)); });
  return matrix;
}

template HostDense<float> random_dense(std::size_t, std::size_t, std::uint64_t, int);
template HostDense<double> random_dense(std::size_t, std::size_t, std::uint64_t, int);
template HostDense<std::complex<float>> random_dense(std::size_t, std::size_t, std::uint64_t, int);
template HostDense<std::complex<double>> random_dense(std::size_t, std::size_t, std::uint64_t, int);

}  // namespace Tessera
