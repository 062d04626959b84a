// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <functional>
#include <limits>
#include <stdexcept>

#include "AdversarialPatterns.hpp"
#include "ExampleMatrix.hpp"
#include "FormatArrays.hpp"
#include "SerialBcsr.hpp"
#include "TestTypes.hpp"
#include "bcsr/Bcsr.hpp"
#include "bcsr/BlockCounts.hpp"

namespace Tessera::Impl::Test {

template <class T>
class BcsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(BcsrTest, OffsetCases);

/// Block shapes: those of tensor cores, single rows and columns, the largest, and shapes whose masks end near the end
/// of a word or have rows that span two words.
constexpr BlockShape bcsr_shapes[] = {{8, 4},  {8, 8}, {16, 8}, {16, 16}, {1, 1},  {1, 64},
                                      {64, 1}, {7, 9}, {13, 5}, {3, 43},  {2, 33}, {64, 64}};

FormatParameters in_blocks_of(BlockShape shape) {
  FormatParameters parameters;
  parameters.bcsr_block_rows = shape.height;
  parameters.bcsr_block_columns = shape.width;
  return parameters;
}

std::string describe(BlockShape shape) { return std::to_string(shape.height) + " x " + std::to_string(shape.width); }

template <class Exec>
auto bcsr_of(const HostPattern<Offset>& A, const FormatParameters& parameters, std::size_t value_bytes = 8) {
  return build_bcsr(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros(), parameters, value_bytes);
}

template <class Exec>
BlockShape chosen_bcsr_shape(const HostPattern<Offset>& A, std::size_t value_bytes) {
  return bcsr_block_shape(Exec(), DevicePattern<Exec, Offset>(A).view(), A.nonzeros(), {}, value_bytes);
}

/// Returns the message of std::invalid_argument, or an empty text if the call succeeds.
std::string rejection(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TYPED_TEST(BcsrTest, IsThePictureInTheDocstring) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto built = bcsr_of<Exec>(example_matrix<Offset>(), in_blocks_of({4, 4}));
  const auto& p = built.pattern;
  EXPECT_EQ(to_host(p.block_offsets), (std::vector<Offset>{0, 2, 5, 7, 8}));
  EXPECT_EQ(to_host(p.block_columns), (std::vector<int>{0, 2, 1, 2, 3, 0, 2, 3}));
  EXPECT_EQ(to_host(p.block_masks),
            (std::vector<std::uint64_t>{0x5033, 0x0020, 0x0262, 0x0200, 0x1208, 0x0200, 0x3033, 0x3021}));
  EXPECT_EQ(example_values(to_host(built.values.slots)),
            "ab00cd000000f0g0"
            "00000e0000000000"
            "0h000jk00l000000"
            "000000000m000000"
            "000i00000n00o000"
            "000000000t000000"
            "pq00rs000000uv00"
            "w0000x000000yz00");
}

/// The last patterns have many slices: slices without blocks, and windows that are long enough for teams of devices.
std::vector<HostPattern<Offset>> patterns_for_teams() {
  auto patterns = adversarial_patterns<Offset>();
  patterns.push_back(random_pattern<Offset>(30, 300 * 1000, 0.00002, 3, 9));
  patterns.push_back(random_pattern<Offset>(70, 300 * 1000, 0.004, 4));
  return patterns;
}

TYPED_TEST(BcsrTest, ArraysAreThoseOfTheSerialBuildWhateverTheBlocks) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : patterns_for_teams()) {
    for (const BlockShape shape : bcsr_shapes) {
      if (!is_chosen_on<Exec>(7)) continue;
      SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + " in " + describe(shape));
      const auto built = bcsr_of<Exec>(A, in_blocks_of(shape));
      expect_serial_build(built, serial_bcsr(A, shape));
      const DevicePattern<Exec, Offset> device(A);
      EXPECT_EQ(count_bcsr_blocks(Exec(), device.view(), A.nonzeros(), shape.height, shape.width),
                built.pattern.tiles());
      EXPECT_EQ(bcsr_blocks(Exec(), device.view(), A.nonzeros(), in_blocks_of(shape), 8).blocks, built.pattern.tiles());
    }
  }
}

/// Records the place of each entry.
struct RecordPlace {
  Kokkos::View<Offset*, Kokkos::HostSpace> places;
  int size;

  void operator()(std::size_t block, int bit, Offset k) const { places(k) = static_cast<Offset>(block) * size + bit; }
};

/// Devices give long windows to teams; here a team is one thread of the host.
TEST(BlockTeams, CountAndFillAsTheSerialBuild) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  for (const auto& A : patterns_for_teams()) {
    for (const BlockShape shape : bcsr_shapes) {
      SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + " in " + describe(shape));
      if (A.rows == 0) continue;
      const auto expected = serial_bcsr(A, shape);
      const DevicePattern<Exec, Offset> device(A);
      std::vector<Offset> counts(shape.windows(A.rows)), offsets{0};
      const CountBlocks<Exec> count{{device.view(), shape}, counts.data()};
      std::size_t blocks = 0;
      const auto policy = [&](std::size_t scratch) {
        return window_teams(Exec(), device.view(), A.nonzeros(), shape, scratch);
      };
      Kokkos::parallel_reduce("count", policy(count.scratch()), count, blocks);
      for (const Offset each : counts) offsets.push_back(offsets.back() + each);
      EXPECT_EQ(blocks, expected.block_columns.size());
      ASSERT_EQ(offsets, expected.block_offsets);
      std::vector<Offset> counts_by_rows(shape.windows(A.rows), 0);
      const BlocksOfRows<Exec> of_rows{device.view(), shape, 2 * shape.height, counts_by_rows.data()};
      std::size_t blocks_by_rows = 0;
      Kokkos::parallel_reduce("count", teams(Exec(), window_count(A.rows, of_rows.team_rows)), of_rows, blocks_by_rows);
      EXPECT_EQ(blocks_by_rows, blocks);
      EXPECT_EQ(counts_by_rows, counts);
      std::vector<Ordinal> columns(blocks);
      std::vector<std::uint64_t> masks(blocks * shape.mask_words(), ~std::uint64_t(0));
      const Kokkos::View<Offset*, Kokkos::HostSpace> places("places", A.nonzeros());
      const FillBlocks<Exec, RecordPlace> fill{
          {device.view(), shape}, {offsets.data(), columns.data(), masks.data()}, {places, shape.size()}};
      Kokkos::parallel_for("fill", policy(fill.scratch()), fill);
      Exec().fence();
      EXPECT_EQ(columns, expected.block_columns);
      EXPECT_EQ(masks, expected.block_masks);
      for (std::size_t k = 0; k < A.nonzeros(); ++k) ASSERT_EQ(expected.slots[places(k)], Offset(k));
    }
  }
}

TEST(BlockTeams, FewTeamsAddNumbers) {
  for (const int count : {0, 1, 8, 9, 8192 * 8, 8192 * 8 + 1, 1000 * 1000, std::numeric_limits<int>::max()}) {
    const int pieces = pieces_of_summing_team(count, 8);
    EXPECT_GT(pieces, 0);
    EXPECT_EQ(pieces % 8, 0);
    EXPECT_LE(window_count(count, pieces), 8192);
    EXPECT_EQ(pieces == 8, count <= 8192 * 8);  // no more than needed
  }
}

TYPED_TEST(BcsrTest, IsValidAndGoesBackToRowsWhateverTheBlocks) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& A : adversarial_patterns<Offset>()) {
    for (const BlockShape shape : bcsr_shapes) {
      if (!is_chosen_on<Exec>(7)) continue;
      SCOPED_TRACE(std::to_string(A.rows) + " x " + std::to_string(A.columns) + " in " + describe(shape));
      expect_lossless<Exec>(bcsr_of<Exec>(A, in_blocks_of(shape)), A);
    }
  }
}

TYPED_TEST(BcsrTest, BytesAreTheDocumentedFormula) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<Offset>(123, 77, 0.1, 9);
  const auto small = bcsr_of<Exec>(A, in_blocks_of({8, 4})).pattern;
  ASSERT_GT(small.tiles(), 16u);
  EXPECT_EQ(small.bytes(), (16 + 1) * sizeof(Offset) + small.tiles() * (4 + 8));
  EXPECT_EQ(small.places(), small.tiles() * 32);
  const auto large = bcsr_of<Exec>(A, in_blocks_of({13, 5})).pattern;
  EXPECT_EQ(large.bytes(), (10 + 1) * sizeof(Offset) + large.tiles() * (4 + 16));
  EXPECT_EQ(large.places(), large.tiles() * 65);
}

/// One entry per 32 x 32 elements: the smallest blocks have the least padding. Full rows need no padding, so the
/// largest blocks take the fewest bytes, because they need the fewest column indices and masks.
TYPED_TEST(BcsrTest, TheShapeIsTheOneWithTheFewestBytes) {
  using Exec = typename TypeParam::ExecutionSpace;
  HostPattern<Offset> scattered;
  scattered.columns = 128;
  for (int i = 0; i < 128; ++i) {
    for (int j = 0; j < 128 && i % 32 == 0; j += 32) scattered.column_indices.push_back(j);
    scattered.end_row();
  }
  const auto full = random_pattern<Offset>(64, 64, 1.0, 1);
  const auto expect_shape = [](BlockShape found, BlockShape expected) {
    EXPECT_EQ(describe(found), describe(expected));
  };
  expect_shape(chosen_bcsr_shape<Exec>(scattered, 2), {16, 16});
  expect_shape(chosen_bcsr_shape<Exec>(full, 2), {16, 16});
  expect_shape(chosen_bcsr_shape<Exec>(scattered, 4), {8, 8});
  expect_shape(chosen_bcsr_shape<Exec>(full, 4), {16, 8});
  for (const std::size_t wide : {8, 16}) {
    expect_shape(chosen_bcsr_shape<Exec>(scattered, wide), {8, 4});
    expect_shape(chosen_bcsr_shape<Exec>(full, wide), {16, 8});
  }
  expect_shape({bcsr_of<Exec>(scattered, {}, 4).pattern.block}, {8, 8});
  // Without rows, all shapes take equal bytes.
  expect_shape(chosen_bcsr_shape<Exec>(HostPattern<Offset>{}, 8), {16, 8});
}

/// Eight full rows and eight empty ones: blocks of 16 rows are half empty, and 8x8 needs fewer masks than 8x4.
TYPED_TEST(BcsrTest, TheShapeBetweenTheExtremes) {
  using Exec = typename TypeParam::ExecutionSpace;
  HostPattern<Offset> A;
  A.columns = 64;
  for (int i = 0; i < 48; ++i) {
    for (int j = 0; j < 64 && i % 16 < 8; ++j) A.column_indices.push_back(j);
    A.end_row();
  }
  EXPECT_EQ(describe(chosen_bcsr_shape<Exec>(A, 8)), "8 x 8");
}

TYPED_TEST(BcsrTest, ParametersNameBothSidesFrom1To64) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<Offset>(20, 20, 0.2, 3);
  const DevicePattern<Exec, Offset> device(A);
  for (const BlockShape shape : {BlockShape{16, 0}, {0, 8}, {65, 8}, {8, 65}, {-1, 8}, {8, -1}, {-1, 0}}) {
    EXPECT_EQ(rejection([&] { bcsr_of<Exec>(A, in_blocks_of(shape)); }),
              "Tessera: bcsr_block_rows is " + std::to_string(shape.height) + " and bcsr_block_columns " +
                  std::to_string(shape.width) + "; expected both from 1 to 64, or both 0");
    EXPECT_EQ(rejection([&] { count_bcsr_blocks(Exec(), device.view(), A.nonzeros(), shape.height, shape.width); }),
              "Tessera::count_bcsr_blocks: the blocks are " + describe(shape) + "; expected sides from 1 to 64");
  }
  EXPECT_THROW(count_bcsr_blocks(Exec(), device.view(), A.nonzeros(), 0, 0), std::invalid_argument);
}

/// 2^19 entries, each in a block of 2^12 elements: one element more than an int can count.
TYPED_TEST(BcsrTest, MorePlacesThanOffsetsCountAreRejected) {
  using Exec = typename TypeParam::ExecutionSpace;
  HostPattern<Offset> A;
  A.columns = 1 << 25;
  for (int j = 0; j < A.columns; j += 64) A.column_indices.push_back(j);
  A.end_row();
  const std::string found = rejection([&] { bcsr_of<Exec>(A, in_blocks_of({64, 64})); });
  EXPECT_NE(found.find("needs 2147483648 values in blocks of 64 x 64; expected at most 2147418112"), std::string::npos)
      << found;
}

/// No index overflows in the widest possible matrix.
TYPED_TEST(BcsrTest, TheLastColumnThatAnOrdinalNames) {
  using Exec = typename TypeParam::ExecutionSpace;
  HostPattern<Offset> A;
  A.columns = std::numeric_limits<int>::max();
  A.column_indices = {0, A.columns - 1};
  A.end_row();
  const auto built = bcsr_of<Exec>(A, in_blocks_of({2, 64}));
  EXPECT_EQ(to_host(built.pattern.block_columns), (std::vector<int>{0, A.columns / 64}));
  EXPECT_EQ((validate<Exec>(Exec(), built.pattern)), "");
  EXPECT_EQ(to_host(to_csr<Exec>(Exec(), built.pattern).pattern.column_indices), A.column_indices);
}

/// A damaged copy of a valid format is rejected, and the message names the broken invariant.
TYPED_TEST(BcsrTest, ValidateNamesTheBrokenInvariant) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Host = HostBcsr;
  // A full matrix in 2 x 4 blocks of 13 x 5. Masks have two words. The last blocks exceed it by 12 rows and 2 columns.
  const HostPattern<Offset> A = random_pattern<Offset>(14, 18, 1.0, 4);
  const DamagedCopies<Exec, Bcsr<typename Exec::memory_space>, Host> copies(
      serial_bcsr(A, {13, 5}), [&](auto& p, const Host& h) {
        p.rows = A.rows, p.columns = A.columns, p.nonzeros = A.nonzeros();
        p.block = h.block;
      });
  const auto expect_fault = [&](const std::string& what, const std::function<void(Host&)>& damage) {
    EXPECT_EQ(copies.fault(damage), "BCSR: " + what);
  };
  for (const int side : {0, -1, 65}) {
    expect_fault("a side of the blocks is not 1 to 64", [&](Host& h) { h.block.height = side; });
    expect_fault("a side of the blocks is not 1 to 64", [&](Host& h) { h.block.width = side; });
  }
  expect_fault("block_offsets does not have an element a window and one more",
               [](Host& h) { h.block_offsets.pop_back(); });
  expect_fault("block_masks does not have a mask a block", [](Host& h) { h.block_masks.pop_back(); });
  expect_fault("block_masks does not have a mask a block", [](Host& h) { h.block_columns.pop_back(); });
  const std::string descends = "block_offsets does not ascend from 0 to the number of blocks";
  expect_fault("window 0: " + descends, [](Host& h) { h.block_offsets[0] = 1; });
  expect_fault("window 0: " + descends, [](Host& h) { h.block_offsets[1] = 9; });
  expect_fault("window 1: " + descends, [](Host& h) { --h.block_offsets.back(); });
  const std::string outside = "block_columns holds a block outside the matrix";
  expect_fault("window 1: " + outside, [](Host& h) { h.block_columns.back() = 4; });
  expect_fault("window 1: " + outside, [](Host& h) { h.block_columns.back() = std::numeric_limits<int>::max(); });
  expect_fault("window 0: " + outside, [](Host& h) { h.block_columns[0] = -1; });
  const std::string unsorted = "block_columns does not ascend strictly within a window";
  expect_fault("window 0: " + unsorted, [](Host& h) { std::swap(h.block_columns[0], h.block_columns[1]); });
  expect_fault("window 0: " + unsorted, [](Host& h) { h.block_columns[1] = 0; });
  // A mask has 65 bits. The last one is the lowest bit of the second word.
  expect_fault("window 0: block_masks has a bit beyond the elements of a block",
               [](Host& h) { h.block_masks[1] |= std::uint64_t(1) << 1; });
  const std::string beyond = "block_masks has a bit beyond the last row or column of the matrix";
  expect_fault("window 1: " + beyond, [](Host& h) { h.block_masks[8] |= std::uint64_t(1) << 5; });
  expect_fault("window 1: " + beyond, [](Host& h) { h.block_masks[9] |= 1; });
  expect_fault("window 0: " + beyond, [](Host& h) { h.block_masks[6] |= std::uint64_t(1) << 3; });
  expect_fault("window 0: " + beyond, [](Host& h) { h.block_masks[7] |= 1; });
  expect_fault("window 0: block_masks has no bit for a block",
               [](Host& h) { h.block_masks[2] = h.block_masks[3] = 0; });
  expect_fault("block_masks does not have a bit for each of the nonzeros", [](Host& h) { h.block_masks[0] &= ~1ull; });
}

}  // namespace Tessera::Impl::Test
