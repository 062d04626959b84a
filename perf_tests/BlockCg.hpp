// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <utility>

/// Conjugate gradients for several right-hand sides at a time.
namespace Tessera::Benchmarks {

/// x_j . y_j for each column, the same bits each time: a team sums each part of a column, and another the parts.
template <class View>
class ColumnDots {
 public:
  using Space = typename View::execution_space;
  using Scalars = Kokkos::View<double*, typename View::device_type>;

  static constexpr int part_count = 512;
  using Team = typename Kokkos::TeamPolicy<Space>::member_type;
  using Parts = Kokkos::View<double**, Kokkos::LayoutLeft, typename View::device_type>;

  /// Like the next, only for this class. nvcc wants both to be public.
  struct PartialDots {
    View X, Y;
    Parts parts;

    KOKKOS_FUNCTION void operator()(const Team& team) const {
      const int part = team.league_rank() % part_count, j = team.league_rank() / part_count;
      const int rows = int(X.extent(0)), length = rows / part_count + 1;
      const int first = Kokkos::min(part * length, rows), last = Kokkos::min(first + length, rows);
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, first, last), [&](int i, double& terms) { terms += X(i, j) * Y(i, j); }, sum);
      Kokkos::single(Kokkos::PerTeam(team), [&] { parts(part, j) = sum; });
    }
  };

  struct SumOfParts {
    Parts parts;
    Scalars dots;

    KOKKOS_FUNCTION void operator()(const Team& team) const {
      const int j = team.league_rank();
      double sum = 0;
      Kokkos::parallel_reduce(
          Kokkos::TeamThreadRange(team, part_count), [&](int part, double& terms) { terms += parts(part, j); }, sum);
      Kokkos::single(Kokkos::PerTeam(team), [&] { dots(j) = sum; });
    }
  };

  explicit ColumnDots(int columns) : parts_("parts", part_count, columns) {}

  /// Does not wait for the result.
  void operator()(const Space& exec, const View& X, const View& Y, const Scalars& dots) const {
    const Parts& parts = parts_;
    const int columns = int(X.extent(1));
    Kokkos::parallel_for("partial_dots", Kokkos::TeamPolicy<Space>(exec, part_count * columns, Kokkos::AUTO),
                         PartialDots{X, Y, parts});
    Kokkos::parallel_for("dots", Kokkos::TeamPolicy<Space>(exec, columns, Kokkos::AUTO), SumOfParts{parts, dots});
  }

 private:
  Parts parts_;
};

/// All (row, column), a part of a column at a time.
template <class View>
auto every_element(const typename View::execution_space& exec, const View& X) {
  using Columnwise = Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>;
  using Policy = Kokkos::MDRangePolicy<typename View::execution_space, Columnwise>;
  return Policy(exec, {0, 0}, {X.extent(0), X.extent(1)}, {256, 1});
}

/// X += step P and R -= step Q, for each column the step along P that leaves the least error.
template <class View, class Scalars>
void take_steps(const typename View::execution_space& exec, const View& P, const View& Q, const View& X, const View& R,
                const Scalars& squares, const Scalars& curvature, const Scalars& enough) {
  Kokkos::parallel_for(
      "take_steps", every_element(exec, X), KOKKOS_LAMBDA(int i, int j) {
        if (squares(j) <= enough(j)) return;
        const double step = squares(j) / curvature(j);
        X(i, j) += step * P(i, j);
        R(i, j) -= step * Q(i, j);
      });
}

/// P = R + (squares / before) P: the next direction of each column, conjugate to those before.
template <class View, class Scalars>
void turn_directions(const typename View::execution_space& exec, const View& R, const View& P, const Scalars& squares,
                     const Scalars& before, const Scalars& enough) {
  Kokkos::parallel_for(
      "turn_directions", every_element(exec, P), KOKKOS_LAMBDA(int i, int j) {
        if (squares(j) > enough(j)) P(i, j) = R(i, j) + squares(j) / before(j) * P(i, j);
      });
}

/// Solves A X = B from X = 0, a conjugate gradient method a column, all in step so that each iteration has one product
/// Q = A P, multiply(P, Q), of all columns. A column whose residual has come down to `tolerance`, relative to its
/// right-hand side, stays as it is until all have.
///
/// \param multiply  [in]  a product with A, symmetric positive definite; it need not wait for its end
/// \param B         [in]  right-hand sides
/// \param X         [out] solutions, as large as B
/// \return iterations, `most` at most
template <class Multiply, class View>
int block_cg(const typename View::execution_space& exec, const Multiply& multiply, const View& B, const View& X,
             double tolerance, int most) {
  using Device = typename View::device_type;
  const int rows = int(B.extent(0)), columns = int(B.extent(1));
  const View P("P", rows, columns), Q("Q", rows, columns), R("R", rows, columns);
  const ColumnDots<View> dots(columns);
  const Kokkos::View<double*, Device> enough("enough", columns), curvature("curvature", columns);
  Kokkos::View<double*, Device> squares("squares", columns), before("before", columns);
  const auto host_squares = Kokkos::create_mirror_view(squares), host_enough = Kokkos::create_mirror_view(enough);
  const auto all_are_solved = [&] {
    Kokkos::deep_copy(exec, host_squares, squares);
    exec.fence();
    for (int j = 0; j < columns; ++j)
      if (!(host_squares(j) <= host_enough(j))) return false;
    return true;
  };

  Kokkos::deep_copy(exec, X, 0.0);
  Kokkos::deep_copy(exec, R, B);
  Kokkos::deep_copy(exec, P, B);
  dots(exec, R, R, squares);
  Kokkos::deep_copy(exec, host_enough, squares);
  exec.fence();
  for (int j = 0; j < columns; ++j) host_enough(j) *= tolerance * tolerance;
  Kokkos::deep_copy(exec, enough, host_enough);
  int iteration = 0;
  for (; iteration < most && !all_are_solved(); ++iteration) {
    multiply(P, Q);
    dots(exec, P, Q, curvature);
    take_steps(exec, P, Q, X, R, squares, curvature, enough);
    std::swap(before, squares);
    dots(exec, R, R, squares);
    turn_directions(exec, R, P, squares, before, enough);
  }
  return iteration;
}

}  // namespace Tessera::Benchmarks
