// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "staged/cuda/Choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "Policy.hpp"

namespace Tessera::Impl::Cuda {

namespace {

using Policy = DefaultStagedPolicy<double>;
using Memory = StagedMemory<double, Policy>;

/// The time to write the sums of a piece and to add them in another kernel, as a number of chunks that a block
/// multiplies meanwhile. The sums are 16 KB twice; a chunk is about 25 KB.
constexpr double sums_in_chunks = 1.3;

/// Returns the length of pieces with which blocks are predicted to finish first; if several do, the longest. Blocks run
/// their tasks in rounds. Each round lasts as long as a piece of a window of mean length. Longer windows are also cut:
/// no piece is longer than the total work of a block.
int choose_piece(double windows, double chunks, double slabs, double blocks) {
  constexpr int lengths[] = {8, 12, 16, 24, 32, 48, 64};
  int best = lengths[0];
  if (chunks == 0) return best;
  const double mean = chunks / windows;
  double least = std::numeric_limits<double>::infinity();
  for (const int length : lengths) {
    if (length > lengths[0] && length * blocks > chunks * slabs) break;
    const double pieces = std::ceil(mean / length), task = mean / pieces + (pieces > 1 ? sums_in_chunks : 0);
    const double rounds = std::ceil(windows * pieces * slabs / blocks);
    if (rounds * task > least) continue;
    least = rounds * task;
    best = length;
  }
  return best;
}

}  // namespace

StagedShape choose_staged(const StagedProblem& problem, const Device& device) {
  StagedShape shape;
  shape.window_rows = 8 * Policy::strips;
  shape.chunk_slots = Policy::slots;
  shape.most_values = Memory::most_values(sizeof(double));
  const double windows = std::ceil(problem.rows / shape.window_rows);
  // The last chunk of a window is half full on average.
  const double chunks =
      std::max(problem.window_columns / Policy::slots + windows / 2, problem.nonzeros / shape.most_values);
  const double slabs = std::max(1.0, std::ceil(problem.vector_columns / Policy::columns));
  shape.piece_chunks = choose_piece(windows, chunks, slabs, double(Policy::min_blocks) * device.multiprocessors);
  return shape;
}

std::size_t staged_shared_bytes(int most_tile_bytes, int most_value_bytes) {
  return Memory::bytes(most_tile_bytes, most_value_bytes);
}

std::size_t usual_staged_shared_bytes() {
  const int header = 32, strips = 8, tiles_of_strip = 9, bytes_of_tile = 32;
  return staged_shared_bytes(header + strips * tiles_of_strip * bytes_of_tile, 8 * choose_staged({}).most_values);
}

}  // namespace Tessera::Impl::Cuda
