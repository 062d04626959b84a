// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <tessera/cuda/tall/Gram.hpp>
#include <type_traits>

#include "Gram.cuh"

namespace Tessera::Impl::Cuda {
namespace {

constexpr int block_warps = 8;  // approximate number of warps of a block

int parts_of(int squares) {
  return squares == 1 ? Tall::part_limit : squares <= 4 ? Tall::part_limit / 2 : Tall::part_limit / 4;
}

constexpr int half_panel = most_panel_columns / 2;

/// Returns columns [first, first + count) of a panel.
template <class Scalar>
TallPanel<Scalar> part_of(TallPanel<Scalar> panel, int first, int count) {
  panel.columns = count;
  if (!panel.is_listed) panel.data += first;
  std::copy(panel.places + first, panel.places + most_panel_columns, panel.places);
  return panel;
}

template <class Policy>
int squares_of(int x_columns, int y_columns, bool are_same) {
  const int down = ceil_divide(x_columns, Policy::x_columns), across = ceil_divide(y_columns, Policy::y_columns);
  return are_same ? across * (across + 1) / 2 : down * across;
}

template <class Policy, class Scalar>
void gram_with(Stream stream, const TallPanel<const Scalar>& X, const TallPanel<const Scalar>& Y, bool are_same,
               Scalar* C, std::ptrdiff_t stride, Scratch scratch) {
  Tall::GramArguments<Scalar> arguments{};
  arguments.x = X;
  arguments.y = Y;
  arguments.are_same = are_same;
  arguments.across = ceil_divide(Y.columns, Policy::y_columns);
  arguments.squares = squares_of<Policy>(X.columns, Y.columns, are_same);
  arguments.groups = int(std::bit_floor(unsigned(std::max(1, block_warps / arguments.squares))));
  arguments.parts = reinterpret_cast<double*>(scratch.data);
  const auto rows = unsigned(std::max(X.rows, 1)), unit = unsigned(Policy::rows_at_once * arguments.groups);
  arguments.part_rows = ceil_divide(ceil_divide(rows, unit), unsigned(parts_of(arguments.squares))) * unit;
  const unsigned parts = ceil_divide(rows, arguments.part_rows);
  const int elements = arguments.squares * Policy::elements;
  const std::size_t shared = std::size_t(arguments.groups / 2) * elements * sizeof(double);
  launch("gram", Tall::gram_kernel<Policy, Scalar>, parts, unsigned(32 * arguments.squares * arguments.groups), shared,
         stream, arguments);
  Tall::launch_combine<Tall::combine_gram_kernel<Policy, Scalar>>(
      "gram", stream, Tall::make_parts(arguments.parts, int(parts), elements), are_same, arguments.across, X.columns,
      Y.columns, C, stride);
}

}  // namespace

std::size_t gram_scratch_bytes(int x_columns, int y_columns) {
  // With any policy, the squares exceed C by at most 31 columns on each side.
  using Largest = Tall::GramPolicy<2, 4, Tall::Access::Adjacent>;
  const int squares = squares_of<Largest>(x_columns, y_columns, false);
  return std::size_t(parts_of(squares)) * squares * Largest::elements * sizeof(double);
}

template <class Scalar>
void gram(Stream stream, const TallPanel<const Scalar>& X, const TallPanel<const Scalar>& Y, bool are_same, Scalar* C,
          std::ptrdiff_t stride, Scratch scratch) {
  if (!are_same && X.columns > half_panel && Y.columns > half_panel) {
    // Otherwise there would be more squares than a block has warps.
    gram(stream, X, part_of(Y, 0, half_panel), false, C, stride, scratch);
    return gram(stream, X, part_of(Y, half_panel, Y.columns - half_panel), false, C + half_panel * stride, stride,
                scratch);
  }
  const auto with = [&](auto policy) {
    gram_with<decltype(policy), Scalar>(stream, X, Y, are_same, C, stride, scratch);
  };
  using enum Tall::Access;
  if (X.is_listed || Y.is_listed) return with(Tall::GramPolicy<2, 4, Listed>());
  const bool has_few_x = X.columns <= 16;
  if constexpr (std::is_same_v<Scalar, float>) {
    const int pair = 2 * sizeof(Scalar);
    if (Y.columns > 16 && Tall::has_groups(X, pair) && Tall::has_groups(Y, pair)) {
      return has_few_x && !are_same ? with(Tall::GramPolicy<1, 4, Paired>()) : with(Tall::GramPolicy<2, 4, Paired>());
    }
  }
  if (Y.columns <= 8) {
    return has_few_x ? with(Tall::GramPolicy<1, 1, Adjacent>()) : with(Tall::GramPolicy<2, 1, Adjacent>());
  }
  if (Y.columns <= 16) {
    return has_few_x ? with(Tall::GramPolicy<1, 2, Adjacent>()) : with(Tall::GramPolicy<2, 2, Adjacent>());
  }
  if (has_few_x && !are_same) return with(Tall::GramPolicy<1, 4, Adjacent>());
  const bool is_alone = X.columns <= 32 && Y.columns <= 32;
  return is_alone ? with(Tall::GramPolicy<2, 4, Adjacent, true>()) : with(Tall::GramPolicy<2, 4, Adjacent>());
}

template void gram(Stream, const TallPanel<const float>&, const TallPanel<const float>&, bool, float*, std::ptrdiff_t,
                   Scratch);
template void gram(Stream, const TallPanel<const double>&, const TallPanel<const double>&, bool, double*,
                   std::ptrdiff_t, Scratch);

}  // namespace Tessera::Impl::Cuda
