// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tessera/cuda/staged/Choice.hpp>

#include "Policy.hpp"

namespace Tessera::Cuda {

namespace {

constexpr int shortest_piece = 8, longest_piece = 32;

// Calls f(policy, scalar) with what staged_spmm multiplies scalars of this size with.
template <class F>
auto with_policy(int scalar_bytes, const F& f) {
  if (scalar_bytes == 8) return f(DefaultStagedPolicy<double>(), double());
  if (scalar_bytes == 4) return f(DefaultStagedPolicy<float>(), float());
  throw std::invalid_argument("staged products: no kernel for scalars of " + std::to_string(scalar_bytes) +
                              " bytes; expected 4 or 8");
}

// So many items that two waves of blocks have some.
int choose_piece(double chunks, double slabs, double resident_blocks) {
  int piece = longest_piece;
  while (piece > shortest_piece && chunks * slabs < 2 * resident_blocks * piece) piece /= 2;
  return piece;
}

}  // namespace

StagedShape choose_staged(const StagedProblem& problem, const Device& device) {
  if (problem.value_bytes != 4 && problem.value_bytes != 8) {
    throw std::invalid_argument("staged products: no kernel for values of " + std::to_string(problem.value_bytes) +
                                " bytes; expected 4 or 8");
  }
  return with_policy(problem.scalar_bytes, [&](auto policy, auto scalar) {
    using Policy = decltype(policy);
    StagedShape shape;
    shape.window_rows = 8 * Policy::strips;
    shape.chunk_slots = Policy::slots;
    shape.most_values = StagedMemory<decltype(scalar), Policy>::most_values(problem.value_bytes);
    const double windows = std::ceil(problem.rows / shape.window_rows);
    // The last chunk of a window is half full on average.
    const double chunks =
        std::max(problem.window_columns / Policy::slots + windows / 2, problem.nonzeros / shape.most_values);
    const double slabs = std::max(1.0, std::ceil(problem.vector_columns / Policy::columns));
    shape.piece_chunks = choose_piece(chunks, slabs, double(Policy::min_blocks) * device.multiprocessors);
    return shape;
  });
}

std::size_t staged_shared_bytes(int most_tile_bytes, int most_value_bytes, int scalar_bytes) {
  return with_policy(scalar_bytes, [&](auto policy, auto scalar) {
    return StagedMemory<decltype(scalar), decltype(policy)>::bytes(most_tile_bytes, most_value_bytes);
  });
}

std::size_t usual_staged_shared_bytes() {
  const StagedShape shape = choose_staged({});
  const int header = 32, strips = 8, tiles_of_strip = 9, bytes_of_tile = 32;
  return staged_shared_bytes(header + strips * tiles_of_strip * bytes_of_tile, 8 * shape.most_values, 8);
}

int staged_resident_blocks(int most_tile_bytes, int most_value_bytes, int scalar_bytes) {
  const std::size_t bytes = staged_shared_bytes(most_tile_bytes, most_value_bytes, scalar_bytes);
  if (bytes > H200::block_shared_bytes) return 0;
  return with_policy(scalar_bytes, [&](auto policy, auto scalar) {
    using Memory = StagedMemory<decltype(scalar), decltype(policy)>;
    const int fit = H200::shared_bytes / static_cast<int>(bytes + Memory::block_overhead);
    return std::clamp(fit, 1, decltype(policy)::min_blocks);
  });
}

}  // namespace Tessera::Cuda
