// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/cuda/tall/Panel.hpp>

#include "../launch/Launch.cuh"
#include "../ptx/Mma.cuh"
#include "Pair.cuh"
#include "Parts.cuh"

/// X^T Y of tall panels. A warp computes a square of C, from 16 m_tiles columns of X and 8 n_tiles columns of Y.
namespace Tessera::Impl::Cuda::Tall {

/// How lanes read columns.
enum class Access {
  Adjacent,  ///< columns are adjacent
  Listed,    ///< columns may be listed
  Paired,    ///< a lane reads two adjacent columns at a time, and loads its next rows while it multiplies: for float,
             ///< which is converted. double uses the registers for more rows instead
};

/// Upper bound on the squares, and on the warps, of a block.
constexpr int most_squares = 10;

/// The shape of a square, and the number of steps of 8 rows that a warp loads before it multiplies them. A large square
/// that is alone has few steps. Registers then suffice for two blocks of 8 warps, which wait less for loads.
template <int m_tiles_, int n_tiles_, Access access_, bool is_alone = false>
struct GramPolicy {
  static constexpr int m_tiles = m_tiles_, n_tiles = n_tiles_;
  static constexpr Access access = access_;
  static constexpr int x_columns = 16 * m_tiles, y_columns = 8 * n_tiles;
  static constexpr int elements = x_columns * y_columns;
  static constexpr int steps = n_tiles == 1 ? 4 : n_tiles == 2 || (access != Access::Paired && !is_alone) ? 2 : 1;
  static constexpr int rows_at_once = 8 * steps;
  static constexpr int most_warps = is_alone ? 8 : most_squares, least_blocks = is_alone ? 2 : 1;
  static_assert(access != Access::Paired || n_tiles % 2 == 0);
};

template <class Scalar>
struct GramArguments {
  TallPanel<const Scalar> x, y;
  bool are_same;       // whether Y is X, so that only squares on and above the diagonal are computed
  int across;          // squares in a row of C
  int squares;         // number of squares that are computed
  int groups;          // number of warps of a block that share the rows of a square: a power of 2
  unsigned part_rows;  // rows that a block sums
  double* parts;       // sums: element e of square s of part p is parts[(p * squares + s) * elements + e]
};

/// The position of a square in C, counted in squares.
struct Square {
  int row, column;
};

/// Returns the position of a square. If X is Y, only squares on and above the diagonal are counted, column by column.
__host__ __device__ inline Square square_of(int index, bool are_same, int across) {
  if (!are_same) return {index / across, index % across};
  Square square{0, 0};
  while (index > square.column) index -= ++square.column;
  square.row = index;
  return square;
}

/// The columns of a panel that a lane reads: columns g, g + 8, ... of a square, or, for pairs, 2 g, 2 g + 1, 2 g + 16,
/// ... In both orders, columns 2 i and 2 i + 1 of a lane belong to the same 16 columns.
template <class Scalar, int count, Access access>
class LaneColumns {
 public:
  __device__ LaneColumns(const TallPanel<const Scalar>& panel, int first, int lane)
      : data_(panel.data), stride_(panel.row_stride), first_(first + column_of(0, lane / 4)), valid_(0) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const int column = first + column_of(i, lane / 4);
      const bool is_there = column < panel.columns;
      valid_ |= unsigned(is_there) << i;
      if constexpr (access == Access::Listed) places_[i] = is_there && panel.is_listed ? panel.places[column] : column;
    }
  }

  static __host__ __device__ int column_of(int i, int g) {
    return access == Access::Paired ? 16 * (i / 2) + 2 * g + i % 2 : 8 * i + g;
  }

  /// Loads elements of a row. Elements beyond the last row or column are zeros.
  __device__ __forceinline__ void load(unsigned row, unsigned last, double (&values)[count]) const {
    const Scalar* from = data_ + std::ptrdiff_t(row) * stride_;
    if constexpr (access == Access::Paired) {
#pragma unroll
      for (int i = 0; i < count; i += 2) {
        Pair<Scalar> pair = {};
        if (row < last && (valid_ >> i & 1)) pair = *reinterpret_cast<const Pair<Scalar>*>(from + first_ + 8 * i);
        values[i] = double(pair.at[0]);
        values[i + 1] = double(pair.at[1]);
      }
    } else {
#pragma unroll
      for (int i = 0; i < count; ++i) {
        const std::ptrdiff_t place = access == Access::Listed ? places_[i] : first_ + 8 * i;
        values[i] = row < last && (valid_ >> i & 1) ? double(from[place]) : 0.0;
      }
    }
  }

 private:
  const Scalar* data_;
  std::ptrdiff_t stride_;
  int first_;
  unsigned valid_;
  int places_[access == Access::Listed ? count : 1];
};

template <class Policy, class Scalar>
class GramAgent {
 public:
  __device__ GramAgent(const GramArguments<Scalar>& arguments, int square, int lane)
      : arguments_(arguments), square_(square_of(square, arguments.are_same, arguments.across)), lane_(lane) {}

  /// Adds this warp's rows of [first, last).
  __device__ void add(unsigned first, unsigned last, unsigned step) {
    if (arguments_.are_same && square_.row == square_.column) {
      add_diagonal(first, last, step);
    } else {
      add_apart(first, last, step);
    }
  }

  /// Stores the sums in an array of a square.
  __device__ void store(double* sums) const {
    for_each([&](int e, double sum) { sums[e] = sum; });
  }
  __device__ void add_from(const double* sums) {
    for_each([&](int e, double& sum) { sum += sums[e]; });
  }

 private:
  static constexpr int m_tiles = Policy::m_tiles, n_tiles = Policy::n_tiles, steps = Policy::steps;

  template <class Body>
  __device__ __forceinline__ void for_each(const Body& body) {
#pragma unroll
    for (int m = 0; m < m_tiles; ++m)
#pragma unroll
      for (int n = 0; n < n_tiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) body(place(m, n, i), sums_[m][n][i]);
  }
  template <class Body>
  __device__ __forceinline__ void for_each(const Body& body) const {
#pragma unroll
    for (int m = 0; m < m_tiles; ++m)
#pragma unroll
      for (int n = 0; n < n_tiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) body(place(m, n, i), sums_[m][n][i]);
  }
  using XColumns = LaneColumns<Scalar, 2 * m_tiles, Policy::access>;
  using YColumns = LaneColumns<Scalar, n_tiles, Policy::access>;

  __device__ __forceinline__ int place(int m, int n, int i) const {
    const int row = XColumns::column_of(2 * m + i / 2, lane_ / 4);
    return row * Policy::y_columns + YColumns::column_of(n, 2 * (lane_ % 4) + i % 2);
  }

  /// Calls load(row, operands) and multiply(operands) for all rows.
  template <class Operands, class Load, class Multiply>
  __device__ __forceinline__ void for_each_rows(unsigned first, unsigned last, unsigned step, const Load& load,
                                                const Multiply& multiply) {
    Operands next;
    if (Policy::access == Access::Paired && first < last) load(first, next);
    for (unsigned row = first; row < last; row += step) {
      if constexpr (Policy::access == Access::Paired) {
        const Operands now = next;
        load(row + step, next);
        multiply(now);
      } else {
        load(row, next);
        multiply(next);
      }
    }
  }

  template <class Columns, int count>
  __device__ __forceinline__ void load_steps(const Columns& columns, unsigned row, unsigned last,
                                             double (&values)[steps][2][count]) const {
#pragma unroll
    for (int s = 0; s < steps; ++s)
#pragma unroll
      for (int half = 0; half < 2; ++half) columns.load(row + 8 * s + 4 * half + lane_ % 4, last, values[s][half]);
  }

  struct SameOperands {
    double y[steps][2][n_tiles];
  };

  /// Multiplies a square on the diagonal. Both operands have the same elements. Tiles below the diagonal are skipped.
  __device__ void add_diagonal(unsigned first, unsigned last, unsigned step) {
    const YColumns columns(arguments_.y, square_.column * Policy::y_columns, lane_);
    for_each_rows<SameOperands>(
        first, last, step, [&](unsigned row, SameOperands& to) { load_steps(columns, row, last, to.y); },
        [&](const SameOperands& from) {
#pragma unroll
          for (int s = 0; s < steps; ++s)
#pragma unroll
            for (int m = 0; m < m_tiles; ++m) {
              const auto upper = [&](int half) { return from.y[s][half][(2 * m) % n_tiles]; };
              const auto lower = [&](int half) {
                return 2 * m + 1 < n_tiles ? from.y[s][half][(2 * m + 1) % n_tiles] : 0.0;
              };
              const double a[4] = {upper(0), lower(0), upper(1), lower(1)};
#pragma unroll
              for (int n = 2 * m; n < n_tiles; ++n) mma_m16n8k8(sums_[m][n], a, {from.y[s][0][n], from.y[s][1][n]});
            }
        });
  }

  struct OtherOperands {
    double x[steps][2][2 * m_tiles], y[steps][2][n_tiles];
  };

  __device__ void add_apart(unsigned first, unsigned last, unsigned step) {
    const XColumns x_columns(arguments_.x, square_.row * Policy::x_columns, lane_);
    const YColumns y_columns(arguments_.y, square_.column * Policy::y_columns, lane_);
    for_each_rows<OtherOperands>(
        first, last, step,
        [&](unsigned row, OtherOperands& to) {
          load_steps(x_columns, row, last, to.x);
          load_steps(y_columns, row, last, to.y);
        },
        [&](const OtherOperands& from) {
#pragma unroll
          for (int s = 0; s < steps; ++s)
#pragma unroll
            for (int m = 0; m < m_tiles; ++m) {
              const double a[4] = {from.x[s][0][2 * m], from.x[s][0][2 * m + 1], from.x[s][1][2 * m],
                                   from.x[s][1][2 * m + 1]};
#pragma unroll
              for (int n = 0; n < n_tiles; ++n) mma_m16n8k8(sums_[m][n], a, {from.y[s][0][n], from.y[s][1][n]});
            }
        });
  }

  const GramArguments<Scalar>& arguments_;
  Square square_;
  int lane_;
  double sums_[m_tiles][n_tiles][4] = {};
};

/// Sums a part of the rows in each block. Warps share the squares and, if there are more warps than squares, the rows.
template <class Policy, class Scalar>
__global__ void __launch_bounds__(32 * Policy::most_warps, Policy::least_blocks)
    gram_kernel(const __grid_constant__ GramArguments<Scalar> arguments) {
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  const int square = warp % arguments.squares, group = warp / arguments.squares;
  const unsigned rows = unsigned(arguments.x.rows), first = blockIdx.x * arguments.part_rows;
  const unsigned last = rows - first < arguments.part_rows ? rows : first + arguments.part_rows;
  GramAgent<Policy, Scalar> agent(arguments, square, lane);
  agent.add(first + group * Policy::rows_at_once, last, arguments.groups * Policy::rows_at_once);

  auto* const sums = reinterpret_cast<double*>(dynamic_memory()) + square * Policy::elements;
  for (int half = arguments.groups / 2; half > 0; half /= 2) {
    const int rest = arguments.squares * Policy::elements;
    if (group >= half && group < 2 * half) agent.store(sums + (group - half) * rest);
    __syncthreads();
    if (group < half) agent.add_from(sums + group * rest);
    __syncthreads();
  }
  if (group == 0) {
    agent.store(arguments.parts + (std::size_t(blockIdx.x) * arguments.squares + square) * Policy::elements);
  }
}

/// Adds the parts of C, which is `rows` x `columns`.
template <class Policy, class Scalar>
__global__ void combine_gram_kernel(Parts parts, bool are_same, int across, int rows, int columns, Scalar* C,
                                    std::ptrdiff_t stride) {
  combine_parts(parts, Add(), [&](int element, double sum) {
    const Square square = square_of(element / Policy::elements, are_same, across);
    const int place = element % Policy::elements;
    const int i = square.row * Policy::x_columns + place / Policy::y_columns;
    const int j = square.column * Policy::y_columns + place % Policy::y_columns;
    if (i >= rows || j >= columns || (are_same && i > j)) return;
    C[i + j * stride] = Scalar(sum);
    if (are_same) C[j + i * stride] = Scalar(sum);
  });
}

}  // namespace Tessera::Impl::Cuda::Tall
