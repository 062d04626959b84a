// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <tessera/cuda/CondensedChoice.hpp>

namespace {

using namespace Tessera;
using Cuda::choose_condensed;
using Cuda::CondensedChoice;

// What was measured on an H200: a dense graph of few rows, a band, a finite element mesh.
TEST(CondensedChoice, MeasuredMatrices) {
  EXPECT_EQ(choose_condensed({174472, 119593, 32, Precision::Native}), (CondensedChoice{1, 48}));
  EXPECT_EQ(choose_condensed({18412, 10228, 128, Precision::Native}), (CondensedChoice{1, 32}));
  EXPECT_EQ(choose_condensed({18412, 10228, 128, Precision::Tf32x3}), (CondensedChoice{2, 32}));
  EXPECT_EQ(choose_condensed({18412, 10228, 32, Precision::Tf32x3}), (CondensedChoice{1, 32}));
  EXPECT_EQ(choose_condensed({416888, 308688, 128, Precision::Tf32x3}), (CondensedChoice{1, 64}));
  EXPECT_EQ(choose_condensed({416888, 308688, 32, Precision::Tf32}), (CondensedChoice{2, 64}));
  EXPECT_EQ(choose_condensed({376872, 328744, 128, Precision::Tf32}), (CondensedChoice{1, 64}));
}

TEST(CondensedChoice, NothingKnown) {
  EXPECT_EQ(choose_condensed({}), (CondensedChoice{1, 32}));
  EXPECT_EQ(choose_condensed({1e12, 0, 512, Precision::Tf32}), (CondensedChoice{1, 64}));
}

}  // namespace
