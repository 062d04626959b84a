// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <numeric>
#include <tessera/cuda/condensed/DenseTiles.hpp>

#include "CondensedProblem.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Test;

/// BMat from condensed windows of two strips, bit by bit.
struct HostBmat {
  std::vector<std::uint32_t> words;
  std::vector<double> values;

  explicit HostBmat(const Bench::HostCondensed& B) : words(std::size_t(B.tiles()) * 4) {
    std::size_t first = 0;
    for (std::size_t tile = 0; tile < std::size_t(B.tiles()); ++tile) {
      double dense[128] = {};
      for (int e = 0; e < 128; ++e) {
        if ((B.tile_masks[2 * tile + e / 64] >> (e % 64) & 1u) == 0) continue;
        dense[e] = B.values[first++];
        words[4 * tile + bmat_word(e / 8, e % 8)] |= std::uint32_t(1) << bmat_bit(e / 8, e % 8);
      }
      for (int word = 0; word < 4; ++word) {
        for (int bit = 0; bit < 32; ++bit) {
          const int r = word % 2 * 8 + bit / 4, c = word / 2 * 4 + bit % 4;
          if ((words[4 * tile + word] >> bit & 1u) != 0) values.push_back(dense[8 * r + c]);
        }
      }
    }
  }
};

template <class Offset, class Scalar>
void check_conversion(const HostMatrix& A) {
  const Bench::HostCondensed B = Bench::build_condensed(A, 2);
  const HostBmat bmat(B);
  const auto tiles = std::size_t(B.tiles());
  const OnDevice<std::uint32_t> words(bmat.words);
  const OnDevice<Scalar> compact(std::vector<Scalar>(bmat.values.begin(), bmat.values.end()));
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
  EXPECT_EQ(offsets, std::vector<Offset>(B.tile_offsets.begin(), B.tile_offsets.end()));

  const OnDevice<Offset> tile_offsets(offsets);
  const OnDevice<Scalar> dense(std::vector<Scalar>(128 * tiles, Scalar(-7)));
  Cuda::expand_bmat<Offset, Scalar>(nullptr, pattern, tiles, tile_offsets.data(), compact.data(), dense.data());
  const OnDevice<Scalar> expected(std::vector<Scalar>(128 * tiles, Scalar(-7)));
  const OnDevice<Scalar> strips(std::vector<Scalar>(B.values.begin(), B.values.end()));
  const OnDevice<Offset> windows(std::vector<Offset>(B.window_offsets.begin(), B.window_offsets.end()));
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
      check_conversion<std::size_t, float>(random_matrix(rows, columns, 20, 8));
    }
  }
  check_conversion<int, float>(random_matrix(0, 5, 3, 9));
}

}  // namespace
