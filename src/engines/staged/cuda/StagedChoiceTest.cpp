// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "staged/cuda/Choice.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Impl;
using Cuda::choose_staged;
using Cuda::staged_shared_bytes;
using Cuda::usual_staged_shared_bytes;

// The kernel is compiled for this shape. Two blocks fit if a chunk has at most 1016 doubles.
TEST(StagedChoice, TheShapeIsThatOfTheKernel) {
  EXPECT_EQ(choose_staged({.rows = 1e9, .window_columns = 1e10}), (StagedShape{64, 64, 64, 1016}));
}

int piece(double rows, double nonzeros, double columns, double vector_columns) {
  return choose_staged(
             {.rows = rows, .nonzeros = nonzeros, .window_columns = columns, .vector_columns = vector_columns})
      .piece_chunks;
}

// Windows of a finite element mesh (9 chunks each) and of another matrix (10) are not cut: pieces are at least as long
// as a mean window, unless a block would have less work than that.
TEST(StagedChoice, PiecesAreWholeWindowsWhereThereAreManyWindows) {
  EXPECT_EQ(piece(262144, 6859000, 2310000, 32), 64);
  EXPECT_EQ(piece(45954, 6805486, 421212, 128), 64);
  EXPECT_EQ(piece(45954, 6805486, 421212, 32), 24);
  EXPECT_EQ(piece(1000, 1e8, 1000, 1), 64) << "values cut chunks too";
}

// 67 windows with 67 chunks each, for 264 blocks: 6 pieces of 11 take 2 rounds, 9 pieces of 7 take 3.
TEST(StagedChoice, PiecesAreEnoughForAllMultiprocessors) {
  EXPECT_EQ(piece(4267, 2140089, 285000, 32), 12);
  EXPECT_EQ(piece(4267, 2140089, 285000, 512), 32);
  EXPECT_EQ(piece(0, 0, 0, 0), 8);
}

TEST(StagedChoice, PiecesOfSmallerDevicesAreLonger) {
  const Cuda::StagedProblem problem = {
      .rows = 4267, .nonzeros = 2140089, .window_columns = 285000, .vector_columns = 32};
  EXPECT_EQ(choose_staged(problem).piece_chunks, 12);
  EXPECT_EQ(choose_staged(problem, {.multiprocessors = 60}).piece_chunks, 16);
}

TEST(StagedChoice, SharedMemoryIsARingOfBuffers) {
  EXPECT_EQ(staged_shared_bytes(0, 0), 128u + 4 * 64 * 256);
  EXPECT_EQ(staged_shared_bytes(544, 2384), 128u + 4 * (64 * 256 + 544 + 2384));
}

// The limit on a chunk's values lets two blocks fit, whatever the tiles: at most 9 tiles of 32 bytes per strip. Values
// that each strip carries from one chunk to the next may need more memory.
TEST(StagedChoice, TwoBlocksFit) {
  constexpr std::size_t half = H200::shared_bytes / 2 - 1024;
  const int tile_bytes = 32 + 8 * 9 * 32, limit = choose_staged({}).most_values * 8;
  EXPECT_LE(staged_shared_bytes(tile_bytes, limit), half);
  EXPECT_GT(staged_shared_bytes(tile_bytes, limit + 8 * 448), half) << "7 full columns carried into each strip";
}

TEST(StagedChoice, UsualBlocksFitInAnH200TwiceAndInSmallGpusNot) {
  EXPECT_LE(2 * usual_staged_shared_bytes(), 227u * 1024);
  EXPECT_GT(usual_staged_shared_bytes(), 99u * 1024);
}

}  // namespace
