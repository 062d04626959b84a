// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <tessera/cuda/CondensedChoice.hpp>

namespace Tessera::Cuda {

namespace {

constexpr double resident_warps = 132 * 32;  // of an H200
constexpr int shortest_piece = 32, longest_piece = 64, piece_step = 16;
constexpr int narrow_columns = 32;  // that a single warp takes

/// The share of the tiles in windows of 8 rows that those in windows of 16 must stay below. Three products an element
/// make each tile dear; with one, what is saved is a fetch of 8 rows of X.
double worthwhile_tall_tiles(const CondensedProblem& problem) {
  if (problem.precision == Precision::Tf32) return 0.78;
  return problem.precision == Precision::Tf32x3 && problem.vector_columns > narrow_columns ? 0.58 : 0;
}

}  // namespace

CondensedChoice choose_condensed(const CondensedProblem& problem) {
  CondensedChoice choice;
  const bool tall = problem.tall_tiles > 0 && problem.tall_tiles < worthwhile_tall_tiles(problem) * problem.tiles;
  choice.strips = tall ? 2 : 1;
  const double tiles = tall ? problem.tall_tiles : problem.tiles;
  const double steps = std::ceil(tiles / resident_warps / piece_step);
  choice.piece_tiles = static_cast<int>(std::clamp<double>(steps * piece_step, shortest_piece, longest_piece));
  return choice;
}

}  // namespace Tessera::Cuda
