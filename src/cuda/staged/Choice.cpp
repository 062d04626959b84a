// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <tessera/cuda/staged/Choice.hpp>

#include "Policy.hpp"

namespace Tessera::Cuda {

namespace {

using Policy = DefaultStagedPolicy<double>;
using Memory = StagedMemory<double, Policy>;

constexpr int shortest_piece = 8, longest_piece = 32;

// The longest piece for which two waves of blocks have an item each.
int choose_piece(double chunks, double slabs, double resident_blocks) {
  int piece = longest_piece;
  while (piece > shortest_piece && chunks * slabs < 2 * resident_blocks * piece) piece /= 2;
  return piece;
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
  shape.piece_chunks = choose_piece(chunks, slabs, double(Policy::min_blocks) * device.multiprocessors);
  return shape;
}

std::size_t staged_shared_bytes(int most_tile_bytes, int most_value_bytes) {
  return Memory::bytes(most_tile_bytes, most_value_bytes);
}

std::size_t usual_staged_shared_bytes() {
  const int header = 32, strips = 8, tiles_of_strip = 9, bytes_of_tile = 32;
  return staged_shared_bytes(header + strips * tiles_of_strip * bytes_of_tile, 8 * choose_staged({}).most_values);
}

}  // namespace Tessera::Cuda
