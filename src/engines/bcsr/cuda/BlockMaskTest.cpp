// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "BlockMask.hpp"
#include "fragments/Layout.hpp"

namespace {

using Tessera::Impl::Cuda::BlockMask;

// Checks that a mask names the column and the unit of each entry, and no others.
template <int height, int width, int n>
void check_masks() {
  std::mt19937_64 random(height * 100 + width);
  for (int density = 0; density < 5; ++density) {
    BlockMask<height, width> mask = {};
    std::uint32_t columns = 0, units[(height * width / n + 31) / 32] = {}, found[(height * width / n + 31) / 32];
    for (int e = 0; e < height * width; ++e) {
      if (static_cast<int>(random() % 64) >= density * density * 4) continue;
      mask.at[e / 64] |= std::uint64_t(1) << (e % 64);
      columns |= 1u << (e % width);
      units[e / n / 32] |= 1u << (e / n % 32);
    }
    mask.template units<n>(found);
    EXPECT_EQ(mask.columns(), columns);
    for (std::size_t i = 0; i < std::size(units); ++i) EXPECT_EQ(found[i], units[i]);
  }
}

TEST(BlockMask, NamesWhatHasEntries) {
  check_masks<16, 16, 8>();
  check_masks<16, 8, 2>();
  check_masks<16, 8, 4>();
  check_masks<8, 8, 2>();
  check_masks<8, 8, 4>();
  check_masks<8, 4, 2>();
}

TEST(HalfLayout, PlacesAndColumnsAreEachOthersInverse) {
  for (int column = 0; column < 64; ++column) {
    const int place = Tessera::Impl::Cuda::half_place_of_column(column);
    EXPECT_EQ(place / 16, column / 16);
    EXPECT_EQ(Tessera::Impl::Cuda::column_of_half_place(place), column);
  }
}

}  // namespace
