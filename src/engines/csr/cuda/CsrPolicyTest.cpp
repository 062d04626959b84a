// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "csr/ColumnKernel.hpp"
#include "csr/GatheredTiles.hpp"
#include "csr/cuda/Policy.hpp"
#include "csr/cuda/Spmm.hpp"

namespace Tessera::Impl::Cuda {
namespace {

CsrProblem problem(double rows, double nonzeros, double span, double columns, double bytes) {
  return {rows, rows, nonzeros, span, columns, bytes, bytes, 16, 0};
}

TEST(CsrPolicy, EveryChoiceIsValid) {
  for (const double columns : {0., 1., 2., 7., 8., 31., 32., 33., 64., 128., 200., 512., 5000.}) {
    for (const double bytes : {4., 8., 16.}) {
      for (const double nonzeros : {0., 1e3, 2e6, 5e8}) {
        for (const double access : {bytes, 16.}) {
          CsrProblem p = problem(1e6, nonzeros, 1e4, columns, bytes);
          p.access_bytes = access;
          EXPECT_TRUE(is_valid(choose_csr_policy(p))) << columns << " columns, " << bytes << " bytes";
        }
      }
    }
  }
  EXPECT_TRUE(is_valid(choose_csr_policy({})));
}

TEST(CsrPolicy, NoMoreLanesThanColumns) {
  EXPECT_EQ(choose_csr_policy(problem(1e5, 3e6, 100, 8, 8)).lanes, 4);
  EXPECT_EQ(choose_csr_policy(problem(1e5, 3e6, 100, 16, 8)).lanes, 8);
  EXPECT_EQ(choose_csr_policy(problem(1e5, 3e6, 100, 32, 8)).lanes, 16);
  EXPECT_EQ(choose_csr_policy(problem(1e5, 3e6, 100, 32, 4)).lanes, 8);
}

TEST(CsrPolicy, AWarpOfRowsThatDifferInLengthHasFewOfThem) {
  CsrProblem p = problem(1e5, 3e6, 100, 128, 4);
  EXPECT_EQ(choose_csr_policy(p).lanes, 16);
  EXPECT_EQ(choose_csr_policy(p).vectors, 2);
  p.pieces = 10;
  EXPECT_EQ(choose_csr_policy(p).lanes, 32);
  EXPECT_EQ(choose_csr_policy(p).vectors, 1);
}

TEST(CsrPolicy, PanelsAreAsWideAsTheirPartialSumsAllow) {
  CsrScheduleSize size;
  const auto columns_of = [&](int pieces, int x_rows = 0) {
    size.pieces = pieces;
    return csr_panel_columns(size, x_rows, 2000);
  };
  EXPECT_EQ(columns_of(0), 2000);
  EXPECT_EQ(columns_of(100), 2000);
  EXPECT_EQ(columns_of(1000), 512);
  EXPECT_EQ(columns_of(4096), 128);
  EXPECT_EQ(columns_of(1000000), 128);
  EXPECT_EQ(columns_of(1000, 8200), 2000);  // sums: an eighth of the elements of X
  EXPECT_EQ(columns_of(2000, 8000), 896);
  size.pieces = 1000;
  EXPECT_EQ(csr_workspace_bytes(size, 0, 2000, 8), 1000 * 512 * 8u);
  EXPECT_EQ(csr_workspace_bytes(size, 8200, 2000, 8, true), 1000 * 2000 * 8u);
}

/// A workspace for some number of columns is enough for fewer columns.
TEST(CsrPolicy, WorkspacesGrowWithTheColumns) {
  CsrScheduleSize size;
  size.nonzeros = 4000000;
  for (const int pieces : {1, 700, 1365, 5000, 100000}) {
    size.pieces = pieces;
    for (const bool adjacent : {false, true}) {
      std::size_t before = 0;
      for (int columns = 0; columns < 1500; columns += 7) {
        const std::size_t bytes = csr_workspace_bytes(size, 20000, columns, 8, adjacent);
        EXPECT_GE(bytes, before) << pieces << " pieces, " << columns << " columns";
        before = bytes;
      }
    }
  }
}

TEST(CsrPolicy, LanesHaveSeveralVectorsIfXHasAllOfThem) {
  EXPECT_EQ(choose_csr_policy(problem(1e5, 3e6, 100, 512, 4)), (CsrPolicy{.lanes = 32, .vectors = 4, .threads = 256}));
  EXPECT_EQ(choose_csr_policy(problem(1e5, 3e6, 100, 128, 8)), (CsrPolicy{.lanes = 32, .vectors = 2, .threads = 256}));
  EXPECT_EQ(choose_csr_policy(problem(1e5, 3e6, 100, 200, 4)), (CsrPolicy{.lanes = 32, .vectors = 1, .threads = 256}));
  EXPECT_EQ(choose_csr_policy(problem(1e5, 3e6, 100, 124, 4)), (CsrPolicy{.lanes = 32, .vectors = 1, .threads = 256}));
}

TEST(CsrPolicy, SlabsOfXFitTheCacheWhereRowsReachFar) {
  const double reddit_rows = 232965, reddit_nonzeros = 114848857;
  const CsrPolicy far = choose_csr_policy(problem(reddit_rows, reddit_nonzeros, reddit_rows, 128, 8));
  EXPECT_LT(far.lanes * far.vectors, 64);
  const CsrPolicy near = choose_csr_policy(problem(reddit_rows, reddit_nonzeros, 1000, 128, 8));
  EXPECT_EQ(near.lanes * near.vectors, 64);
}

TEST(CsrPolicy, PredictionsGrowWithTheFootprintAndTheSlabs) {
  const CsrProblem near = problem(1e6, 3e7, 1e3, 128, 8), far = problem(1e6, 3e7, 1e6, 128, 8);
  EXPECT_LT(predict_csr_seconds(near, 128), predict_csr_seconds(far, 128));
  EXPECT_LT(predict_csr_seconds(near, 128), predict_csr_seconds(near, 16));
}

TEST(CsrPolicy, LanesOfNarrowRowsGrowWithTheirLength) {
  EXPECT_EQ(choose_csr_narrow_policy(problem(2e6, 5.5e6, 1e3, 1, 8)).lanes, 1);
  EXPECT_EQ(choose_csr_narrow_policy(problem(2.6e5, 6.9e6, 8e3, 1, 8)).lanes, 4);
  EXPECT_EQ(choose_csr_narrow_policy(problem(2.6e5, 6.9e6, 8e3, 3, 8)).lanes, 2);
  EXPECT_EQ(choose_csr_narrow_policy(problem(4e3, 2e6, 4e3, 3, 8)).lanes, 4);
  EXPECT_EQ(choose_csr_narrow_policy(problem(0, 0, 0, 1, 8)).lanes, 1);
}

TEST(CsrPolicy, ALongRowOfASmallMatrixGetsLanes) {
  CsrProblem p = problem(1.6e4, 5.1e4, 1e3, 3, 8);
  EXPECT_EQ(choose_csr_narrow_policy(p).lanes, 1);
  p.pieces = 1;
  EXPECT_EQ(choose_csr_narrow_policy(p).lanes, 4);
  p.rows = 1.6e6, p.nonzeros = 5.1e6;
  EXPECT_EQ(choose_csr_narrow_policy(p).lanes, 1);
}

TEST(CsrPolicy, ManyShortNarrowRowsThatDifferInLengthAreSorted) {
  CsrProblem p = problem(6.9e5, 7.6e6, 1e4, 1, 8);
  EXPECT_EQ(choose_csr_narrow_policy(p).rounds, 1);
  p.pieces = 10;
  EXPECT_EQ(choose_csr_narrow_policy(p).rounds, 4);
  p.vector_columns = 3;
  EXPECT_EQ(choose_csr_narrow_policy(p).rounds, 2);
  p.rows = 6.9e4, p.nonzeros = 7.6e5;
  EXPECT_EQ(choose_csr_narrow_policy(p).rounds, 1);  // too few rows
  p.rows = 6.9e5, p.nonzeros = 7.6e7;
  EXPECT_EQ(choose_csr_narrow_policy(p).rounds, 1);  // rows are too long
}

TEST(CsrColumnKernel, HasTilesWhereRowsDiffer) {
  using Kind = CsrColumnKernel::Kind;
  const auto kind = [](double rows, double nonzeros, double longest_row, double bytes = 8) {
    return choose_csr_column_kernel(rows, nonzeros, longest_row, bytes).kind;
  };
  EXPECT_EQ(choose_csr_column_kernel(1.9e5, 1.5e7, 81, 8), (CsrColumnKernel{Kind::Rows, 8}));
  EXPECT_EQ(kind(1.9e5, 1.5e7, 700), Kind::Tiles) << "a row that is nine times as long as the mean";
  EXPECT_EQ(kind(1.9e5, 1.9e6, 128), Kind::Rows) << "no row is long";
  EXPECT_EQ(kind(1.9e5, 1.9e6, 129), Kind::Tiles);
  EXPECT_EQ(kind(1.9e5, 9e5, 5), Kind::InOrder) << "short rows";
  EXPECT_EQ(kind(1.9e5, 9e5, 5, 4), Kind::Tiles) << "short rows of narrow values";
  EXPECT_EQ(kind(1.9e5, 9e5, 129), Kind::Tiles) << "one row is long";
  EXPECT_EQ(kind(4e3, 2e6, 2048), Kind::Rows);
  EXPECT_EQ(kind(4e3, 2e6, 2049), Kind::Tiles);
  EXPECT_EQ(kind(1.9e5, 4e5, 5), Kind::Tiles) << "few values";
  EXPECT_EQ(kind(0, 0, 0), Kind::Tiles);
}

TEST(CsrColumnBlocks, AreForManyEntriesInLongRows) {
  EXPECT_TRUE(csr_has_column_blocks(4267, 2.14e6, 2234, 132));
  EXPECT_TRUE(csr_has_column_blocks(18660, 1.58e6, 3500, 132));
  EXPECT_FALSE(csr_has_column_blocks(5180, 3.7e5, 900, 132)) << "few entries";
  EXPECT_FALSE(csr_has_column_blocks(4e4, 2e6, 3000, 132)) << "short rows";
  EXPECT_FALSE(csr_has_column_blocks(44, 1.1e6, 25000, 132)) << "fewer rows than multiprocessors";
  EXPECT_FALSE(csr_has_column_blocks(1e4, 1.1e6, 8400, 132)) << "one row is longer than a share";
  EXPECT_FALSE(csr_has_column_blocks(4267, 2.14e6, 2234, 300));
}

TEST(CsrGatheredTiles, AreForMatricesWhoseTilesRunAtTheSameTime) {
  const auto gathers = [](double nonzeros, double row_bytes, double longest_row = 100, double multiprocessors = 132) {
    return csr_gathers_tiles(1e4, nonzeros, longest_row, row_bytes, 8, multiprocessors, 227 * 1024);
  };
  EXPECT_TRUE(gathers(0, 64));
  EXPECT_TRUE(gathers(3e5, 64)) << "three blocks on each multiprocessor";
  EXPECT_FALSE(gathers(3.5e5, 64));
  EXPECT_FALSE(gathers(3e5, 64, 180)) << "two blocks, because the longest row needs more memory";
  EXPECT_TRUE(gathers(5e5, 32));
  EXPECT_FALSE(gathers(6e5, 32));
  EXPECT_TRUE(gathers(8e5, 16));
  EXPECT_FALSE(gathers(9e5, 16)) << "no more than eight blocks";
  EXPECT_FALSE(gathers(3e5, 64, 100, 66));
  EXPECT_FALSE(csr_gathers_tiles(1e4, 1e4, 10, 64, 8, 132, 0)) << "no shared memory";
}

TEST(CsrColumnKernel, HasMoreLanesForLongRowsAndForFew) {
  EXPECT_EQ(choose_csr_column_kernel(1e5, 1.6e6, 16, 8).lanes, 4);
  EXPECT_EQ(choose_csr_column_kernel(1e4, 1.6e5, 16, 8).lanes, 8);
  EXPECT_EQ(choose_csr_column_kernel(5e4, 7.4e6, 824, 8).lanes, 32) << "the mean alone wants 16";
  EXPECT_EQ(choose_csr_column_kernel(100, 1e5, 1000, 8).lanes, 32);
  EXPECT_EQ(choose_csr_column_kernel(0, 0, 0, 8).lanes, 8);
}

TEST(CsrPolicy, TilesHaveEnoughRowsAndFit) {
  for (const int lanes : {4, 8, 16, 32}) {
    for (const int threads : {32, 96, 128, 512}) {
      const CsrPolicy tiled = with_row_tile({.lanes = lanes, .threads = threads});
      const int rows = tiled.threads / tiled.lanes;
      EXPECT_TRUE(is_valid(tiled)) << lanes << " lanes, " << threads << " threads";
      EXPECT_GE(rows, 8);
      EXPECT_EQ(rows & (rows - 1), 0);
      EXPECT_EQ(tiled.threads & (tiled.threads - 1), 0);
      EXPECT_GE(2 * tiled.threads, threads);
    }
  }
}

TEST(CsrPolicy, XIsPackedWhereItsRowsAreReadOftenEnough) {
  CsrScheduleSize size;
  size.nonzeros = 4000000;
  EXPECT_TRUE(csr_packs(size, 1000000, 5));
  EXPECT_FALSE(csr_packs(size, 1000001, 5));
  EXPECT_FALSE(csr_packs(size, 1000000, 4));
}

TEST(CsrPolicy, ASmallMatrixIsReadAgainRatherThanPackingX) {
  CsrScheduleSize size;
  size.packing_entries = 6000;
  size.nonzeros = 2000;
  EXPECT_FALSE(csr_packs(size, 100, 12));  // three slabs of columns
  EXPECT_TRUE(csr_packs(size, 100, 13));
  size.packing_entries = 0;
  EXPECT_FALSE(csr_packs(size, 100, 4));
  EXPECT_TRUE(csr_packs(size, 100, 5));
}

TEST(CsrPolicy, NarrowSlabsAreForFewColumnsOrSmallMatrices) {
  CsrScheduleSize size;
  size.nonzeros = 10000000;
  EXPECT_TRUE(csr_is_narrow(size, 4));
  EXPECT_FALSE(csr_is_narrow(size, 5));
  size.nonzeros = 100000;
  EXPECT_TRUE(csr_is_narrow(size, 8));
  EXPECT_FALSE(csr_is_narrow(size, 9));
  size.packing_entries = 0;
  EXPECT_TRUE(csr_is_narrow(size, 4));
  EXPECT_FALSE(csr_is_narrow(size, 5));
}

TEST(CsrPolicy, WorkspacesHoldPartialSumsAndRowsOfX) {
  CsrScheduleSize size;
  size.packing_entries = 0;
  size.nonzeros = 4000;
  EXPECT_EQ(csr_workspace_bytes(size, 1000, 5, 8), 1000 * 48u);
  EXPECT_EQ(csr_workspace_bytes(size, 1000, 5, 8, true), 0u);
  size.pieces = 10;
  EXPECT_EQ(csr_workspace_bytes(size, 1000, 1, 8), 10 * 16u);
  EXPECT_EQ(csr_workspace_bytes(size, 1000, 500, 8, true), 10 * 4000u);
  EXPECT_EQ(csr_workspace_bytes(size, 1000, 500, 8), (10 + 1000) * 1024u);  // panels of packed columns
}

// A matrix with as many entries as graphs like reddit, and 128 columns.
TEST(CsrPolicy, WorkspacesOfFloatsAreHalfAsLarge) {
  CsrScheduleSize size;
  size.nonzeros = 114848857;
  size.pieces = 1000000;
  EXPECT_EQ(csr_workspace_bytes(size, 232965, 128, sizeof(double), true), 1024000000u);
  EXPECT_EQ(csr_workspace_bytes(size, 232965, 128, sizeof(float), true), 512000000u);
}

TEST(CsrPolicy, SmallerDevicesUseFewerRowsOfXAtATime) {
  const CsrProblem p = problem(1e6, 3e7, 1e5, 512, 8);
  CsrMachine small;
  small.device.multiprocessors = 13;
  EXPECT_LT(predict_csr_seconds(p, 32, small), predict_csr_seconds(p, 32));
}

// 4000 rows of 20 entries need 32,000 threads, 8 lanes each; 4000 pieces need 32,000 more.
TEST(CsrPolicy, FewThreadsAreEager) {
  CsrProblem p = problem(4000, 8e4, 4000, 32, 4);
  EXPECT_TRUE(choose_csr_policy(p).eager);
  p.pieces = 4000;
  EXPECT_TRUE(choose_csr_policy(p).eager);
  p.pieces = 1e5;
  EXPECT_FALSE(choose_csr_policy(p).eager);
  EXPECT_FALSE(choose_csr_policy(problem(4e5, 8e6, 4e5, 32, 4)).eager);
  EXPECT_FALSE(choose_csr_policy(problem(4000, 8e4, 4000, 512, 4)).eager) << "lanes with four vectors";
}

TEST(CsrPolicy, InvalidOnes) {
  EXPECT_FALSE(is_valid({.vectors = 2, .eager = true}));
  EXPECT_FALSE(is_valid({.lanes = 2}));
  EXPECT_FALSE(is_valid({.vectors = 3}));
  EXPECT_FALSE(is_valid({.lanes = 8, .vectors = 2}));
  EXPECT_FALSE(is_valid({.lanes = 16, .vectors = 4}));
  EXPECT_FALSE(is_valid({.lanes = 8, .rounds = 9}));
  EXPECT_FALSE(is_valid({.rounds = 0}));
  EXPECT_FALSE(is_valid({.threads = 1024}));
  EXPECT_FALSE(is_valid({.threads = 100}));
}

}  // namespace
}  // namespace Tessera::Impl::Cuda
