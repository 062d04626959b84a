// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <numeric>

#include "DeviceMemory.hpp"
#include "HostMatrix.hpp"
#include "bmat/SerialBmat.hpp"
#include "condensed/cuda/DenseTiles.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Test;

template <class Offset, class Scalar>
void check_conversion(const HostMatrix& A) {
  const auto B = serial_condensed<Offset>(A, 2);
  const auto bmat = serial_bmat<Offset>(A);
  const std::size_t tiles = B.tiles();
  const OnDevice<std::uint32_t> words(bmat.tile_words);
  const OnDevice<Scalar> compact(placed_values<Scalar>(A.values, bmat.slots));
  const OnDevice<std::uint64_t> masks(std::vector<std::uint64_t>(2 * tiles, ~std::uint64_t(0)));
  const OnDevice<Offset> counts(std::vector<Offset>(tiles + 1, 0));
  BmatPattern<Offset> pattern;
  pattern.rows = A.rows;
  pattern.columns = A.columns;
  pattern.tile_words = words.data();
  Cuda::condense_bmat<Offset>(nullptr, pattern, tiles, masks.data(), counts.data());
  EXPECT_EQ(masks.to_host(), B.tile_masks);
  auto offsets = counts.to_host();
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  EXPECT_EQ(offsets, B.tile_offsets);

  const OnDevice<Offset> tile_offsets(offsets);
  const OnDevice<Scalar> dense(std::vector<Scalar>(128 * tiles, Scalar(-7)));
  Cuda::expand_bmat<Offset, Scalar>(nullptr, pattern, tiles, tile_offsets.data(), compact.data(), dense.data());
  const OnDevice<Scalar> expected(std::vector<Scalar>(128 * tiles, Scalar(-7)));
  const OnDevice<Scalar> strips(placed_values<Scalar>(A.values, B.slots));
  const OnDevice<Offset> windows(B.window_offsets);
  const OnDevice<int> columns(B.tile_columns);
  Cuda::expand_tiles<Offset, Scalar>(
      nullptr, {A.rows, A.columns, 2, windows.data(), tile_offsets.data(), columns.data(), masks.data()}, tiles,
      strips.data(), expected.data());
  EXPECT_EQ(dense.to_host(), expected.to_host());
}

TEST(BmatTiles, AreCondensedWindowsOfTwoStrips) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int rows : {1, 15, 16, 17, 100}) {
    for (const int columns : {1, 8, 9, 300}) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
      check_conversion<int, double>(random_matrix(rows, columns, 20, 7));
      check_conversion<int, float>(random_matrix(rows, columns, 20, 8));
    }
  }
  check_conversion<int, float>(random_matrix(0, 5, 3, 9));
}

}  // namespace
